# Everything runs in .venv, which the first target makes: Python >= 3.11 and make are all that has to be there.
BIN := .venv/bin
# By files, so that the tests of one share what they set up. Logical processors: a virtual machine's two may be one core.
PYTEST := $(BIN)/python -m pytest -n logical --dist loadfile --no-loadscope-reorder --durations 10
# The tests start hundreds of processes. Where Python keeps no compiled modules, each compiles those that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo test test-long lint format bench bench-against wheel docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make .venv with simlab and what playing needs, versions pinned
	@PYTHON='$(PYTHON)' .ci/setup

setup-dev: ## the same with what tests, notebooks and checks need
	@PYTHON='$(PYTHON)' .ci/setup dev

demo: setup ## every pair of bots on Simple Siege: headline table here, report in results/demo
	@$(BIN)/simlab run experiments/simple_siege_balance.toml --out results/demo $(ARGS)

lint: setup-dev ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint ## ruff, mypy and all tests but the long ones, on all cores
	$(PYTEST)

test-long: setup-dev ## the long tests; run it before an issue is closed and before a release
	$(PYTEST) -m long

format: setup-dev ## rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## one table of what people wait for, over the five large games, each line as a ratio; takes 7 minutes
	@$(BIN)/simlab dev bench all

bench-against: setup ## fail where the lab is over 10 % slower than at REF (a commit or tag; by default the last tag)
	@$(BIN)/simlab dev bench all --against '$(or $(REF),last)'

docs: setup-dev ## build the documentation site in build/site, with pictures of real runs
	@$(BIN)/python docs/build_site.py

wheel: setup-dev ## build dist/simlab-*.whl
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

clean: ## remove .venv, caches and builds; results stay
	rm -rf .venv build dist bench/build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
