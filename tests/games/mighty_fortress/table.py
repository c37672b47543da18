"""Sets a table: one position of the game, in the rulebook's words, so that a test shows one rule.

    table = scene(dice="B4 W6 W1", queue=["Refugee Families"])
    table.act("Convert Refugee Families (slot 1)", "commit Blue 4", ...)
    assert table.tableau == ["Refugee Families"] and table.fired["MF-CNV-01"] == 1

Dice are written by the first letter of their colour, K for Black: `B4` a Blue die with pip 4; Exhausted
ones without a pip. Fate and decrees are without effect unless a scene brings its own. Rules count from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.game import Game, read_text
from simlab.games.mighty_fortress.labels import DICE_NAMES
from simlab.games.mighty_fortress.state import (
    ACTION,
    ACTION_PHASE,
    ACTION_STEP,
    CITY,
    COLOURS,
    EMPTY,
    IN_DECK,
    IN_QUEUE,
    IN_TABLEAU,
    ON_TRACK,
    SEATED,
    SLOTS,
)
from simlab.registry import load_game

GAME: Game = load_game("mighty_fortress")
RULES = tuple(rule.id for rule in GAME.rules)
HERE = Path(__file__).parent
QUIET = {"fate": HERE / "quiet_fate.csv", "decrees": HERE / "quiet_decrees.csv"}
LETTERS = "WYRBPK"
PRINTED = GAME.read_tables()
OUTSIDERS = [str(row["name"]) for row in PRINTED["outsiders"]]
CITIES = [str(row["name"]) for row in PRINTED["cities"]]
ELDERS = [str(row["name"]) for row in PRINTED["elders"]]


@cache
def _match(knobs: tuple[tuple[str, Any], ...], tables: tuple[tuple[str, Path], ...], bot: str) -> Match:
    return Match(GAME, knobs=dict(knobs), tables=dict(tables), bots={"player": bot})


def match_of(
    knobs: Mapping[str, Any] | None = None, bot: str = "random", tables: Mapping[str, Path] | None = None
) -> Match:
    """A match, made once for the same knobs, tables and bot."""
    return _match(tuple(sorted((knobs or {}).items())), tuple(sorted((tables or {}).items())), bot)


def die(text: str) -> int:
    """`B4` as the class of the die, `B` as that of an Exhausted one."""
    colour = LETTERS.index(text[0])
    return 6 * colour + int(text[1]) - 1 if len(text) > 1 else 36 + colour


def card(name: str) -> int:
    """Number of an Outsider or a Nearby City."""
    return OUTSIDERS.index(name) if name in OUTSIDERS else CITY + CITIES.index(name)


class Table:
    """A game at a position; acts by the names of the actions, reads back by names."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper

    def __getattr__(self, name: str) -> int:
        """A number of the state: `table.food`."""
        return int(self.stepper.state[name])

    @property
    def state(self) -> Any:
        return self.stepper.state

    @property
    def available(self) -> str:
        """Available dice, `W4 B6`."""
        s = self.state
        return " ".join(f"{LETTERS[d // 6]}{d % 6 + 1}" for d in range(36) for _ in range(int(s.avail[d])))

    @property
    def held(self) -> str:
        s = self.state
        return " ".join(f"{LETTERS[d // 6]}{d % 6 + 1}" for d in range(36) for _ in range(int(s.held[d])))

    def colours(self, name: str) -> str:
        """Dice by colour of `exhausted`, `lost` or `bag`: `WWR`."""
        return "".join(LETTERS[c] * int(n) for c, n in enumerate(self.state[name]))

    @property
    def queue(self) -> list[str | None]:
        names = self.stepper.match.cards["card_name"][0]
        return [None if c == EMPTY else read_text(names[c]) for c in self.state.queue]

    @property
    def tableau(self) -> list[str]:
        return [name for i, name in enumerate(OUTSIDERS) if (int(self.state.tableau) >> i) & 1]

    @property
    def council(self) -> list[str]:
        return [ELDERS[e] for e in self.state.space if e != EMPTY]

    def support(self, city: str) -> int:
        """Support of a city; -1 off the track."""
        return int(self.state.support[CITIES.index(city)])

    @property
    def decision(self) -> str:
        """The ledger's ID of the pending decision."""
        return str(self.stepper.decision.id)

    @property
    def over(self) -> bool:
        return self.stepper.over

    @property
    def ending(self) -> str:
        return GAME.endings[int(self.stepper.row()["ending"])]

    @property
    def fired(self) -> Counter[str]:
        """How often each rule has fired."""
        return Counter({rule: int(n) for rule, n in zip(RULES, self.state.fired, strict=True) if n})

    def options(self) -> list[str]:
        """Names of the legal actions."""
        return [self.stepper.label(action) for action in self.stepper.legal()]

    def act(self, *names: str) -> Table:
        """Carries out actions by name, what follows a colon left out."""
        for name in names:
            options = self.options()
            found = [i for i, option in enumerate(options) if option == name or option.startswith(name + ":")]
            assert found, f"{self.decision}: {options}, not '{name}'"
            self.stepper.apply(self.stepper.legal()[found[0]])
        return self

    def end(self) -> Table:
        """Ends the Action Phase. A coloured die left over brings the decision which to hold, before Fate."""
        return self.act("end the Action Phase")

    def roll(self, stream: str, *values: int) -> Table:
        """Loads dice as they show, from 1: `roll("assault", 7)`."""
        self.stepper.force(stream, *(v - 1 for v in values))
        return self

    def choice(self) -> str:
        """What the bot would do."""
        action = self.stepper.copy().policy_action()
        return self.stepper.label(action)


