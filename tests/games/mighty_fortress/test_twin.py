"""From the end of an Action Phase to the begin of the next, and in the final score, the game agrees with its twin
(reference.py), on positions of random play under random knobs and switches.

The twin is told which cards and dice come, asks the same questions, gets the same answers, and must stand at the same
position at every question and at the end.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.games.mighty_fortress.state import CITY, ON_TRACK
from tests.games.mighty_fortress import reference
from tests.games.mighty_fortress.reference import City, Over
from tests.games.mighty_fortress.table import CITIES, ELDERS, GAME, LETTERS, OUTSIDERS, PRINTED

TRACKS = (
    "defense", "entrenchment", "bombardment", "consumption", "cohesion", "unrest", "pressure", "piety", "influence",
    "food", "materials", "luxuries", "vp",
)  # fmt: skip
KNOBS = [
    n for n in GAME.knobs
    if not n.startswith("blank_")  # the twin reads the printed tables
    and n not in ("turn_limit", "repel_max", "strong_repel_max", "breach_max", "food_max", "food_start")
]  # fmt: skip
RATING = {str(r["name"]): int(r["rating"]) for table in ("outsiders", "cities") for r in PRINTED[table]}
EFFECTS: dict[Any, str] = {str(r["id"]): str(r["effect"]) for r in PRINTED["fate"]}
EFFECTS |= {int(r["roll"]): str(r["effect"]) for r in PRINTED["decrees"]}
FATE = [str(r["id"]) for r in PRINTED["fate"]]
ENDINGS = ("bombardment", "unrest", "traitor", "card")
ROLLS = 20  # Assault Checks that one passage may see


def random_knobs(luck: random.Random) -> dict[str, Any]:
    """A few knobs and switches off their defaults."""
    knobs: dict[str, Any] = {"turn_limit": luck.randint(8, 20)}
    for name in luck.sample(KNOBS, luck.randint(0, 12)):
        knob = GAME.knobs[name]
        if knob.kind == "int":
            knobs[name] = luck.randint(int(knob.low), int(knob.high))
        else:
            knobs[name] = luck.choice(knob.options or (True, False))
    return knobs


def name_of(card: int) -> str | None:
    return None if card < 0 else CITIES[card - CITY] if card >= CITY else OUTSIDERS[card]


def dice_of(state: Any, where: str) -> list[str]:
    counts = enumerate(state[where].tolist())
    if where == "exhausted":
        return [LETTERS[c] for c, n in counts for _ in range(n)]
    return [f"{LETTERS[d // 6]}{d % 6 + 1}" for d, n in counts for _ in range(n)]


def boxes(state: Any, where: str) -> dict[str, int]:
    return {LETTERS[c]: int(state[where][c]) for c in range(5)}


def abilities(state: Any) -> Counter[str]:
    total: Counter[str] = Counter()
    tableau = int(state.tableau)
    for number, words in enumerate(str(row["ability"]).split() for row in PRINTED["outsiders"]):
        if tableau >> number & 1 and words[0] != "once":
            total[words[0]] += int(words[1]) if len(words) > 1 else 1
    return total


def supports(state: Any) -> dict[str, int]:
    return {CITIES[c]: int(v) for c, v in enumerate(state.support) if int(v) >= 0}


class PassedBy(Exception):
    """No die came, so nothing was asked, and the game is a turn further: what came cannot be observed."""


class Observed:
    """The chance of a passage: Assault rolls as loaded; cards and dice as they came to lie."""

    def __init__(self, stepper: Stepper, rolls: list[int]) -> None:
        self.stepper, self.rolls, self.used = stepper, rolls, 0
        self.turn = int(stepper.state.turn)

    def look(self) -> None:
        if int(self.stepper.state.turn) > self.turn + 1:
            raise PassedBy

    def assault(self) -> int:
        self.used += 1
        return self.rolls[self.used - 1]

    def decree(self) -> int:
        self.look()
        return int(self.stepper.state.decree)

    def fate(self) -> str:
        self.look()
        return FATE[int(self.stepper.state.fate_drawn)]

    def card(self, slot: int, deck: set[str]) -> str:
        card = name_of(int(self.stepper.state.queue[slot]))
        assert card in deck
        return card

    def dice(self, held: list[str], bag: dict[str, int], coloured: int, black: int) -> list[str]:
        self.look()
        dice = dice_of(self.stepper.state, "avail")
        colours = Counter(d[0] for d in dice)
        kept = Counter(held)
        if self.stepper.match.knobs_resolved["held_reroll"]:
            kept = Counter()
        assert kept <= Counter(dice)
        assert colours["K"] == black
        drawn = colours - Counter(d[0] for d in held)
        del drawn["K"]
        assert sum(drawn.values()) == coloured
        assert drawn <= Counter(bag)
        return dice


def twin_of(stepper: Stepper) -> City:
    s, knobs = stepper.state, stepper.match.knobs_resolved
    return City(
        tracks={name: int(s[name]) for name in TRACKS},
        knobs=knobs, effects=EFFECTS, rating=RATING, ability=abilities(s),
        turn=int(s.turn), requirement=int(s.requirement),
        available=dice_of(s, "avail"), exhausted=dice_of(s, "exhausted"),
        bag=boxes(s, "bag"), lost=boxes(s, "lost"),
        black_pool=int(s.black_pool), black_dead=int(s.black_dead),
        black_drawn=int(s.black_drawn), black_executed=int(s.black_executed_turn),
        queue=[name_of(int(c)) for c in s.queue],
        deck={str(name_of(int(c))) for c in s.deck[: int(s.deck_left)]},
        discard=[str(name_of(int(c))) for c in s.discard[: int(s.discard_len)]],
        support=supports(s), cities=CITIES,
        reached={n for n in ("piety", "influence") if bool(s[f"{n}_reached"])},
    )  # fmt: skip


def compare(stepper: Stepper, twin: City) -> None:
    s = stepper.state
    assert {name: int(s[name]) for name in TRACKS} == twin.tracks
    assert int(s.siege_strength) == twin.siege_strength
    assert Counter(dice_of(s, "avail")) == Counter(twin.available)
    assert Counter(dice_of(s, "held")) == Counter(twin.held)
    assert boxes(s, "lost") == twin.lost
    assert (int(s.black_pool), int(s.black_dead)) == (twin.black_pool, twin.black_dead)
    assert [name_of(int(c)) for c in s.queue] == twin.queue
    assert {name_of(int(c)) for c in s.deck[: int(s.deck_left)]} == twin.deck
    assert Counter(name_of(int(c)) for c in s.discard[: int(s.discard_len)]) == Counter(twin.discard)
    assert supports(s) == twin.support
    assert {n for n in ("piety", "influence") if bool(s[f"{n}_reached"])} == twin.reached


def options(stepper: Stepper) -> tuple[str, dict[Any, int]]:
    """The pending question in the twin's words, and the action behind each answer."""
    kind = stepper.decision.id
    legal = stepper.legal()
    if kind == "MF-D-06":
        return "choice", {a: a for a in legal}
    if kind == "MF-D-07":
        if stepper.label(legal[0]).startswith("Support"):
            return "city", {CITIES[a]: a for a in legal}
        return "recover", {LETTERS[a]: a for a in legal}
    names = {"MF-D-04": "casualty", "MF-D-05": "unfed", "MF-D-09": "hold"}
    last = {"MF-D-05": {42: "feed"}, "MF-D-09": {36: "stop"}}.get(kind, {})
    return names[kind], {
        last.get(a, f"{LETTERS[a // 6]}{a % 6 + 1}" if a < 36 else LETTERS[a % 6]): a for a in legal
    }  # fmt: skip


