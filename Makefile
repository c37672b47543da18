# Everything runs in .venv, which the first target makes: Python >= 3.11 and make are all that has to be there.
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long lint format bench wheel clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make .venv with simlab and all it needs, versions pinned
	@PYTHON='$(PYTHON)' .ci/setup

demo: setup ## every pair of bots on Simple Siege: headline table here, report in results/demo
	@$(BIN)/simlab run experiments/simple_siege_balance.toml --out results/demo $(ARGS)

lint: setup ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint ## all checks and tests but the long ones
	$(BIN)/python -m pytest

test-long: setup ## the long tests too
	$(BIN)/python -m pytest -m ""

format: setup ## rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## games a second here, against the C twin where a C compiler is installed
	@$(BIN)/simlab bench

wheel: setup ## build dist/simlab-*.whl
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

clean: ## remove .venv, caches and builds; results stay
	rm -rf .venv build dist bench/build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
