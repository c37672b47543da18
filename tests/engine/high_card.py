"""High Card, a game of a few lines for tests of the contract: written to a folder, with a mistake or two where asked.

Each of two seats gets a card of a small deck. The first stakes 1 or 2, the second folds or shows; the higher card wins.
"""

from __future__ import annotations

from pathlib import Path

FILES = {
    "__init__.py": """
from pathlib import Path
from simlab.game import Decision, Game, Metric, Track
from . import rules
from .state import CARDS, SEATS, STATE, STREAMS, pack_cards

GAME = Game(
    slug="high_card", title="High Card", summary="The higher card wins.", folder=Path(__file__).parent,
    seats=SEATS, endings=("fold", "show"), streams=STREAMS,
    decisions=(Decision("H-D-1", "stake"), Decision("H-D-2", "answer")),
    metrics=(Metric("staked", "points at stake"),), tracks=(Track("stake", 0, 2),),
    state=STATE, cards=CARDS, tables=(), pack_cards=pack_cards,
    initial_state=rules.initial_state, legal_actions=rules.legal_actions, apply_action=rules.apply_action,
    determinize=rules.determinize, outcome=rules.outcome, track_values=rules.track_values,
    action_label=lambda state, knobs, cards, action: f"action {action}",
    describe=lambda state, knobs, cards, seat: {"hand": str(state.hand[0 if seat is None else seat])},
    max_decisions=5, max_turns=2,
)
""",
    "state.py": """
from pathlib import Path
import numpy as np
from simlab.game import rule_index, state_type, stream_numbers

SEATS = ("first", "second")
STREAMS = ("deal",)
DEAL = stream_numbers(2, STREAMS)["deal"]
FIELDS = [("hand", np.int8, (2,)), ("deck", np.int8, (9,)), ("deck_left", np.int8), ("stake", np.int8),
          ("winner", np.int8), ("ending", np.int8)]
STATE = state_type(FIELDS, seats=2, streams=STREAMS, max_actions=3,
                   rules=len(rule_index(Path(__file__).with_name("ledger.toml"))))
CARDS = np.dtype([("none", np.int64)], align=True)

def pack_cards(tables):
    return np.zeros(1, CARDS)
""",
    "rule.py": """
from pathlib import Path
from simlab.game import rule_index
globals().update(rule_index(Path(__file__).with_name("ledger.toml")))
""",
    "rules.py": """
from simlab.compiler import kernel
from simlab.engine.streams import below, count_rule, offer, redraw_order
from . import rule
from .state import DEAL

@kernel
def initial_state(state, knobs, cards):
    for card in range(knobs.deck_size):
        state.deck[card] = card + 1
    state.deck_left = knobs.deck_size
    for seat in range(2):
        deal(state, seat)
    state.turn = 1

@kernel
def deal(state, seat):
    count_rule(state, rule.H_1)
    place = below(state, DEAL, state.deck_left)
    state.hand[seat] = state.deck[place]
    state.deck_left -= 1
    state.deck[place] = state.deck[state.deck_left]

@kernel
def legal_actions(state, knobs, cards):
    offer(state, 1)
    offer(state, 2)

@kernel
def apply_action(state, knobs, cards, action):
    if state.seat == 0:
        state.stake = action
        state.seat = 1
        state.decision = 1
    else:
        count_rule(state, rule.H_2)
        state.ending = action - 1
        state.winner = 1 if action == 2 and state.hand[1] > state.hand[0] else 0
        state.over = True

@kernel
def determinize(state, knobs, cards, seat):
    state.deck[state.deck_left] = state.hand[1 - seat]
    redraw_order(state, state.deck[: state.deck_left + 1])
    state.hand[1 - seat] = state.deck[state.deck_left]

@kernel
def outcome(state, knobs, cards, row):
    row.winner = state.winner
    row.winners = 1 << state.winner
    row.ending = state.ending
    row.turns = 1
    row.staked = state.stake

@kernel
def track_values(state, knobs, cards, values):
    values[0] = state.stake
""",
    "ledger.toml": """
[[rule]]
id = "H-1"
text = "Each seat is dealt a card."
where = "p.1"
status = "exact"
knobs = ["deck_size"]

[[rule]]
id = "H-2"
text = "The higher card wins."
where = "p.1"
status = "exact"
""",
    "knobs.toml": """
[deck_size]
default = 9
range = [4, 9]
rules = ["H-1"]
help = "cards in the deck"
""",
}


def write(folder: Path, *edits: tuple[str, str, str]) -> Path:
    """Writes the game to folder/high_card.

    Args:
        edits: (file, old, new); old must be there.
    """
    game = folder / "high_card"
    game.mkdir()
    for name, text in FILES.items():
        (game / name).write_text(text.lstrip("\n"))
    for name, old, new in edits:
        path = game / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    return game