def upset(stepper: Stepper, luck: random.Random) -> None:
    """Tracks anywhere in their ranges, so that the ends come up often."""
    s, knobs = stepper.state, stepper.match.knobs_resolved
    ranges = dict.fromkeys(("defense", "entrenchment", "consumption", "cohesion", "pressure"), 5)
    ranges |= {"bombardment": 4, "unrest": 10, "piety": 10, "influence": 10, "materials": 6, "luxuries": 6}
    for name, high in ranges.items():
        if luck.random() < 0.5:
            s[name] = luck.randint(0, high)
            if name in ("piety", "influence"):
                s[f"{name}_reached"] = bool(s[f"{name}_reached"]) or int(s[name]) == 10
    if luck.random() < 0.5:
        s.food = luck.randint(0, min(15, int(knobs["food_max"])))
    if luck.random() < 0.5:
        s.requirement = luck.randint(1, 5)
    if luck.random() < 0.3:
        s.vp = luck.randint(0, 60)
    if luck.random() < 0.1:
        nothing_in_play(s)
    if luck.random() < 0.2:
        on_the_brink(s, int(knobs["support_goal"]) - 1, luck)


def nothing_in_play(s: Any) -> None:
    """All coloured dice in the bag, so that a casualty finds none."""
    for colour in range(5):
        n = int(s.avail_of[colour]) + int(s.exhausted[colour])
        s.bag[colour] += n
        s.bag_count += n
        s.avail_of[colour] = s.exhausted[colour] = 0
    s.avail[:30] = 0
    s.held[:] = 0
    s.held_count = 0
    s.avail_mask &= ~((1 << 30) - 1)


def on_the_brink(s: Any, support: int, luck: random.Random) -> None:
    """Three cities out of the deck on the Support Track, one short of their goal."""
    deck = s.deck[: int(s.deck_left)].tolist()
    for card in luck.sample(deck, len(deck)):
        if card >= CITY and len(supports(s)) < 3:
            deck.remove(card)
            s.support[card - CITY] = support
            s.on_track |= 1 << (card - CITY)
            s.card_place[card] = ON_TRACK
    s.deck_left = len(deck)
    s.deck[: len(deck)] = deck


