"""The pinned versions install, and fit each other, on every Python that pyproject.toml allows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: The first patch of each Python: a package that needs a later one, such as 3.11.5, shows there.
PYTHONS = [f"3.{minor}.0" for minor in range(40) if f"3.{minor}.0" in SpecifierSet(PROJECT["requires-python"])]
NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeoutError|Network is unreachable|Temporary failure in name"
)


def test_the_allowed_pythons_begin_with_that_of_debian() -> None:
    assert PYTHONS[0] == "3.11.0" and len(PYTHONS) > 1


#: Those between the first and the last run with the long tests: a dry run takes pip 15 seconds.
LOOKED_AT = [
    pytest.param(python, marks=[] if python in (PYTHONS[0], PYTHONS[-1]) else pytest.mark.long) for python in PYTHONS
]


@pytest.mark.long
@pytest.mark.parametrize("python", LOOKED_AT)
def test_every_pin_installs_on_this_python_and_fits_the_others(python: str, tmp_path: Path) -> None:
    """A dry run of pip finds a wheel of each pin; it looks at the metadata alone.

    pip evaluates markers for the Python that runs it, so `--no-deps` leaves them out and `unmet` evaluates them.
    """
    report = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--report", str(report), "--no-deps",
         "--ignore-installed", "--only-binary=:all:", "--python-version", python, "--target", str(tmp_path / "none"),
         "--disable-pip-version-check", "--retries", "1", "--requirement", str(ROOT / "constraints.txt")],
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    if NO_NETWORK.search(done.stderr):
        pytest.skip("the package registry cannot be reached")
    errors = [line[:300] for line in done.stderr.splitlines() if line.startswith("ERROR")]
    assert done.returncode == 0, "\n".join(errors)
    pinned = {
        canonicalize_name(package["metadata"]["name"]): package["metadata"]
        for package in json.loads(report.read_text(encoding="utf-8"))["install"]
    }
    assert unmet(pinned, python) == []


def unmet(pinned: dict[str, dict[str, Any]], python: str) -> list[str]:
    """Requirements that the pins leave open on a Python: what simlab requires, with all extras, and all below it."""
    version = {"python_version": python.rpartition(".")[0], "python_full_version": python}
    wanted = [("simlab", Requirement(text)) for text in PROJECT["dependencies"]]
    wanted += [("simlab", Requirement(text)) for extra in PROJECT["optional-dependencies"].values() for text in extra]
    wanted += [("hatchling", Requirement("editables"))]  # as .ci/setup asks for it
    faults, seen = [], set()
    while wanted:
        by, requirement = wanted.pop()
        name = canonicalize_name(requirement.name)
        if name == "simlab":
            continue
        if name not in pinned:
            faults.append(f"{by} requires {requirement}, which is not pinned")
            continue
        if not requirement.specifier.contains(pinned[name]["version"], prereleases=True):
            faults.append(f"{by} requires {requirement}, but {pinned[name]['version']} is pinned")
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                below = [Requirement(text) for text in pinned[name].get("requires_dist", ())]
                environment = version | {"extra": extra}
                wanted += [(name, one) for one in below if one.marker is None or one.marker.evaluate(environment)]
    return faults
