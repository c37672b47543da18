"""simlab: play a board game a million times and see how balanced it is.

    import simlab

    results = simlab.run("simple_siege", bots={"besieger": "rusher", "besieged": "mason"}, games=100_000, seed=1)
    results.win_rates()

Modules are loaded when they are first used, so `import simlab` takes a few milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from simlab.compiler import dependencies as _dependencies  # noqa: F401 - records from here on what bots' modules read

__version__ = "0.1.0"

if TYPE_CHECKING:
    from simlab import errors
    from simlab.api import check, compare, diff, discover, exploit, fix, ladder, load, plan, replay, run, sweep, tune
    from simlab.bot_registry import find_bots
    from simlab.compiler import kernel
    from simlab.engine.custom_metrics import metric
    from simlab.engine.match import Match
    from simlab.engine.stepper import Stepper
    from simlab.errors import InputError, SimlabError
    from simlab.game import Column, Decision, Game, Knob, Metric, Policy, TableSchema, Track, Trait, policy
    from simlab.registry import find_games, load_game

__all__ = [
    "Column", "Decision", "Game", "InputError", "Knob", "Match", "Metric", "Policy", "SimlabError", "Stepper",
    "TableSchema", "Track", "Trait", "__version__", "check", "compare", "diff", "discover", "errors", "exploit",
    "find_bots", "find_games", "fix", "kernel", "ladder", "load", "load_game", "metric", "plan", "policy", "replay",
    "run", "sweep", "tune",
]  # fmt: skip
_MODULES = {
    "simlab.api": (
        "check", "compare", "diff", "discover", "exploit", "fix", "ladder", "load", "plan", "replay", "run", "sweep",
        "tune",
    ),
    "simlab.bot_registry": ("find_bots",),
    "simlab.compiler": ("kernel",),
    "simlab.engine.custom_metrics": ("metric",),
    "simlab.engine.match": ("Match",),
    "simlab.engine.stepper": ("Stepper",),
    "simlab.errors": ("InputError", "SimlabError"),
    "simlab.game": (
        "Column", "Decision", "Game", "Knob", "Metric", "Policy", "TableSchema", "Track", "Trait", "policy",
    ),
    "simlab.registry": ("find_games", "load_game"),
}  # fmt: skip
_HOME = {name: module for module, names in _MODULES.items() for name in names}
_MOVED = {"mend": "fix"}


def __getattr__(name: str) -> object:
    """A public name, imported on first use (PEP 562)."""
    if name == "errors":
        return import_module("simlab.errors")
    if name not in _HOME:
        now = f": it is now simlab.{_MOVED[name]}" if name in _MOVED else ""
        raise AttributeError(f"module 'simlab' has no attribute '{name}'{now}")
    thing: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = thing
    return thing


def __dir__() -> list[str]:
    return __all__
