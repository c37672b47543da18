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
    from simlab.api import ladder as ladder
    from simlab.api import load as load
    from simlab.api import mend as mend
    from simlab.api import plan as plan
    from simlab.api import replay as replay
    from simlab.api import run as run
    from simlab.api import sweep as sweep
    from simlab.api import tune as tune
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
    from simlab.registry import find_bots as find_bots
    from simlab.registry import find_games as find_games
    from simlab.registry import load_game as load_game

_HOME = {
    "run": "simlab.api",
    "sweep": "simlab.api",
    "tune": "simlab.api",
    "compare": "simlab.api",
    "exploit": "simlab.api",
    "ladder": "simlab.api",
    "plan": "simlab.api",
    "discover": "simlab.api",
    "check": "simlab.api",
    "diff": "simlab.api",
    "replay": "simlab.api",
    "load": "simlab.api",
    "mend": "simlab.api",
    "find_games": "simlab.registry",
    "load_game": "simlab.registry",
    "find_bots": "simlab.registry",
    "Game": "simlab.game",
    "Knob": "simlab.game",
    "Decision": "simlab.game",
    "Metric": "simlab.game",
    "Track": "simlab.game",
    "TableSchema": "simlab.game",
    "Column": "simlab.game",
    "Policy": "simlab.game",
    "policy": "simlab.game",
    "Trait": "simlab.game",
    "kernel": "simlab.compiler",
    "metric": "simlab.engine.custom_metrics",
    "Match": "simlab.engine.match",
    "Stepper": "simlab.engine.stepper",
    "SimlabError": "simlab.errors",
    "InputError": "simlab.errors",
}

__all__ = [
    "Column",
    "Decision",
    "Game",
    "InputError",
    "Knob",
    "Match",
    "Metric",
    "Policy",
    "SimlabError",
    "Stepper",
    "TableSchema",
    "Track",
    "Trait",
    "__version__",
    "check",
    "compare",
    "diff",
    "discover",
    "errors",
    "exploit",
    "find_bots",
    "find_games",
    "kernel",
    "ladder",
    "load",
    "load_game",
    "mend",
    "metric",
    "plan",
    "policy",
    "replay",
    "run",
    "sweep",
    "tune",
]


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for (PEP 562)."""
    if name == "errors":
        return import_module("simlab.errors")
    if name not in _HOME:
        raise AttributeError(f"module 'simlab' has no attribute '{name}'")
    thing: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = thing
    return thing


def __dir__() -> list[str]:
    return __all__
