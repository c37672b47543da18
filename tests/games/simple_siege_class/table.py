"""Sets a table: one position of Simple Siege, in the rulebook's words, so that a test shows one rule.

    table = scene(besieger="5H 2H", walls=5)
    table.act("Bombard (Walls)", "draw no card")
    assert table.walls == 5 and table.fired["SS-CON-06"] == 1

Decks are written top card first, piles bottom first (the last card lies on top). Rules count from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from simlab.author.build import build
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.game import Game
from tests.games.simple_siege_class.game import PACK, Siege

GAME: Game = build(Siege, 2)
SEATS = GAME.seats
RULES = tuple(rule.id for rule in GAME.rules)
COUNTER_IDS = tuple(Siege.counters.labels)
COUNTER_NAMES = tuple(Siege.counters.name)

#: The Fate cards of a pack by number.
FATE_NAMES = ("red court",) * 6 + ("black court",) * 6 + ("red Joker", "black Joker")
#: A Fate deck without effect, which keeps Fate out of tests of other rules.
QUIET_FATE = Path(__file__).with_name("quiet_fate.csv")


@cache
def _match(knobs: tuple[tuple[str, Any], ...], bots: tuple[str, str], quiet: bool) -> Match:
    tables = {"fate": QUIET_FATE} if quiet else {}
    return Match(GAME, knobs=dict(knobs), tables=tables, bots=dict(zip(SEATS, bots, strict=True)))


def match_of(
    knobs: Mapping[str, Any] | None = None, besieger: str = "random", besieged: str = "random", quiet: bool = False
) -> Match:
    """A match, made once for the same knobs and bots."""
    return _match(tuple(sorted((knobs or {}).items())), (besieger, besieged), quiet)


class Table:
    """A game at a position; acts by the names of the actions, reads back cards by their names.

    Args:
        coming: how many Fate cards the scene names; None: any number may be turned up.
    """

    def __init__(self, stepper: Stepper, coming: int | None = None) -> None:
        self.stepper, self.coming = stepper, coming

    # --- what lies on the table ---

    @property
    def state(self) -> Any:
        return self.stepper.state

    def _cards(self, side: str, cards: str, number: str) -> list[str]:
        seat = SEATS.index(side)
        held = self.state[f"decks_{cards}"][seat, : int(self.state[f"decks_{number}"][seat])]
        return [PACK[card] for card in held]

    def deck(self, side: str) -> str:
        """Top card first."""
        return " ".join(reversed(self._cards(side, "order", "left")))

    def size(self, side: str) -> int:
        return int(self.state.decks_left[SEATS.index(side)])

    def pile(self, side: str) -> str:
        """Bottom card first."""
        return " ".join(self._cards(side, "pile", "piled"))

    def aside(self, side: str) -> str:
        """Cards of the contest, first drawn first."""
        return " ".join(self._cards(side, "laid", "aside"))

    def known(self, side: str) -> int:
        """How many cards on top of the deck the side knows."""
        return int(self.state.decks_known[SEATS.index(side)])

    @property
    def walls(self) -> int:
        return int(self.state.walls)

    @property
    def turn(self) -> int:
        return int(self.state.turn)

    @property
    def built(self) -> list[str]:
        return [name for name, stands in zip(COUNTER_NAMES, self.state.counters_built, strict=True) if stands]

    @property
    def fate_deck(self) -> Counter[str]:
        """Cards of the Fate deck not turned up."""
        return Counter(FATE_NAMES[card % 14] for card in self.state.fate_order[: int(self.state.fate_left)])

    @property
    def turned_up(self) -> list[str]:
        """Fate cards since the last shuffle, in order."""
        return [FATE_NAMES[card % 14] for card in self.state.turned_up_order[: int(self.state.turned_up_count)]]

    @property
    def fate_counts(self) -> tuple[int, int]:
        """Red and black Fate cards since the last shuffle."""
        return int(self.state.red_seen), int(self.state.black_seen)

    # --- how play stands ---

    @property
    def seat(self) -> str:
        return self.stepper.seat

    @property
    def decision(self) -> str:
        """Name of the pending decision."""
        return str(self.stepper.decision.name)

    @property
    def over(self) -> bool:
        return self.stepper.over

    @property
    def result(self) -> tuple[str, str] | None:
        """(winner, ending) of a finished game."""
        if not self.over:
            return None
        return SEATS[int(self.state.won) - 1], GAME.endings[int(self.state.ending)]

    @property
    def fired(self) -> Counter[str]:
        """How often each rule has fired."""
        return Counter({rule: int(n) for rule, n in zip(RULES, self.state.fired, strict=True) if n})

    # --- play ---

    def options(self) -> list[str]:
        """Names of the legal actions, a counter without its numbers: `Construct Mine`."""
        return [self.name(action) for action in self.stepper.legal()]

    def name(self, action: int) -> str:
        return self.stepper.label(action).split(" (+")[0]

    def act(self, *names: str) -> Table:
        """Carries out actions by name, each for whoever is to act."""
        for name in names:
            self.stepper.apply(self.numbered(name))
            if self.coming is not None:
                assert self.fired["SS-FAT-01"] <= self.coming, "a Fate card was turned up that the scene does not name"
        return self

    def numbered(self, name: str) -> int:
        """The number of a legal action; labels, which take long, are made only if its name depends on the position."""
        kind, legal = self.stepper.decision, self.stepper.legal()
        fixed = kind.actions or kind.options
        if name in fixed and fixed.index(name) in legal:
            return int(fixed.index(name))
        options = self.options()
        assert name in options, f"{self.seat} may {options}, not '{name}'"
        return legal[options.index(name)]

    def order(self, cards: str) -> Table:
        """Puts the cards of a Plan back, top card first; the last one needs no naming."""
        return self.act(*(f"next from the top: {name}" for name in cards.split()))

    def choice(self) -> str:
        """What the bot of the seat to act would do."""
        return self.name(self.stepper.copy().policy_action())

    def copy(self) -> Table:
        return Table(self.stepper.copy(), self.coming)


def fresh(seed: int = 1, game: int = 0, **knobs: Any) -> Table:
    """A game as it is set up; counters of the set-up are left in."""
    return Table(Stepper(match_of(knobs), seed, game))


@cache
def _start(match: Match, to_act: str) -> Stepper:
    """A game at the action of a side in turn 1: the Besieger has waited, and got the card back."""
    stepper = Stepper(match, seed=1)
    state, begun = stepper.state, stepper.array[0]
    if to_act == "besieged":
        Table(stepper).act("Besiege")
    for name in GAME.state.names:
        if name.startswith("decks_"):
            state[name] = begun[name]
    return stepper


def scene(
    besieger: str | None = None,
    besieged: str | None = None,
    *,
    besieger_pile: str = "",
    besieged_pile: str = "",
    walls: int | None = None,
    built: Sequence[str] = (),
    to_act: str = "besieger",
    known: Mapping[str, int] | None = None,
    fate: Sequence[str] | None = None,
    turned_up: Sequence[str] = (),
    bots: tuple[str, str] = ("random", "random"),
    **knobs: Any,
) -> Table:
    """A position in turn 1, at the start of a side's action.

    Args:
        besieger, besieged: decks, top card first; None: a fresh deck of 40.
        besieger_pile, besieged_pile: piles, bottom card first.
        walls: None: as the knobs say.
        built: names of the counters in play.
        to_act: whose action it is.
        known: how many cards on top of the deck a side knows.
        fate: the Fate cards to come, in order; None: cards without effect.
        turned_up: Fate cards turned up since the last shuffle.
        knobs: knobs and switches that differ from the default.
    """
    stepper = _start(match_of(knobs, *bots, quiet=fate is None), to_act).copy()
    state = stepper.state
    for side, (deck, pile) in enumerate(((besieger, besieger_pile), (besieged, besieged_pile))):
        if deck is not None:
            cards = [PACK.index(name) for name in deck.split()]
            state.decks_order[side, : len(cards)] = cards[::-1]
            state.decks_left[side] = len(cards)
        state.decks_known[side] = (known or {}).get(SEATS[side], 0)
        discarded = [PACK.index(name) for name in pile.split()]
        state.decks_pile[side, : len(discarded)] = discarded
        state.decks_piled[side] = len(discarded)
    if walls is not None:
        state.walls = walls
    for name in built:
        state.counters_built[COUNTER_NAMES.index(name)] = 1
    stack_fate(state, turned_up, fate or ())
    state.fired[:] = 0
    return Table(stepper, None if fate is None else len(fate))


def stack_fate(state: Any, turned_up: Sequence[str], coming: Sequence[str]) -> None:
    """Turns Fate cards up, and puts the coming ones on top of the Fate deck, the first one uppermost."""
    deck = [int(card) for card in state.fate_order[: int(state.fate_left)]]

    def take(name: str) -> int:
        return deck.pop(next(place for place, card in enumerate(deck) if FATE_NAMES[card % 14] == name))

    for place, name in enumerate(turned_up):
        state.turned_up_order[place] = take(name)
        state["red_seen" if name.startswith("red") else "black_seen"] += 1
    state.turned_up_count = len(turned_up)
    deck += reversed([take(name) for name in coming])
    state.fate_order[: len(deck)] = deck
    state.fate_left = state.fate_mixed = len(deck)
