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
from typing import Any

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.game import Game
from simlab.games.simple_siege.labels import COUNTER_NAMES, card_name
from simlab.games.simple_siege.state import BESIEGED_ACTS, BESIEGER_ACTS, SEATS
from simlab.registry import load_game

GAME: Game = load_game("simple_siege")
RULES = tuple(rule.id for rule in GAME.rules)

#: Kinds of Fate card, in the order of fate.csv.
FATE_NAMES = ("red court", "black court", "red Joker", "black Joker")

#: A kind of Fate card beyond those in play: red, and without effect. Keeps Fate out of tests of other rules.
QUIET = 11


@cache
def _match(knobs: tuple[tuple[str, Any], ...], bots: tuple[str, str]) -> Match:
    return Match(GAME, knobs=dict(knobs), bots=dict(zip(SEATS, bots, strict=True)))


def match_of(knobs: Mapping[str, Any] | None = None, besieger: str = "random", besieged: str = "random") -> Match:
    """A match, made once for the same knobs and bots."""
    return _match(tuple(sorted((knobs or {}).items())), (besieger, besieged))


def card(name: str) -> int:
    """`10H` as the number of the card."""
    value, suit = name[:-1], name[-1]
    return "SHDC".index(suit) * 10 + (1 if value == "A" else int(value)) - 1


class Table:
    """A game at a position; acts by the names of the actions, reads back cards by their names."""

    def __init__(self, stepper: Stepper, coming: Sequence[str] | None = None) -> None:
        self.stepper = stepper
        self.coming = None if coming is None else list(coming)

    # --- what lies on the table ---

    @property
    def state(self) -> Any:
        return self.stepper.state

    def deck(self, side: str) -> str:
        """Top card first; of use while all places are settled."""
        cards = self.state.deck[SEATS.index(side), : self.size(side)]
        return " ".join(card_name(c) for c in cards[::-1])

    def size(self, side: str) -> int:
        return int(self.state.deck_len[SEATS.index(side)])

    def pile(self, side: str) -> str:
        """Bottom card first."""
        number = SEATS.index(side)
        return " ".join(card_name(c) for c in self.state.pile[number, : int(self.state.pile_len[number])])

    def aside(self, side: str) -> str:
        """Cards of the contest, first drawn first."""
        number = SEATS.index(side)
        return " ".join(card_name(c) for c in self.state.aside[number, : int(self.state.aside_len[number])])

    def known(self, side: str) -> int:
        """How many cards on top of the deck the side knows."""
        return int(self.state.known_top[SEATS.index(side)])

    @property
    def walls(self) -> int:
        return int(self.state.walls)

    @property
    def turn(self) -> int:
        return int(self.state.turn)

    @property
    def built(self) -> list[str]:
        return [name for name, stands in zip(COUNTER_NAMES, self.state.built, strict=True) if stands]

    @property
    def fate_deck(self) -> Counter[str]:
        """Cards of the Fate deck not turned up."""
        return Counter(FATE_NAMES[int(kind)] for kind in self.state.fate[: int(self.state.fate_left)])

    @property
    def fate_counts(self) -> tuple[int, int]:
        """Red and black Fate cards since the last shuffle."""
        return int(self.state.fate_seen[0]), int(self.state.fate_seen[1])

    # --- how play stands ---

    @property
    def seat(self) -> str:
        return self.stepper.seat

    @property
    def decision(self) -> str:
        """The ledger's ID of the pending decision."""
        return str(self.stepper.decision.id)

    @property
    def over(self) -> bool:
        return self.stepper.over

    @property
    def result(self) -> tuple[str, str] | None:
        """(winner, ending) of a finished game."""
        if not self.over:
            return None
        return SEATS[int(self.state.winner)], GAME.endings[int(self.state.ending)]

    @property
    def fired(self) -> Counter[str]:
        """How often each rule has fired."""
        return Counter({rule: int(n) for rule, n in zip(RULES, self.state.fired, strict=True) if n})

    # --- play ---

    def options(self) -> list[str]:
        """Names of the legal actions, a counter without its numbers: `Construct Mine`."""
        return [self.stepper.label(action).split(" (+")[0] for action in self.stepper.legal()]

    def act(self, *names: str) -> Table:
        """Carries out actions by name, each for whoever is to act."""
        for name in names:
            options = self.options()
            assert name in options, f"{self.seat} may {options}, not '{name}'"
            self._apply(self.stepper.legal()[options.index(name)])
        return self

    def order(self, cards: str) -> Table:
        """Puts the cards of a Plan back, top card first; the last one needs no naming."""
        return self.act(*(f"next from the top: {name}" for name in cards.split()))

    def choice(self) -> str:
        """What the bot of the seat to act would do."""
        action = self.stepper.copy().policy_action()
        return self.options()[self.stepper.legal().index(action)]

    def copy(self) -> Table:
        return Table(self.stepper.copy(), self.coming)

    def _apply(self, action: int) -> None:
        turned = self.fired["SS-FAT-01"]
        if self.coming:
            kinds = list(self.state.fate[: int(self.state.fate_left)])
            self.stepper.force("fate", kinds.index(FATE_NAMES.index(self.coming[0])))
        self.stepper.apply(action)
        if self.coming is None:
            return
        if self.fired["SS-FAT-01"] > turned:
            assert self.coming, "a Fate card was turned up that the scene does not name"
            self.coming.pop(0)
        elif self.coming:
            self.state.forced_n -= 1


def fresh(seed: int = 1, game: int = 0, **knobs: Any) -> Table:
    """A game as it is set up; counters of the set-up are left in."""
    return Table(Stepper(match_of(knobs), seed, game))


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
        besieger, besieged: decks, top card first, every place settled; None: the fresh deck of 40, unsettled.
        besieger_pile, besieged_pile: piles, bottom card first.
        walls: None: as the knobs say.
        built: names of the counters in play.
        to_act: whose action it is.
        known: how many cards on top of the deck a side knows.
        fate: the Fate cards to come, in order; None: cards without effect.
        turned_up: Fate cards turned up since the last shuffle.
        knobs: knobs and switches that differ from the default.
    """
    stepper = Stepper(match_of(knobs, *bots), seed=1)
    state = stepper.state
    for side, (deck, pile) in enumerate(((besieger, besieger_pile), (besieged, besieged_pile))):
        if deck is not None:
            cards = [card(name) for name in deck.split()]
            state.deck[side, : len(cards)] = cards[::-1]
            state.deck_len[side] = state.ordered[side] = len(cards)
        state.known_top[side] = (known or {}).get(SEATS[side], 0)
        discarded = [card(name) for name in pile.split()]
        state.pile[side, : len(discarded)] = discarded
        state.pile_len[side] = len(discarded)
    if walls is not None:
        state.walls = walls
    for name in built:
        state.built[COUNTER_NAMES.index(name)] = 1
    for name in turned_up:
        left = int(state.fate_left) - 1
        kinds = [int(kind) for kind in state.fate[: left + 1]]
        place = kinds.index(FATE_NAMES.index(name))
        state.fate[place], state.fate[left] = kinds[left], kinds[place]
        state.fate_left = left
        state.fate_seen[0 if name.startswith("red") else 1] += 1
    if fate is None:
        state.fate[: int(state.fate_left)] = QUIET
    state.seat = SEATS.index(to_act)
    state.decision = (BESIEGER_ACTS, BESIEGED_ACTS)[state.seat]
    state.fired[:] = 0
    return Table(stepper, fate)
