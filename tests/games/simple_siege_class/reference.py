"""Simple Siege as plain lists and loops: the slow oracle the compiled game is compared with.

Written from the rule ledger alone: random streams, components, set-up, turn, Besieger's actions, Besieged's
actions, equipment, contests, Plan, Resupply and Rationing, Fate, decks, end. Nothing here is imported by the
program under test, and nothing of that program is imported here.

A deck is a list with index 0 at the bottom and the last element on top; a pile likewise.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

# --- Random streams -----------------------------------------------------------------------------------------

WORD = 1 << 32

BOT_STREAM = (0, 1)
NAMED = 255  # number of all streams that have a name
DECK_STREAM = ("decks[0]", "decks[1]")
FATE_STREAM = "fate"


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Four 32-bit words out of a 4-word counter and a 2-word key: Philox4x32-10.

    Source: Salmon, Moraes, Dror, Shaw (2011), Parallel random numbers: as easy as 1, 2, 3.
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        product_0 = 0xD2511F53 * c0
        product_1 = 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (
            (product_1 >> 32) ^ c1 ^ k0,
            product_1 % WORD,
            (product_0 >> 32) ^ c3 ^ k1,
            product_0 % WORD,
        )
        k0 = (k0 + 0x9E3779B9) % WORD
        k1 = (k1 + 0xBB67AE85) % WORD
    return c0, c1, c2, c3


class Stream:
    """One stream of 32-bit words, given by seed (64 bits), game (64 bits), stream number, epoch and name."""

    def __init__(self, seed: int, game: int, number: int = NAMED, epoch: int = 0, name: str = "") -> None:
        self.key = (seed % WORD, (seed >> 32) % WORD)
        self.counter_tail = (number + (epoch << 8), game % WORD, (game >> 32) % WORD ^ zlib.crc32(name.encode()))
        self.words_used = 0

    def word(self) -> int:
        """The next word: block b of the counter holds the words 4b .. 4b+3."""
        block, place = divmod(self.words_used, 4)
        self.words_used += 1
        return philox((block, *self.counter_tail), self.key)[place]

    def below(self, n: int) -> int:
        """A whole number in 0..n-1, all equally likely; at least one word is used, also for n = 1.

        Source: Lemire (2019), Fast random integer generation in an interval.
        """
        if n < 1:
            raise ValueError(f"below needs n >= 1, got {n}")
        product = self.word() * n
        low = product % WORD
        if low < n:
            threshold = (WORD - n) % n
            while low < threshold:
                product = self.word() * n
                low = product % WORD
        return product >> 32

    def shuffle(self, deck: list[Any]) -> None:
        """Source: Durstenfeld (1964), Algorithm 235: random permutation."""
        for last in range(len(deck) - 1, 0, -1):
            other = self.below(last + 1)
            deck[last], deck[other] = deck[other], deck[last]


# --- Components ---------------------------------------------------------------------------------------------

BESIEGER, BESIEGED = 0, 1

SPADES, HEARTS, DIAMONDS, CLUBS = 0, 1, 2, 3
SUIT_LETTERS = "SHDC"

RED_COURT, BLACK_COURT, RED_JOKER, BLACK_JOKER = 0, 1, 2, 3

COUNTERS = (
    "mine", "tower", "ladders", "trebuchet", "catapult", "ammunition", "camp1", "camp2", "camp3",
)  # fmt: skip
ASSAULT_COUNTERS = (0, 1, 2)
BOMBARD_COUNTERS = (3, 4, 5)
CAMP_COUNTERS = (6, 7, 8)

# Decision kinds, SS-D-01 .. SS-D-07, and the menu form of SS-D-04.
BESIEGER_ACTION = 0
ASSAULT_CARDS = 1
DEFEND_CITY = 2
PLAN_PICK = 3
BESIEGED_ACTION = 4
DEFEND_CAMP = 5
DESTROY = 6
PLAN_MENU = 7

# SS-D-01
BESIEGE, BESIEGER_PLAN, BOMBARD_WALLS, BOMBARD_ENEMY, ASSAULT, RESUPPLY, CONSTRUCT = 0, 1, 2, 3, 4, 5, 6
# SS-D-05
WAIT, REPAIR, BESIEGED_PLAN, SALLY_EQUIPMENT, SALLY_ENEMY, RATIONING = 0, 1, 2, 3, 4, 5
# SS-D-04 in menu form
KEEP, ASCENDING, DESCENDING, STORM_STACK, HEARTS_FIRST = 0, 1, 2, 3, 4

DEFAULT_KNOBS: dict[str, Any] = {
    "walls_start": 5,
    "walls_max": 10,
    "walls_floor": 0,
    "bombard_penalty": 3,
    "sally_penalty": 3,
    "wall_damage": 1,
    "repair_cost": 2,
    "repair_gain": 1,
    "assault_entry_cost": 1,
    "assault_fail_cost": 1,
    "assault_max_cards": 3,
    "fate_reset_count": 3,
    "fate_jokers": True,
    "mod_mine": 3,
    "mod_tower": 2,
    "mod_ladders": 1,
    "mod_trebuchet": 2,
    "mod_catapult": 2,
    "mod_ammunition": 1,
    "mod_camp1": 1,
    "mod_camp2": 1,
    "mod_camp3": 1,
    "cost_mine": 3,
    "cost_tower": 2,
    "cost_ladders": 1,
    "cost_trebuchet": 2,
    "cost_catapult": 2,
    "cost_ammunition": 1,
    "cost_camp1": 1,
    "cost_camp2": 1,
    "cost_camp3": 1,
    "max_rank": 10,
    "resupply_suits": "H",
    "ace_value": 1,
    "fate_sets": 1,
    "forced_discard_shortfall": "lose",
    "static_defence_when_declining": True,
    "equipment_cost_model": "modifier",
    "plan_short_deck": "partial",
    "resupply_reading": "count",
    "joker_exhaust": "lose",
    "plan_mode": "full",
}

CHOICES: dict[str, tuple[Any, ...]] = {
    "fate_jokers": (True, False),
    "resupply_suits": ("H", "H+D"),
    "ace_value": (1, 11),
    "fate_sets": (1, 2),
    "forced_discard_shortfall": ("lose", "discard_what_is_left"),
    "static_defence_when_declining": (True, False),
    "equipment_cost_model": ("modifier", "modifier_plus_1", "double", "table"),
    "plan_short_deck": ("partial", "lose"),
    "resupply_reading": ("count", "window"),
    "joker_exhaust": ("lose", "stop"),
    "plan_mode": ("full", "menu"),
}


def suit_of(card: int) -> int:
    return card // 10


def rank_of(card: int) -> int:
    """1..10, an Ace being 1 whatever it is worth."""
    return card % 10 + 1


def is_red(card: int) -> bool:
    return suit_of(card) in (HEARTS, DIAMONDS)


def is_black(card: int) -> bool:
    return not is_red(card)


def card_from_text(text: str) -> int:
    """The id of a card as written: `AS` is 0, `10H` is 19."""
    rank = 1 if text[:-1] == "A" else int(text[:-1])
    if not 1 <= rank <= 10 or text[-1] not in SUIT_LETTERS:
        raise ValueError(f"a card is A, 2..10 and one letter of {SUIT_LETTERS}, got {text!r}")
    return SUIT_LETTERS.index(text[-1]) * 10 + rank - 1


def card_to_text(card: int) -> str:
    return ("A" if rank_of(card) == 1 else str(rank_of(card))) + SUIT_LETTERS[suit_of(card)]


def cards(text: str) -> list[int]:
    """Card ids in the order written: "7S 2H" is [6, 11]."""
    return [card_from_text(word) for word in text.split()]


def resolved_knobs(given: Mapping[str, Any]) -> dict[str, Any]:
    """All knobs: those given, the rest at their defaults.

    Raises:
        ValueError: an unknown name, a choice that does not exist, or a wall outside its bounds (SS-WAL-02).
    """
    unknown = sorted(set(given) - set(DEFAULT_KNOBS))
    if unknown:
        raise ValueError(f"unknown knobs: {', '.join(unknown)}")
    knobs = {**DEFAULT_KNOBS, **given}
    for name in ("ace_value", "fate_sets"):
        knobs[name] = int(knobs[name])
    for name, options in CHOICES.items():
        if knobs[name] not in options:
            raise ValueError(f"{name} is one of {options}, got {knobs[name]!r}")
    if not knobs["walls_floor"] <= knobs["walls_start"] <= knobs["walls_max"]:
        raise ValueError("SS-WAL-02: walls_floor <= walls_start <= walls_max is needed")
    return knobs


class GameEnds(Exception):
    """SS-TRN-05: leaves whatever is being carried out, there and then."""


class Game:
    """One game, from set-up to its end, driven by `legal` and `apply`.

    Pairs are indexed by player: 0 Besieger, 1 Besieged.

    Attributes:
        deck, pile, aside: card ids; last is the top of deck and pile, aside lies in the order drawn.
        known_top: length of the prefix the owner knows (SS-PLN-04).
        batches: sizes of the batches put back at the bottom, nearest to the top first.
        walls: City Walls. built: indices of the counters in play.
        fate: types of the Fate cards that have not been turned up; turned_up: the others, in order.
        fate_red, fate_black: turned up since the last shuffle.
        turn: from 1. decision: kind 0..7, seat: who decides; both None when the game is over.
        winner: 0, 1 or None. ending: "assault", "surrender", "abandon" or None.
    """

    # --- Set-up ---------------------------------------------------------------------------------------------

    def __init__(self, knobs: Mapping[str, Any], seed: int, game: int) -> None:
        """SS-SET-01..09: two full decks, an empty board, and the Besieger to act."""
        self.lay_out(knobs, seed, game)
        self.run_until_decision(self.start_besieger_phase)

    def lay_out(self, knobs: Mapping[str, Any], seed: int, game: int) -> None:
        """SS-SET-02..09: everything in its place, nobody to act yet."""
        self.knobs = resolved_knobs(knobs)
        self.bot_streams = [Stream(seed, game, BOT_STREAM[player]) for player in (BESIEGER, BESIEGED)]
        self.deck_streams = [Stream(seed, game, name=DECK_STREAM[player]) for player in (BESIEGER, BESIEGED)]
        self.fate_stream = Stream(seed, game, name=FATE_STREAM)

        self.deck = [self.number_cards(), self.number_cards()]
        self.pile: list[list[int]] = [[], []]
        self.aside: list[list[int]] = [[], []]
        self.known_top = [0, 0]
        self.batches: list[list[int]] = [[], []]

        self.walls: int = self.knobs["walls_start"]
        self.built: set[int] = set()

        for player in (BESIEGER, BESIEGED):
            self.deck_streams[player].shuffle(self.deck[player])
        self.fate = self.fate_cards()
        self.fate_stream.shuffle(self.fate)
        self.turned_up: list[int] = []
        self.fate_red = 0
        self.fate_black = 0

        self.turn = 1
        self.decision: int | None = None
        self.seat: int | None = None
        self.over = False
        self.winner: int | None = None
        self.ending: str | None = None

        self.contest_action: int | None = None  # the action whose contest is going on
        self.plan_seen = 0  # cards looked at in the Plan going on
        self.plan_unplaced = 0  # those of them not yet put back in order

    def number_cards(self) -> list[int]:
        """SS-SET-02: the cards of one pack up to `max_rank`, by ascending id."""
        return [card for card in range(40) if rank_of(card) <= self.knobs["max_rank"]]

    def fate_cards(self) -> list[int]:
        """SS-SET-04: one or two sets of court cards and Jokers."""
        courts = [RED_COURT] * 6 + [BLACK_COURT] * 6
        one_set = [*courts, RED_JOKER, BLACK_JOKER] if self.knobs["fate_jokers"] else courts
        return one_set * self.knobs["fate_sets"]

    @classmethod
    def scenario(
        cls,
        decks: tuple[str, str],
        piles: tuple[str, str] = ("", ""),
        walls: int | None = None,
        built: Iterable[int] = (),
        seat: int = BESIEGER,
        turn: int = 1,
        fate_turned: Iterable[int] = (),
        knobs: Mapping[str, Any] | None = None,
        seed: int = 0,
        game: int = 0,
    ) -> Game:
        """A game set up by hand, with `seat` about to choose its action.

        Args:
            decks: cards of either player, top first; nobody knows any.
            piles: cards of either player, bottom first.
            fate_turned: types of the Fate cards turned up since the last shuffle, in order.
        Raises:
            ValueError: a player has the same card twice.
        """
        made = cls.__new__(cls)
        made.lay_out(knobs or {}, seed, game)
        for player in (BESIEGER, BESIEGED):
            made.deck[player] = cards(decks[player])[::-1]
            made.pile[player] = cards(piles[player])
            owned = made.deck[player] + made.pile[player]
            if len(set(owned)) < len(owned):
                raise ValueError(f"player {player} has a card twice: {decks[player]} / {piles[player]}")
        if walls is not None:
            made.walls = walls
        made.built = set(built)
        made.turn = turn
        for kind in fate_turned:
            made.fate.remove(kind)
            made.turned_up.append(kind)
            made.count_fate_colour(kind)
        made.run_until_decision(made.start_besieger_phase if seat == BESIEGER else made.start_besieged_phase)
        return made

    def stack_fate(self, kind: int) -> None:
        """Scenarios only: the next Fate card will be of this type."""
        self.fate.remove(kind)
        self.fate.append(kind)

    # --- Playing --------------------------------------------------------------------------------------------

    def legal(self) -> list[int]:
        """Section 4: the actions of the pending decision, ascending; none when the game is over."""
        if self.decision == BESIEGER_ACTION:
            return self.legal_besieger_actions()
        if self.decision == ASSAULT_CARDS:
            return list(range(min(self.knobs["assault_max_cards"], len(self.deck[BESIEGER]))))
        if self.decision in (DEFEND_CITY, DEFEND_CAMP):
            return self.legal_defences()
        if self.decision == PLAN_PICK:
            return list(range(self.plan_unplaced))
        if self.decision == BESIEGED_ACTION:
            return self.legal_besieged_actions()
        if self.decision == DESTROY:
            return self.first_of_like_camps(self.built)
        if self.decision == PLAN_MENU:
            return [KEEP, ASCENDING, DESCENDING, STORM_STACK, HEARTS_FIRST]
        return []

    def apply(self, action: int) -> None:
        """Carry out one legal action and everything after it up to the next decision or the end.

        Raises:
            ValueError: the action is not legal.
        """
        if action not in self.legal():
            raise ValueError(f"decision {self.decision} allows {self.legal()}, got {action}")
        assert self.decision is not None
        answer = {
            BESIEGER_ACTION: self.besieger_acts,
            ASSAULT_CARDS: self.assault_with,
            DEFEND_CITY: self.defend_with,
            PLAN_PICK: self.plan_pick,
            BESIEGED_ACTION: self.besieged_acts,
            DEFEND_CAMP: self.defend_with,
            DESTROY: self.destroy,
            PLAN_MENU: self.plan_menu,
        }[self.decision]
        self.decision = None
        self.run_until_decision(lambda: answer(action))

    def run_until_decision(self, step: Any) -> None:
        """SS-TRN-05: run, and stop on the spot when the game ends."""
        try:
            step()
        except GameEnds:
            self.decision = None
            self.seat = None

    def ask(self, decision: int, seat: int) -> None:
        self.decision = decision
        self.seat = seat

    def bot_below(self, seat: int, n: int) -> int:
        """A number in 0..n-1 from a bot's own stream."""
        return self.bot_streams[seat].below(n)

    # --- Turn (SS-TRN) --------------------------------------------------------------------------------------

    def start_besieger_phase(self) -> None:
        """SS-TRN-01, SS-TRN-04."""
        self.lose_with_empty_deck(BESIEGER)
        self.ask(BESIEGER_ACTION, BESIEGER)

    def start_besieged_phase(self) -> None:
        """SS-TRN-01, SS-TRN-04."""
        self.lose_with_empty_deck(BESIEGED)
        self.ask(BESIEGED_ACTION, BESIEGED)

    def end_action(self, player: int) -> None:
        """SS-TRN-01, SS-TRN-06: the other player's action, or Fate and the next turn."""
        if player == BESIEGER:
            self.start_besieged_phase()
        else:
            self.fate_phase()
            self.turn += 1
            self.start_besieger_phase()

    # --- Besieger's actions (SS-BGR) ------------------------------------------------------------------------

    def legal_besieger_actions(self) -> list[int]:
        """SS-D-01 masked by SS-TRN-03, SS-WAL-02, SS-EQP-06."""
        size = len(self.deck[BESIEGER])
        legal = [BESIEGE, BESIEGER_PLAN]
        if self.walls > self.knobs["walls_floor"]:
            legal.append(BOMBARD_WALLS)
        legal.append(BOMBARD_ENEMY)
        if size >= self.knobs["assault_entry_cost"] + 1:
            legal.append(ASSAULT)
        legal.append(RESUPPLY)
        unbuilt = {counter for counter in range(9) if self.modifier(counter) > 0} - self.built
        offered = self.first_of_like_camps(unbuilt)
        return legal + [CONSTRUCT + counter for counter in offered if self.price(counter) <= size]

    def besieger_acts(self, action: int) -> None:
        """SS-BGR-01..11."""
        if action == BESIEGE:
            self.mill(BESIEGER, 1)
            self.end_action(BESIEGER)
        elif action == BESIEGER_PLAN:
            self.plan(BESIEGER)
        elif action in (BOMBARD_WALLS, BOMBARD_ENEMY):
            self.begin_contest(BESIEGER, action, 1)
        elif action == ASSAULT:
            self.assault()
        elif action == RESUPPLY:
            self.recover(BESIEGER)
        else:
            self.construct(action - CONSTRUCT)

    def construct(self, counter: int) -> None:
        """SS-EQP-01, SS-EQP-10."""
        self.mill(BESIEGER, self.price(counter))
        self.built.add(counter)
        self.end_action(BESIEGER)

    def assault(self) -> None:
        """SS-BGR-06, SS-BGR-07: the entry cost, then the choice of n."""
        self.mill(BESIEGER, self.knobs["assault_entry_cost"])
        self.ask(ASSAULT_CARDS, BESIEGER)

    def assault_with(self, action: int) -> None:
        """SS-BGR-08: n cards."""
        self.begin_contest(BESIEGER, ASSAULT, action + 1)

    # --- Besieged's actions (SS-BGD) ------------------------------------------------------------------------

    def legal_besieged_actions(self) -> list[int]:
        """SS-D-05 masked by SS-TRN-03, SS-WAL-02, SS-BGD-04."""
        legal = [WAIT]
        if len(self.deck[BESIEGED]) >= self.knobs["repair_cost"] and self.walls < self.knobs["walls_max"]:
            legal.append(REPAIR)
        legal.append(BESIEGED_PLAN)
        if self.built:
            legal.append(SALLY_EQUIPMENT)
        legal += [SALLY_ENEMY, RATIONING]
        return legal

    def besieged_acts(self, action: int) -> None:
        """SS-BGD-01..08."""
        if action == WAIT:
            self.mill(BESIEGED, 1)
            self.end_action(BESIEGED)
        elif action == REPAIR:
            self.repair()
        elif action == BESIEGED_PLAN:
            self.plan(BESIEGED)
        elif action in (SALLY_EQUIPMENT, SALLY_ENEMY):
            self.begin_contest(BESIEGED, action, 1)
        else:
            self.recover(BESIEGED)

    def repair(self) -> None:
        """SS-BGD-02, SS-WAL-02."""
        self.mill(BESIEGED, self.knobs["repair_cost"])
        self.walls = min(self.walls + self.knobs["repair_gain"], self.knobs["walls_max"])
        self.end_action(BESIEGED)

    # --- Siege Equipment (SS-EQP) ---------------------------------------------------------------------------

    def modifier(self, counter: int) -> int:
        """SS-EQP-03: 0 takes the counter out of the game."""
        return int(self.knobs["mod_" + COUNTERS[counter]])

    def price(self, counter: int) -> int:
        """SS-EQP-02: never below 1."""
        model = self.knobs["equipment_cost_model"]
        if model == "modifier":
            price = self.modifier(counter)
        elif model == "modifier_plus_1":
            price = self.modifier(counter) + 1
        elif model == "double":
            price = self.modifier(counter) * 2
        else:
            price = self.knobs["cost_" + COUNTERS[counter]]
        return max(1, price)

    def strength(self, group: tuple[int, ...]) -> int:
        """SS-EQP-05: the sum of the built counters of a group."""
        return sum(self.modifier(counter) for counter in group if counter in self.built)

    def first_of_like_camps(self, counters: set[int]) -> list[int]:
        """Section 4: of Camp Defences with one modifier and one price only the lowest index, ascending."""
        offered: list[int] = []
        camps_seen: list[tuple[int, int]] = []
        for counter in sorted(counters):
            if counter in CAMP_COUNTERS:
                likeness = (self.modifier(counter), self.price(counter))
                if likeness in camps_seen:
                    continue
                camps_seen.append(likeness)
            offered.append(counter)
        return offered

    # --- Contests (SS-CON) ----------------------------------------------------------------------------------

    def begin_contest(self, attacker: int, action: int, n: int) -> None:
        """SS-CON-01: n attack cards face down; SS-CON-02: then the defender is asked."""
        self.contest_action = action
        for _ in range(n):
            self.aside[attacker].append(self.take(attacker))
        if attacker == BESIEGER:
            self.ask(DEFEND_CITY, BESIEGED)
        else:
            self.ask(DEFEND_CAMP, BESIEGER)

    def legal_defences(self) -> list[int]:
        """SS-CON-02, SS-DCK-05: 0 .. 1 or `assault_max_cards`, as far as the deck goes."""
        assaulted = self.decision == DEFEND_CITY and self.contest_action == ASSAULT
        most = self.knobs["assault_max_cards"] if assaulted else 1
        defender = BESIEGED if self.decision == DEFEND_CITY else BESIEGER
        return list(range(min(most, len(self.deck[defender])) + 1))

    def defend_with(self, m: int) -> None:
        """SS-CON-02..07: m defence cards, the scores, and what follows from them."""
        defender = self.seat
        assert defender is not None
        attacker = 1 - defender
        for _ in range(m):
            self.aside[defender].append(self.take(defender))
        success = self.attack_score(attacker) > self.defence_score(defender, m)  # SS-CON-06
        if attacker == BESIEGER:
            self.end_besieger_contest(success)
        else:
            self.end_sally(success)

    def attack_score(self, attacker: int) -> int:
        """SS-CON-04, SS-EQP-04."""
        score = self.worth_of_all(self.aside[attacker])
        if attacker == BESIEGER:
            score += self.strength(ASSAULT_COUNTERS if self.contest_action == ASSAULT else BOMBARD_COUNTERS)
        return score

    def defence_score(self, defender: int, m: int) -> int:
        """SS-CON-05, SS-WAL-01."""
        static = self.walls if defender == BESIEGED else self.strength(CAMP_COUNTERS)
        if m == 0 and not self.knobs["static_defence_when_declining"]:
            static = 0
        return self.worth_of_all(self.aside[defender]) + static

    def end_besieger_contest(self, success: bool) -> None:
        """SS-BGR-04, SS-BGR-05, SS-BGR-09, SS-BGR-10: the effect, then the drawn cards (SS-DCK-07)."""
        if self.contest_action == BOMBARD_WALLS and success:
            self.walls = max(self.walls - self.knobs["wall_damage"], self.knobs["walls_floor"])
        elif self.contest_action == BOMBARD_ENEMY and success:
            self.penalise(BESIEGED, self.knobs["bombard_penalty"])
        elif self.contest_action == ASSAULT and success:
            self.end_game(BESIEGER, "assault")
        elif self.contest_action == ASSAULT:
            self.penalise(BESIEGER, self.knobs["assault_fail_cost"])
        self.discard_contest_cards()
        self.end_action(BESIEGER)

    def end_sally(self, success: bool) -> None:
        """SS-BGD-04..06: the effect, or the choice of a counter, then the drawn cards (SS-DCK-07)."""
        if self.contest_action == SALLY_EQUIPMENT and success:
            self.ask(DESTROY, BESIEGED)
            return
        if self.contest_action == SALLY_ENEMY and success:
            self.penalise(BESIEGER, self.knobs["sally_penalty"])
        self.discard_contest_cards()
        self.end_action(BESIEGED)

    def destroy(self, counter: int) -> None:
        """SS-BGD-04, SS-EQP-07: the counter goes back to the stack."""
        self.built.remove(counter)
        self.discard_contest_cards()
        self.end_action(BESIEGED)

    def discard_contest_cards(self) -> None:
        """SS-CON-07, SS-DCK-07: in the order drawn, the last drawn on top."""
        for player in (BESIEGER, BESIEGED):
            self.pile[player] += self.aside[player]
            self.aside[player] = []
        self.contest_action = None

    def worth_of_all(self, hand: list[int]) -> int:
        return sum(self.worth(card) for card in hand)

    def worth(self, card: int) -> int:
        """SS-SET-03."""
        return int(self.knobs["ace_value"]) if rank_of(card) == 1 else rank_of(card)

    # --- Plan (SS-PLN) --------------------------------------------------------------------------------------

    def plan(self, player: int) -> None:
        """SS-PLN-01..05."""
        value = self.worth(self.mill_one(player))
        left = len(self.deck[player])
        if value > left and self.knobs["plan_short_deck"] == "lose":
            self.lose(player)
        k = min(value, left)
        while len(self.deck[player]) - sum(self.batches[player]) < k:  # the batches that were looked at are one now
            self.batches[player].pop(0)
        self.known_top[player] = max(self.known_top[player], k)
        if k < 2:
            self.end_action(player)
            return
        self.plan_seen = k
        self.plan_unplaced = k
        self.ask(PLAN_MENU if self.knobs["plan_mode"] == "menu" else PLAN_PICK, player)

    def plan_pick(self, pick: int) -> None:
        """SS-D-04: the picked card comes above the other unplaced ones; the last card is not asked for."""
        player = self.seat
        assert player is not None
        top_first = self.deck[player][::-1]
        first_unplaced = self.plan_seen - self.plan_unplaced
        card = top_first.pop(first_unplaced + pick)
        top_first.insert(first_unplaced, card)
        self.deck[player] = top_first[::-1]
        self.plan_unplaced -= 1
        if self.plan_unplaced > 1:
            self.ask(PLAN_PICK, player)
        else:
            self.plan_unplaced = 0
            self.end_action(player)

    def plan_menu(self, order: int) -> None:
        """`plan_mode = menu`: one of five ready-made orders."""
        player = self.seat
        assert player is not None
        k = self.plan_unplaced
        top_first = self.deck[player][::-1]
        self.deck[player] = (self.in_menu_order(order, top_first[:k]) + top_first[k:])[::-1]
        self.plan_unplaced = 0
        self.end_action(player)

    def in_menu_order(self, order: int, seen: list[int]) -> list[int]:
        """Cards top first; those of equal worth keep their present order (`sorted` is stable)."""
        if order == ASCENDING:
            return self.ascending(seen)
        if order == DESCENDING:
            return self.descending(seen)
        if order == STORM_STACK:
            lowest = self.ascending(seen)[0]
            others = [card for card in seen if card != lowest]
            highest = self.descending(others)[:3]
            return [lowest, *highest, *self.ascending([card for card in others if card not in highest])]
        if order == HEARTS_FIRST:
            hearts = [card for card in seen if suit_of(card) == HEARTS]
            return self.descending(hearts) + self.ascending([card for card in seen if card not in hearts])
        return seen

    def ascending(self, seen: list[int]) -> list[int]:
        return sorted(seen, key=self.worth)

    def descending(self, seen: list[int]) -> list[int]:
        return sorted(seen, key=lambda card: -self.worth(card))

    # --- Resupply and Rationing (SS-RES) --------------------------------------------------------------------

    def recover(self, player: int) -> None:
        """SS-RES-01..06."""
        trigger = self.mill_one(player)
        triggering_suits = (HEARTS, DIAMONDS) if self.knobs["resupply_suits"] == "H+D" else (HEARTS,)
        if suit_of(trigger) in triggering_suits:
            self.put_back_black_cards(player, self.worth(trigger))
        self.end_action(player)

    def put_back_black_cards(self, player: int, value: int) -> None:
        """SS-RES-02..05: from the top of the pile down, the trigger itself passed over."""
        below_trigger = self.pile[player][:-1][::-1]
        if self.knobs["resupply_reading"] == "window":
            taken = [card for card in below_trigger[:value] if is_black(card)]
        else:
            taken = [card for card in below_trigger if is_black(card)][:value]
        self.pile[player] = [card for card in self.pile[player] if card not in taken]
        if taken:
            under = taken[::-1]
            self.deck_streams[player].shuffle(under)
            self.deck[player] = under + self.deck[player]
            self.batches[player].append(len(taken))

    # --- Fate (SS-FAT) --------------------------------------------------------------------------------------

    def fate_phase(self) -> None:
        """SS-FAT-01..10."""
        kind = self.turn_up_fate()
        if kind == RED_COURT:
            self.penalise(BESIEGED, 1)
        elif kind == BLACK_COURT:
            self.penalise(BESIEGER, 1)
        elif kind == RED_JOKER:
            self.joker(BESIEGED, is_red)
        else:
            self.joker(BESIEGER, is_black)
        if max(self.fate_red, self.fate_black) >= self.knobs["fate_reset_count"]:  # SS-FAT-08
            self.fate += self.turned_up[::-1]
            self.turned_up = []
            self.fate_stream.shuffle(self.fate)
            self.fate_red = 0
            self.fate_black = 0

    def turn_up_fate(self) -> int:
        """SS-FAT-01."""
        kind = self.fate.pop()
        self.turned_up.append(kind)
        self.count_fate_colour(kind)
        return kind

    def count_fate_colour(self, kind: int) -> None:
        """SS-FAT-07: Jokers count for their colour."""
        if kind in (RED_COURT, RED_JOKER):
            self.fate_red += 1
        else:
            self.fate_black += 1

    def joker(self, player: int, fits: Any) -> None:
        """SS-FAT-04..06."""
        while True:
            if not self.deck[player] and self.knobs["joker_exhaust"] == "stop":
                return
            if fits(self.mill_one(player)):
                return

    # --- Decks (SS-DCK) -------------------------------------------------------------------------------------

    def penalise(self, player: int, n: int) -> None:
        """SS-DCK-02, SS-DCK-03: a forced discard of n cards; the switch can stop it at the empty deck."""
        if self.knobs["forced_discard_shortfall"] == "discard_what_is_left":
            n = min(n, len(self.deck[player]))
        self.mill(player, n)

    def mill(self, player: int, n: int) -> None:
        """Section 2.4: n cards from the deck to the pile, one by one."""
        for _ in range(n):
            self.mill_one(player)

    def mill_one(self, player: int) -> int:
        card = self.take(player)
        self.pile[player].append(card)
        return card

    def take(self, player: int) -> int:
        """Section 2.4, SS-DCK-01, SS-DCK-02: the top card, or the game is lost."""
        self.lose_with_empty_deck(player)
        if len(self.deck[player]) == sum(self.batches[player]):  # the main part is used up, and the next batch begins
            self.batches[player].pop(0)
        self.known_top[player] = max(self.known_top[player] - 1, 0)  # SS-PLN-04
        return self.deck[player].pop()

    # --- End (SS-END) ---------------------------------------------------------------------------------------

    def lose_with_empty_deck(self, player: int) -> None:
        """SS-DCK-02, SS-TRN-04."""
        if not self.deck[player]:
            self.lose(player)

    def lose(self, player: int) -> None:
        """SS-END-02, SS-END-03."""
        if player == BESIEGED:
            self.end_game(BESIEGER, "surrender")
        else:
            self.end_game(BESIEGED, "abandon")

    def end_game(self, winner: int, ending: str) -> None:
        """SS-END-01..04; contest cards lying aside stay there (SS-TRN-05)."""
        self.over = True
        self.winner = winner
        self.ending = ending
        raise GameEnds
