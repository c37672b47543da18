"""simlab: play a board game a million times and see how balanced it is.

    import simlab

    results = simlab.run("simple_siege", bots={"besieger": "rusher", "besieged": "mason"}, games=100_000, seed=1)
    results.win_rates()

Nothing is loaded before it is used: `import simlab` takes a few milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from simlab.compiler import dependencies as _dependencies  # noqa: F401 - records from here on what bots' modules read

__version__ = "0.1.0"

if TYPE_CHECKING:
    from simlab import errors as errors
    from simlab.api import check as check
    from simlab.api import compare as compare
    from simlab.api import diff as diff
    from simlab.api import discover as discover
    from simlab.api import exploit as exploit
    from simlab.api import fix as fix
    from simlab.api import ladder as ladder
    from simlab.api import load as load
    from simlab.api import plan as plan
    from simlab.api import replay as replay
    from simlab.api import run as run
    from simlab.api import sweep as sweep
    from simlab.api import tune as tune
    from simlab.bot_registry import find_bots as find_bots
    from simlab.compiler import kernel as kernel
    from simlab.engine.custom_metrics import metric as metric
    from simlab.engine.match import Match as Match
    from simlab.engine.stepper import Stepper as Stepper
    from simlab.errors import InputError as InputError
    from simlab.errors import SimlabError as SimlabError
    from simlab.game import Column as Column
    from simlab.game import Decision as Decision
    from simlab.game import Game as Game
    from simlab.game import Knob as Knob
    from simlab.game import Metric as Metric
    from simlab.game import Policy as Policy
    from simlab.game import TableSchema as TableSchema
    from simlab.game import Track as Track
    from simlab.game import Trait as Trait
    from simlab.game import policy as policy
    from simlab.registry import find_games as find_games
    from simlab.registry import load_game as load_game

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

__all__ = sorted((*_HOME, "__version__", "errors"))  # noqa: PLE0605 - ruff reads only literal lists


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