def fresh(seed: int = 1, game: int = 0, quiet: bool = False, **knobs: Any) -> Table:
    """A game as it is set up, at its first decision; counters of the set-up are left in."""
    return Table(Stepper(match_of(knobs, tables=QUIET if quiet else {}), seed, game))


TRACKS = (
    "defense", "entrenchment", "bombardment", "consumption", "cohesion", "unrest", "pressure", "piety",
    "influence", "food", "materials", "luxuries", "vp", "turn",
)  # fmt: skip


def scene(
    dice: str = "",
    exhausted: str = "",
    *,
    queue: Sequence[str | None] = (),
    tableau: Sequence[str] = (),
    council: Sequence[str] = (),
    support: Mapping[str, int] | None = None,
    lost: str = "",
    bag: str | None = None,
    strength: int | None = None,
    drawn: int | None = None,
    requirement: int | None = None,
    discard: Sequence[str] = (),
    deck: Sequence[str] | None = None,
    bot: str = "random",
    tables: Mapping[str, Path] | None = None,
    seed: int = 1,
    **rest: Any,
) -> Table:
    """A position in the Action Phase, all else as at the start of the game: turn 2, nothing in the Queue.

    Args:
        dice: Available dice; exhausted, lost, bag: colours (by default the bag holds the others of the 31).
        queue: cards by slot from 1, None for an empty slot.
        support: city -> Support.
        strength: Siege Strength, in place of that of the Queue, as long as the Queue stays.
        drawn: Black dice drawn this turn; by default those in `dice` and `exhausted`.
        deck: the cards left in the Outsider deck.
        rest: tracks and resources by name; every other name is a knob.
    """
    tracks = {name: rest.pop(name) for name in TRACKS if name in rest}
    stepper = Stepper(match_of(rest, bot, {**QUIET, **(tables or {})}), seed)
    s = stepper.state
    for name in ("avail", "avail_of", "exhausted", "held", "lost", "ability", "fired", "dice_used"):
        s[name][:] = 0
    s.avail_mask = s.held_count = s.black_pool = s.black_dead = 0
    owned = Counter({c: int(stepper.match.knobs_resolved[f"dice_{n.lower()}"]) for c, n in enumerate(COLOURS)})
    for text in dice.split():
        d = die(text)
        s.avail[d] += 1
        s.avail_mask |= 1 << d
        s.avail_of[d // 6] += 1
        owned[d // 6] -= 1
    for where, colours in (("exhausted", exhausted), ("lost", lost)):
        for letter in colours.replace(" ", ""):
            s[where][LETTERS.index(letter)] += 1
            owned[LETTERS.index(letter)] -= 1
    s.black_pool = owned.pop(5)
    s.bag[:] = [owned[c] for c in range(5)] if bag is None else [bag.count(x) for x in LETTERS[:5]]
    s.bag_count = int(s.bag.sum())
    s.black_drawn = int(s.avail_of[5] + s.exhausted[5]) if drawn is None else drawn
    set_cards(s, stepper.match.cards, queue, tableau, council, support or {}, discard, deck)
    values = dict.fromkeys(TRACKS, 0) | {"defense": 2, "cohesion": 2, "consumption": 1, "food": 20, "turn": 2}
    for name, value in (values | tracks).items():
        s[name] = value
    s.siege_strength = min(sum(int(stepper.match.cards["rating"][0][c]) for c in s.queue if c != EMPTY), 5)
    if strength is not None:
        s.siege_strength = strength
    s.requirement_base = s.requirement = max(1, int(s.pressure) - 1) if requirement is None else requirement
    s.phase, s.step, s.decision, s.asking, s.options, s.pc = ACTION_PHASE, ACTION_STEP, ACTION, True, 0, 0
    for name in ("ration_used", "patrol_used", "black_executed_turn", "requirement_mod", "actions_taken"):
        s[name] = 0
    return Table(stepper)


def set_cards(
    s: Any,
    cards: Any,
    queue: Sequence[str | None],
    tableau: Sequence[str],
    council: Sequence[str],
    support: Mapping[str, int],
    discard: Sequence[str],
    deck: Sequence[str] | None,
) -> None:
    """Puts the cards where a scene wants them; the others lie in the deck."""
    s.queue[:] = EMPTY
    s.space[:] = EMPTY
    s.elder_state[:] = 0
    s.support[:] = -1
    s.tableau = 0
    present = {int(c) for c in range(s.card_place.size) if int(s.card_place[c]) in (IN_DECK, IN_QUEUE)}
    for slot, name in enumerate(queue):
        assert slot < SLOTS
        if name is not None:
            s.queue[slot] = card(name)
            s.card_place[card(name)] = IN_QUEUE
            present.discard(card(name))
    for name in tableau:
        number = card(name)
        s.tableau |= 1 << number
        s.card_place[number] = IN_TABLEAU
        present.discard(number)
        ability = int(cards["ability"][0][number])
        if ability >= 0:
            s.ability[ability] += cards["ability_n"][0][number]
    for space, name in enumerate(council):
        s.space[space] = ELDERS.index(name)
        s.elder_state[ELDERS.index(name)] = SEATED
    for name, value in support.items():
        s.support[CITIES.index(name)] = value
        s.on_track |= 1 << CITIES.index(name)
        s.card_place[card(name)] = ON_TRACK
        present.discard(card(name))
    s.discard_len = len(discard)
    for i, name in enumerate(discard):
        s.discard[i] = card(name)
        s.card_place[card(name)] = 2
        present.discard(card(name))
    left = sorted(present) if deck is None else [card(name) for name in deck]
    s.deck_left = len(left)
    s.deck[: len(left)] = left
    for number in left:
        s.card_place[number] = IN_DECK


def dice_names(text: str) -> list[str]:
    """`B4 W6` as the names that actions bear."""
    return [DICE_NAMES[die(t)] for t in text.split()]
