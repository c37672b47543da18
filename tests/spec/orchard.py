"""Orchard, a game made up for the tests of experiments: to be configured in every way, never played."""

from __future__ import annotations

from pathlib import Path

_GAME = '''
"""Orchard: pickers and crows."""
from pathlib import Path

import numpy as np

from simlab.game import Column, Decision, Game, Metric, TableSchema, Track, state_type

STATE = state_type([("baskets", np.int8)], seats=2, streams=["weather"], max_actions=2, rules=1)
CARDS = np.dtype([("fruit", np.int64, (2,))])


def pack_cards(tables):
    packed = np.zeros(1, CARDS)
    packed["fruit"] = [row["fruit"] for row in tables["trees"]]
    return packed


def play(*whatever):
    pass


def label(state, knobs, cards, action):
    return "pick"


def check_knobs(knobs):
    if knobs["baskets"] <= knobs["ladder"]:
        return []
    return [f"baskets = {knobs['baskets']} is above ladder = {knobs['ladder']} (OR-01)."]


GAME = Game(
    slug="orchard", title="Orchard", summary="Pick before the crow does.", folder=Path(__file__).parent,
    seats=("picker", "crow"), endings=("harvest", "bare"), streams=("weather",),
    decisions=(Decision("OR-D-01", "what to pick"),), metrics=(Metric("fruits", "fruits picked"),),
    tracks=(Track("baskets", 0, 9),), state=STATE, cards=CARDS,
    tables=(TableSchema("trees", (Column("id"), Column("fruit", "int", 0, 9)), "id", (2, 2)),),
    pack_cards=pack_cards, initial_state=play, legal_actions=play, apply_action=play, determinize=play,
    outcome=play, track_values=play, action_label=label, describe=label, check_knobs=check_knobs,
    max_decisions=10, max_turns=10,
)
'''

_BOTS = '''
"""Bots of Orchard."""
from simlab.game import Trait, policy


@policy("orchard", seats=["picker"], traits={"reach": Trait(2, 0, 9, "how high it picks")})
def climber(state, knobs, cards, traits):
    """Picks from the top."""
    return 0


@policy("orchard", seats=["picker"])
def gatherer(state, knobs, cards, traits):
    """Picks from the ground."""
    return 0


@policy("orchard", seats=["crow"])
def thief(state, knobs, cards, traits):
    """Picks what shines."""
    return 0
'''

_KNOBS = """
[baskets]
default = 5
range = [3, 9]
unit = "baskets"
rules = ["OR-01"]
help = "baskets to fill"

[ladder]
default = 9
range = [3, 9]
rules = ["OR-01"]
help = "highest rung"

[ripeness]
default = 0.5
range = [0.0, 1.0]
rules = ["OR-01"]
help = "share of ripe fruit"

[wind]
default = false
rules = ["OR-01"]
help = "whether fruit falls"

[weather]
default = "calm"
options = ["calm", "storm"]
rules = ["OR-01"]
help = "how the day begins"

[apples]
default = { table = "trees", row = "apple", column = "fruit" }
range = [1, 6]
rules = ["OR-01"]
help = "apples on the tree"
"""

_LEDGER = """
[[rule]]
id = "OR-01"
text = "Fill the baskets."
where = "line 1"
status = "exact"
"""

TREES = "id,fruit,source\napple,3,rulebook\npear,2,reconstructed\n"

OWN_BOT = '''
from simlab.game import Trait, policy


@policy("orchard", traits={"patience": Trait(1, 0, 5, "how long it waits")})
def patient(state, knobs, cards, traits):
    """Waits."""
    return 0
'''


def write_orchard(folder: Path) -> Path:
    """The game's folder, `orchard` in the given one."""
    game = folder / "orchard"
    game.mkdir(parents=True)
    for name, text in (
        ("__init__.py", _GAME),
        ("bots.py", _BOTS),
        ("knobs.toml", _KNOBS),
        ("ledger.toml", _LEDGER),
        ("trees.csv", TREES),
    ):
        (game / name).write_text(text, encoding="utf-8")
    return game