def passage(stepper: Stepper, luck: random.Random, seen: Counter[str]) -> None:
    """Ends the Action Phase and goes on to the next, twin and game abreast."""
    rolls = [luck.randint(4, 12) if luck.random() < 0.8 else luck.randint(1, 12) for _ in range(ROLLS)]
    stepper.force("assault", *(r - 1 for r in rolls))
    twin = twin_of(stepper)
    twin.chance = chance = Observed(stepper, rolls)
    told: str | None = None
    stepper.apply(0)
    play = twin.to_next_action_phase()
    answer: Any = None
    try:
        while True:
            kind, wanted = play.send(answer)
            compare(stepper, twin)
            asked, actions = options(stepper)
            assert (asked, sorted(map(str, actions))) == (kind, sorted(map(str, wanted)))
            answer = luck.choice(wanted)
            seen[kind] += 1
            stepper.apply(actions[answer])
    except PassedBy:
        stepper.state.forced_n = 0
        seen["passed by"] += 1
        return
    except StopIteration:
        if stepper.over or stepper.decision.id != "MF-D-01" or int(stepper.state.turn) > twin.turn:
            assert not twin.available
            stepper.state.forced_n = 0
            seen["passed by"] += 1
            return
        compare(stepper, twin)
        s = stepper.state
        assert (int(s.turn), int(s.requirement), int(s.black_drawn)) == (
            twin.turn, twin.requirement, twin.black_drawn,
        )  # fmt: skip
        assert (int(s.bill), int(s.unfed)) == (twin.bill, twin.unfed)
        assert (boxes(s, "bag"), dice_of(s, "exhausted")) == (twin.bag, sorted(twin.exhausted, key=LETTERS.index))
        used = ("ration_used", "patrol_used", "counter_used", "deconstruct_used", "blue_used", "yellow_used")
        assert not any(bool(s[name]) for name in used)
        seen["hungry turn"] += twin.unfed > 0
    except Over as over:
        told = str(over)
        assert stepper.over
        finish(stepper, told)
        seen[told] += 1
    assert int(stepper.state.forced_n) == ROLLS - chance.used
    if chance.used:
        assert int(stepper.state.assault_total) == twin.last_total
    stepper.state.forced_n = 0
    seen["assaults"] += chance.used
    seen["passages"] += 1


def finish(stepper: Stepper, told: str) -> None:
    """The ending, and the score in its parts."""
    s, row = stepper.state, stepper.row()
    ending = GAME.endings[int(row["ending"])]
    if told.startswith("breach"):
        assert (ending, row["score"]) == (told, [0])
        return
    parts = reference.score(
        {n: int(s[n]) for n in TRACKS},
        sum(int(r["vp"]) for i, r in enumerate(PRINTED["outsiders"]) if int(s.tableau) >> i & 1),
        sum(int(e) >= 0 for e in s.space),
        sum(int(r["vp"]) for i, r in enumerate(PRINTED["elders"]) if i < len(ELDERS) and int(s.elder_state[i]) == 2),
        {n for n in ("piety", "influence") if bool(s[f"{n}_reached"])},
        stepper.match.knobs_resolved,
    )
    assert {name: row[f"vp_{name}"] for name in parts} == parts
    assert row["score"] == [sum(parts.values())]
    assert ending == reference.band(told == "major victory", sum(parts.values()))


def end_in_words(stepper: Stepper) -> str:
    """How the game ended, told from the position."""
    s, knobs = stepper.state, stepper.match.knobs_resolved
    if sum(int(v) >= int(knobs["support_goal"]) for v in s.support) >= int(knobs["cities_needed"]):
        return "major victory"
    total = int(s.assault_total)
    if int(s.assault_turn) == int(s.turn) and total <= int(knobs["breach_max"]):
        return f"breach_{ENDINGS[int(s.assault_cause) - 1]}"
    return "survival"


def play(seed: int, tables: int) -> Counter[str]:
    luck = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(tables):
        bot = luck.choice(("random", "warden", "zealot", "apostle"))
        match = Match(GAME, knobs=random_knobs(luck), bots={"player": bot})
        for game in range(6):
            stepper = Stepper(match, seed, game)
            while not stepper.over:
                if stepper.decision.id == "MF-D-01" and (luck.random() < 0.25 or stepper.legal() == [0]):
                    if luck.random() < 0.4:
                        upset(stepper, luck)
                    passage(stepper, luck, seen)
                    continue
                action = stepper.policy_action()
                if stepper.decision.id == "MF-D-01" and action == 0:
                    passage(stepper, luck, seen)
                    continue
                stepper.apply(action)
                if stepper.over:  # by an action, or by the phases after it, as nothing is asked when no die is left
                    finish(stepper, how := end_in_words(stepper))
                    seen[how] += 1
    return seen


def test_game_and_twin_agree_between_action_phases() -> None:
    seen = play(0, 100)
    assert seen["passages"] > 2500
    assert seen["passed by"] < 50
    everything = (
        "hold", "unfed", "casualty", "choice", "city", "recover", "assaults", "survival", "major victory",
        *(f"breach_{cause}" for cause in ENDINGS),
    )  # fmt: skip
    assert [kind for kind in everything if not seen[kind]] == []


@pytest.mark.long
def test_game_and_twin_agree_at_length() -> None:
    assert play(99, 2_000)["passages"] > 50_000
