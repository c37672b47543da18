"""Effects of cards: a small vocabulary, parsed once into integer programs, and the kernel that runs them.

The words (ledger 2.4), joined by `;` and carried out from left to right:

    food +3   materials -1   unrest +2   ...   a track or resource, clamped to its range
    support +1   support -1   casualty 1   recover 2   assault_check +3   requirement_mod +1
    this_turn counter_battery_cost -1   this_turn raid_roll +2   purge   herald   nothing
    pay materials 2 {..} else {..}      choose {.. / ..}      if consumption >= 3 {..} else {..}

An instruction is four numbers (op, a, b, jump). Instruction 0 is the end of all programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from simlab.compiler import kernel
from simlab.errors import InputError, nearest
from simlab.game import Cards, Knobs, State
from simlab.games.mighty_fortress import state as s
from simlab.games.mighty_fortress import tracks as tr
from simlab.games.mighty_fortress.dice import ask, bit

MAX_CODE = 1024  #: instructions of all cards together

(
    END, GAIN, REWARD_FOOD, SUPPORT_UP, SUPPORT_DOWN, CASUALTY_OP, RECOVER_OP, ASSAULT_OP, REQUIREMENT_OP,
    COUNTER_COST_OP, RAID_ROLL_OP, PURGE_OP, PURGE_TRACK_OP, HERALD_OP, PAY_OP, CHOOSE_OP, JUMP,
    IF_LESS, IF_AT_MOST, IF_EQUAL, IF_AT_LEAST, IF_MORE,
) = range(22)  # fmt: skip
COMPARISONS = {"<": IF_LESS, "<=": IF_AT_MOST, "=": IF_EQUAL, ">=": IF_AT_LEAST, ">": IF_MORE}
TRACK_OPERAND = 100  # the right side of an `if` from here on is a track, not a number

TRACKS = {
    "food": tr.FOOD, "materials": tr.MATERIALS, "luxuries": tr.LUXURIES, "piety": tr.PIETY, "influence": tr.INFLUENCE,
    "cohesion": tr.COHESION, "defense": tr.DEFENSE, "entrenchment": tr.ENTRENCHMENT, "bombardment": tr.BOMBARDMENT,
    "consumption": tr.CONSUMPTION, "unrest": tr.UNREST, "pressure": tr.PRESSURE, "vp": tr.VP,
}  # fmt: skip
READABLE = {**TRACKS, "siege_strength": tr.SIEGE_STRENGTH, "requirement": tr.REQUIREMENT, "turn": tr.TURN}
PRICES = ("food", "materials", "luxuries", "piety", "influence")
_WORDS = (
    *TRACKS, "support", "casualty", "recover", "assault_check", "requirement_mod", "this_turn", "purge",
    "herald",
    "pay", "choose", "if", "nothing",
)  # fmt: skip

_TOKEN = re.compile(r"\s*([a-z_]+|[+-]?\d+|<=|>=|[<>=;{}/,])")


# --- The parser ---------------------------------------------------------------


@dataclass
class Program:
    """Instructions of all cards, one after the other; `start` of an empty effect is 0."""

    code: list[list[int]] = field(default_factory=lambda: [[END, 0, 0, 0]])

    def add(self, text: str, where: str, reward: bool = False) -> int:
        """Parses an effect and appends it.

        Args:
            where: the place to name in an error: file or table, row, column.
            reward: whether it is the reward of a card in the Queue; `food_reward_shift` then changes its Food.
        Returns:
            the number of its first instruction; 0 if it does nothing.
        Raises:
            InputError: a word, number or bracket is not allowed; the message lists what is allowed.
        """
        start = len(self.code)
        parser = _Parser(text, where, reward, self.code)
        parser.sequence(())
        if parser.peek():
            raise parser.wrong("this cannot follow here; join effects by ';'")
        if len(self.code) == start:
            return 0
        self.code.append([END, 0, 0, 0])
        if len(self.code) > MAX_CODE:
            raise InputError(f"{where}: the cards' effects are too long in all (over {MAX_CODE} steps).")
        return start


class _Parser:
    def __init__(self, text: str, where: str, reward: bool, code: list[list[int]]) -> None:
        self.text, self.where, self.reward, self.code = text, where, reward, code
        self.tokens: list[str] = []
        at = 0
        stripped = text.rstrip()
        while at < len(stripped):
            token = _TOKEN.match(stripped, at)
            if not token:
                raise InputError(f"{where}: '{stripped[at:].strip()[:20]}' is not known in an effect.")
            self.tokens.append(token[1])
            at = token.end()
        self.at = 0
        self.depth = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ""

    def wrong(self, why: str) -> InputError:
        token = self.tokens[min(max(self.at - 1, 0), len(self.tokens) - 1)] if self.tokens else ""
        near = f" near '{token}'" if token else ""
        return InputError(f"{self.where}: '{self.text.strip()}'{near}: {why}.")

    def number(self, low: int, high: int, signed: bool) -> int:
        token = self.next()
        if not re.fullmatch(r"[+-]\d+" if signed else r"\d+", token) or not low <= int(token) <= high:
            form = "a signed number" if signed else "a number"
            raise self.wrong(f"write {form} in {low}..{high} here, as {'+1' if signed else '1'}")
        return int(token)

    def expect(self, token: str) -> None:
        if self.next() != token:
            raise self.wrong(f"'{token}' is missing")

    def emit(self, op: int, a: int = 0, b: int = 0) -> int:
        self.code.append([op, a, b, 0])
        return len(self.code) - 1

    def sequence(self, ends: tuple[str, ...]) -> None:
        if self.peek() in ends or not self.peek():
            return
        self.single()
        while self.peek() == ";":
            self.next()
            self.single()

    def block(self) -> None:
        self.depth += 1
        if self.depth > 4:
            raise self.wrong("brackets may be nested at most four deep")
        self.expect("{")
        self.sequence(("}",))
        self.expect("}")
        self.depth -= 1

    def single(self) -> None:
        word = self.next()
        if word in TRACKS:
            amount = self.number(-40, 40, signed=True)
            if word == "food" and self.reward and amount > 0:
                self.emit(REWARD_FOOD, tr.FOOD, amount)
            else:
                self.emit(GAIN, TRACKS[word], amount)
        elif word == "support":
            amount = self.number(-1, 1, signed=True)
            self.emit(SUPPORT_UP if amount > 0 else SUPPORT_DOWN)
        elif word == "casualty":
            self.emit(CASUALTY_OP, 0, self.number(1, 9, signed=False))
        elif word == "recover":
            self.emit(RECOVER_OP, 0, self.number(1, 9, signed=False))
        elif word == "assault_check":
            self.emit(ASSAULT_OP, 0, self.number(-12, 12, signed=True))
        elif word == "requirement_mod":
            self.emit(REQUIREMENT_OP, 0, self.number(-4, 4, signed=True))
        elif word == "this_turn":
            self.this_turn()
        elif word == "purge":
            self.emit(PURGE_OP)
            self.emit(PURGE_TRACK_OP)
        elif word == "herald":
            self.emit(HERALD_OP)
        elif word == "pay":
            self.pay()
        elif word == "choose":
            self.choose()
        elif word == "if":
            self.condition()
        elif word != "nothing":
            raise self.wrong(f"an effect cannot begin so. {nearest(word, _WORDS)}" if word else "an effect is missing")

    def this_turn(self) -> None:
        word = self.next()
        if word not in ("counter_battery_cost", "raid_roll"):
            raise self.wrong("write counter_battery_cost or raid_roll after this_turn")
        op = COUNTER_COST_OP if word == "counter_battery_cost" else RAID_ROLL_OP
        self.emit(op, 0, self.number(-12, 12, signed=True))

    def pay(self) -> None:
        word = self.next()
        if word not in PRICES:
            raise self.wrong(f"a price is in {', '.join(PRICES)}. {nearest(word, PRICES)}")
        asked = self.emit(PAY_OP, TRACKS[word], self.number(1, 40, signed=False))
        self.halves(asked, has_else=True)

    def choose(self) -> None:
        asked = self.emit(CHOOSE_OP)
        self.depth += 1
        self.expect("{")
        self.sequence(("/",))
        self.expect("/")
        over = self.emit(JUMP)
        self.code[asked][3] = len(self.code)
        self.sequence(("}",))
        self.expect("}")
        self.depth -= 1
        self.code[over][3] = len(self.code)

    def condition(self) -> None:
        left = self.next()
        if left not in READABLE:
            raise self.wrong(f"a condition begins with a track. {nearest(left, READABLE)}")
        sign = self.next()
        if sign not in COMPARISONS:
            raise self.wrong(f"a comparison is one of {' '.join(COMPARISONS)}")
        right = TRACK_OPERAND + READABLE[self.next()] if self.peek() in READABLE else self.number(0, 99, signed=False)
        asked = self.emit(COMPARISONS[sign], READABLE[left], right)
        self.halves(asked, has_else=True)

    def halves(self, asked: int, has_else: bool) -> None:
        self.block()
        if has_else and self.peek() == "else":
            self.next()
            over = self.emit(JUMP)
            self.code[asked][3] = len(self.code)
            self.block()
            self.code[over][3] = len(self.code)
        else:
            self.code[asked][3] = len(self.code)


# --- Carrying out -------------------------------------------------------------


@kernel
def effect_step(state: State, knobs: Knobs, cards: Cards) -> None:
    """MF-GEN-02: the next instruction; a jump target at the end of a program is its END."""
    pc = np.int64(state.pc)
    op = np.int64(cards.code[pc, 0])
    a = np.int64(cards.code[pc, 1])
    b = np.int64(cards.code[pc, 2])
    state.pc = pc + 1
    if op == GAIN:
        tr.gain_as_said(state, knobs, a, b)
    elif op == END:
        state.pc = 0
    elif op == REWARD_FOOD:
        tr.gain(state, knobs, tr.FOOD, max(b + knobs.food_reward_shift, 0))
    elif op == JUMP:
        state.pc = cards.code[pc, 3]
    elif op == CASUALTY_OP:
        state.casualties = b
    elif op == RECOVER_OP:
        state.recoveries = b
    elif op == CHOOSE_OP:
        ask(state, s.CHOICE, s.ABOUT_CHOOSE, s.BOTH)
    elif op == PAY_OP:
        offer_payment(state, knobs, cards, a, b)
    elif op >= IF_LESS:
        test_condition(state, cards, pc)
    else:
        special_effect(state, knobs, op, b)


@kernel
def special_effect(state: State, knobs: Knobs, op: int, b: int) -> None:
    """The rarer words."""
    if op == SUPPORT_UP:
        choose_city(state, knobs)
    elif op == SUPPORT_DOWN:
        lose_support(state)
    elif op == ASSAULT_OP:
        tr.assault_check(state, knobs, s.BY_CARD, b)
    elif op == REQUIREMENT_OP:
        state.requirement_mod += b
        tr.refresh_requirement(state)
    elif op == COUNTER_COST_OP:
        state.counter_cost_turn += b
    elif op == RAID_ROLL_OP:
        state.raid_roll_turn += b
    elif op == PURGE_OP:
        choose_traitor(state)
    elif op == PURGE_TRACK_OP:
        choose_purge_track(state)
    elif op == HERALD_OP:
        state.herald = True


@kernel
def offer_payment(state: State, knobs: Knobs, cards: Cards, resource: int, price: int) -> None:
    """`pay`: the player may pay if possible; a player who cannot pay declines."""
    if tr.read_track(state, resource) >= price:
        ask(state, s.CHOICE, s.ABOUT_PAY, s.BOTH)
    else:
        state.pc = cards.code[state.pc - 1, 3]


@kernel
def test_condition(state: State, cards: Cards, pc: int) -> None:
    """`if`: continues with the next instruction if the condition holds, otherwise jumps."""
    op = np.int64(cards.code[pc, 0])
    left = tr.read_track(state, np.int64(cards.code[pc, 1]))
    right = np.int64(cards.code[pc, 2])
    if right >= TRACK_OPERAND:
        right = tr.read_track(state, right - TRACK_OPERAND)
    holds = left < right
    if op == IF_AT_MOST:
        holds = left <= right
    elif op == IF_EQUAL:
        holds = left == right
    elif op == IF_AT_LEAST:
        holds = left >= right
    elif op == IF_MORE:
        holds = left > right
    if not holds:
        state.pc = cards.code[pc, 3]


@kernel
def choose_city(state: State, knobs: Knobs) -> None:
    """`support +1`: the player picks a city on the Support Track below the goal."""
    options = np.int64(0)
    for city in range(s.MAX_CITIES):
        if state.support[city] != s.OFF_TRACK and state.support[city] < knobs.support_goal:
            options |= bit(city)
    if options != 0:
        ask(state, s.PICK, s.ABOUT_CITY, options)


@kernel
def raise_support(state: State, knobs: Knobs, city: int) -> None:
    """Support +1, which can bring the Major Victory."""
    state.support[city] += 1
    tr.check_relief(state, knobs)


@kernel
def lose_support(state: State) -> None:
    """`support -1`: the city with the highest Support loses 1, but not below 0; ties go to the lowest number."""
    best = -1
    for city in range(s.MAX_CITIES):
        if state.support[city] > 0 and (best < 0 or state.support[city] > state.support[best]):
            best = city
    if best >= 0:
        state.support[best] -= 1


@kernel
def choose_traitor(state: State) -> None:
    """`purge`: an Available Black die, if there is one and Unrest or Pressure is above 0 (ledger 2.7)."""
    options = state.avail_mask & s.BLACKS
    if options != 0 and (state.unrest > 0 or state.pressure > 0):
        ask(state, s.DIE, s.ABOUT_PURGE, options)
    else:
        state.pc += 1


@kernel
def choose_purge_track(state: State) -> None:
    """`purge`: the player picks the track to lower, if both can fall."""
    options = np.int64(state.unrest > 0) + 2 * np.int64(state.pressure > 0)
    ask(state, s.CHOICE, s.ABOUT_PURGE_TRACK, options)


@kernel
def choose_half(state: State, knobs: Knobs, cards: Cards, option: int) -> None:
    """Carries out the answer to `choose` or `pay`: the first half, or the jump to the second."""
    asked = np.int64(state.pc) - 1
    if option == 1:
        state.pc = cards.code[asked, 3]
    elif state.about == s.ABOUT_PAY:
        tr.gain_as_said(state, knobs, np.int64(cards.code[asked, 1]), -np.int64(cards.code[asked, 2]))
