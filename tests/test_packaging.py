"""The wheel holds everything, versions are pinned without hosts, and the Makefile says what it can do."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_wheel_holds_code_data_and_ready_experiments(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    names = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    wanted = {
        str(path.relative_to(ROOT))
        for folder in ("simlab", "policies")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= names
    ready = (path for path in (ROOT / "experiments").rglob("*") if path.is_file())
    assert {f"simlab/ready/{path.relative_to(ROOT / 'experiments')}" for path in ready} <= names
    rest = {name for name in names - wanted if not name.startswith(("simlab/ready/", "simlab-"))}
    assert not rest, "nothing else is installed"


def test_constraints_are_plain_pins() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for requirement in [*project["dependencies"], *chain(*project["optional-dependencies"].values())]:
        name = re.split(r"[\[<>=! ]", requirement)[0].lower()
        assert name in pinned | {"simlab"}, f"{name} is not pinned"


def imported(path: Path) -> set[str]:
    """The first names of the modules that a file imports."""
    found = list(ast.walk(ast.parse(path.read_text())))
    names = [alias.name for node in found if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in found if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names}


def test_what_is_imported_is_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["dask"], *extras["app"], *extras["learn"]]
    required = {re.split(r"[\[<>=! ]", text)[0].lower().replace("-", "_") for text in wanted}
    known = required | set(sys.stdlib_module_names) | {"simlab", "policies", "llvmlite", "markupsafe"}
    known |= {"ipython"}  # runs.live asks for it inside a notebook alone, whose kernel it is
    files = [*(ROOT / "simlab").rglob("*.py"), *(ROOT / "policies").rglob("*.py")]
    for path in (path for path in files if not path.name.startswith("test_")):  # a small game has its tests with it
        for name in imported(path):
            assert name.lower() in known | {"__future__"}, (
                f"{path.relative_to(ROOT)} imports {name}, which nothing requires"
            )


def test_make_help_names_every_target() -> None:
    printed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert phony
    for target in phony[1].split():
        assert f"make {target} " in printed


def test_ci_runs_make_test() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text()
    for name in ("run", "setup"):
        assert (ROOT / ".ci" / name).stat().st_mode & 0o111


def test_the_long_tests_have_a_target_of_their_own_which_the_readme_names() -> None:
    """`make test` leaves them out, so a test that neither target runs would never run."""
    recipes = dict(re.findall(r"^([a-z-]+):[^\n]*\n((?:\t[^\n]*\n)+)", (ROOT / "Makefile").read_text(), re.M))
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert options["addopts"][:2] == ["-m", "not long"]
    assert recipes["test"] == "\t$(PYTEST)\n" and recipes["test-long"] == "\t$(PYTEST) -m long\n"
    assert all(f"$ make {target} " in (ROOT / "README.md").read_text() for target in ("test", "test-long"))


def test_packages_that_are_used_through_private_parts_have_an_upper_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = chain(*(project["optional-dependencies"][name] for name in ("dask", "app", "learn")))
    required = {re.split(r"[\[<>=! ]", text)[0].lower(): text for text in [*project["dependencies"], *extras]}
    text = "\n".join(path.read_text() for path in (ROOT / "simlab").rglob("*.py"))
    private = {
        name
        for name in required
        if re.search(rf"\b{name}(\.\w+)*\.(_[a-z]\w*|externals)\b|from {name}[\w.]* import .*\b_[a-z]", text)
    }
    assert {"joblib", "numba"} <= private
    assert [required[name] for name in sorted(private) if "<" not in required[name]] == []
