"""Every dice roll in words: attacks, attempts to break free, fires (LW-TRN-07).

The record stores no dice. A part of a game is therefore replayed in plain Python, with the game's own rules, on a copy
of the position before it. Each roll is recorded with the rule that requested it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from simlab.compiler.uncompiled import Wrap, uncompiled
from simlab.game import Cards, Knobs, State, stream_numbers
from simlab.games.lowenheim import rules
from simlab.games.lowenheim.labels import action_label, figure_at, fire_name, house_name
from simlab.games.lowenheim.state import D_FEED, D_STARVE, FACTIONS, NO_DECISION, PLACE_NAMES, ROSTER, SEATS, STREAMS

#: Streams in which every number is a die roll; those of decks and random picks are left out.
_DICE = [
    number
    for name, number in stream_numbers(FACTIONS, STREAMS).items()
    if name not in ("deal", "event_deck", "command_deck", "draw", "loss")
]


def rolls(before: State, after: State, action: int, knobs: Knobs, cards: Cards) -> list[str]:
    """The rolls of one part of a game (Game.rolls), and the automatic losses to hunger."""
    forced = action < 0 and int(before.decision) != int(NO_DECISION)
    rolled = (before.stream_at[_DICE] != after.stream_at[_DICE]).any() or before.forced_n != after.forced_n
    if not (forced or rolled):
        return []
    account = _Account(knobs, cards)
    account.play(before, action, forced)
    return account.lines


@dataclass
class _Call:
    """A rule being carried out: its dice rolls and the values that it requested, by name."""

    name: str
    arguments: tuple[Any, ...]
    dice: list[int] = field(default_factory=list)
    values: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    figures: list[str] = field(default_factory=list)
    more: str = ""


class _Account:
    """Replays one part of a game, with one line per attack and per other roll."""

    def __init__(self, knobs: Knobs, cards: Cards) -> None:
        self.knobs, self.cards = knobs, cards
        self.lines: list[str] = []
        self.calls = [_Call("", ())]

    def play(self, before: State, action: int, forced: bool) -> State:
        """Plays the part that starts from a position and returns the resulting position."""
        watched: dict[str, Wrap] = {"d6": self._die, "below": self._number}
        watched |= {name: partial(self._value, name) for name in _VALUES}
        watched |= {name: partial(self._rule, name) for name in (*_ENDS, *_ROLLS)}
        if forced:
            watched["carry_out"] = self._choice
        state = before.copy()
        state.n_legal = 0
        with np.errstate(over="ignore"):  # random words wrap around, as in compiled code
            uncompiled(rules.play_part, watched)(state, self.knobs, self.cards, np.int64(action))
        return state

    # --- Recording the rolls ----------------------------------------------------------

    def _die(self, d6: Callable[..., Any]) -> Callable[..., Any]:
        def roll(state: State, stream: int) -> Any:
            self.calls.append(_Call("d6", ()))
            die = d6(state, stream)
            self.calls.pop()
            self._rolled(state, int(die))
            return die

        return roll

    def _number(self, below: Callable[..., Any]) -> Callable[..., Any]:
        def draw(state: State, stream: int, n: int) -> Any:
            number = below(state, stream, n)
            if self.calls[-1].name == "teleport":
                self._rolled(state, int(number) + 1)
            return number

        return draw

    def _rolled(self, state: State, die: int) -> None:
        call = self.calls[-1]
        call.dice.append(die)
        if call.name in _ROLLS:
            self.lines.append(_ROLLS[call.name](self, call, state, die))
        elif call.name not in _ENDS:
            self.lines.append(f"die {die}")

    def _value(self, name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*arguments: Any) -> Any:
            value = kernel(*arguments)
            self.calls[-1].values[name].append(int(value))
            return value

        return ask

    def _rule(self, name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def play(*arguments: Any) -> Any:
            call = _Call(name, arguments)
            self.calls.append(call)
            if name in _FIGURES:
                call.figures = _FIGURES[name](self, *arguments)
            result = kernel(*arguments)
            self.calls.pop()
            if name in _ENDS:
                text = _ENDS[name](self, call, result)
                if text:
                    self.lines.append(text)
            return result

        return play

    def _choice(self, carry_out: Callable[..., Any]) -> Callable[..., Any]:
        def choose(state: State, knobs: Knobs, cards: Cards, action: int) -> Any:
            if int(state.decision) in (
                D_FEED,
                D_STARVE,
            ):  # visible to all
                text = action_label(state, knobs, cards, int(action))
                self.lines.append(f"{SEATS[int(state.seat)]}: {text} (no choice)")
            return carry_out(state, knobs, cards, action)

        return choose


# --- Combat (LW-CMB-06 to LW-CMB-10) --------------------------------------------


def _both(account: _Account, state: State, knobs: Knobs, cards: Cards, f: int, t: int, *rest: int) -> list[str]:
    return [figure_at(state, cards, int(f)), figure_at(state, cards, int(t))]


def _attack(account: _Account, call: _Call, result: Any) -> str:
    fights, support, shelter = call.values["fight_of"], call.values["supported"], call.values["sheltered"]
    die, other = call.dice[:2]
    mine, yours = fights[0] + support[0] + die, fights[1] + support[1] + shelter[0] + other
    text = (
        f"{call.figures[0]} attacks {call.figures[1]}: Fight {_sum(fights[0], support[0])}, die {die}, makes {mine}; "
        f"against Fight {_sum(fights[1], support[1], shelter[0])}, die {other}, makes {yours}"
    )
    if mine <= yours and not (die == 6 and other != 6):
        return f"{text}: no hit"
    return f"{text}: hit{'' if mine > yours else ' (a 6 against no 6)'}. {call.more}"


def _sum(value: int, *bonuses: int) -> str:
    return str(value) + "".join(f"{bonus:+d}" for bonus in bonuses if bonus)


def _victim(
    account: _Account, state: State, knobs: Knobs, cards: Cards, strength: int, t: int, *rest: int
) -> list[str]:
    return [figure_at(state, cards, int(t))]


def _wound(account: _Account, call: _Call, result: Any) -> str:
    """The wound of an attack: the end of the attack's line, or a separate line if no roll to hit was needed."""
    state, knobs, _, strength, t, *_ = call.arguments
    text = f"To wound: Strength {int(strength)}, die {call.dice[0]}, against Toughness {call.values['toughness_of'][0]}"
    if len(call.dice) == 1:
        text += ": no wound"
    else:
        effect = call.dice[1]
        text += f"; effect die {effect}: "
        if result:
            text += "wounded" + _fate(state, int(t))
        elif effect >= int(knobs.wound_min):
            text += "saved by the Box"
        else:
            text += "stunned" if effect >= int(knobs.stun_min) else "nothing"
    if account.calls[-1].name == "attack":
        account.calls[-1].more = text
        return ""
    return f"{call.figures[0]} is hit. {text}"


def _fate(state: State, f: int) -> str:
    if state.hex[f] >= 0:
        return ""
    return ", goes to the Temple" if f < ROSTER else ", is out"


def _saved(account: _Account, call: _Call, result: Any) -> str:
    if not call.dice:
        return ""
    return f"the Box covers {call.figures[0]}: die {call.dice[0]}, {'no help' if result else 'saved'} (5 or 6 saves)"


# --- Movement (LW-MOV-06 to LW-MOV-08) ------------------------------------------


def _breaks_free(account: _Account, call: _Call, result: Any) -> str:
    if not call.dice:
        return ""
    end = "breaks free" if result else "stays"
    need = int(account.knobs.break_free_max)
    return f"{call.figures[0]} leaves enemies: die {call.dice[0]}, {end} ({_up_to(need)} breaks free)"


def _may_pass(account: _Account, call: _Call, result: Any) -> str:
    if not call.dice:
        return ""
    end = "passes" if result else "is held up"
    return f"{call.figures[0]} wants to pass another faction's troops: die {call.dice[0]}, {end}"


def _jumps(account: _Account, call: _Call, result: Any) -> str:
    if not call.dice:
        return ""
    end = "crosses" if result else "does not cross"
    return f"{call.figures[0]} at a barricade: die {call.dice[0]}, {end} (1 to 3 crosses)"


def _up_to(most: int) -> str:
    return "1" if most == 1 else f"1 to {most}"


# --- The troop (LW-ENM-01 to LW-ENM-04) -----------------------------------------


def _arrive(account: _Account, call: _Call, result: Any) -> str:
    n = int(account.knobs.troop_dice)
    troop, (tens, units, *aims) = call.dice[:n], call.dice[n:]
    text = f"a troop of {' + '.join(map(str, troop))} = {sum(troop)} skaven out of house {tens}{units}"
    houses, aim = call.values["open_house"], call.values["aim_of"]
    if not houses or houses[0] < 0:
        return f"{text}: no house is left"
    if houses[0] != (tens - 1) * 6 + units - 1:
        text += f" (buried; instead {house_name(houses[0])})"
    dice = " and ".join(map(str, aims))
    return f"{text}; its aim, {'die' if len(aims) == 1 else 'dice'} {dice}: place {PLACE_NAMES[aim[0]]}"


# --- Other rolls ----------------------------------------------------------------


def _hostility(account: _Account, call: _Call, state: State, die: int) -> str:
    _, _, _, seat, foe, limit = call.arguments
    end = "they attack" if die <= limit else "they keep the peace"
    limits = f"attack on {_up_to(int(limit))}"
    return f"{SEATS[int(seat)]} next to {SEATS[int(foe)]}: die {die}, {end} ({limits})"


def _rage(account: _Account, call: _Call, state: State, die: int) -> str:
    most = int(account.knobs.rage_max)
    return f"the werewolf: die {die}, {'rages' if die <= most else 'obeys'} ({_up_to(most)} rages)"


def _recovery(account: _Account, call: _Call, state: State, die: int) -> str:
    name = figure_at(state, account.cards, int(call.arguments[2]))
    losses = {1: "dies", 6: "recovers in full"}
    stats = ("Move", "Fight", "Strength", "Toughness")
    return f"{name} leaves the Temple: die {die}, {losses.get(die) or 'loses 1 ' + stats[die - 2]}"


def _burning(account: _Account, call: _Call, state: State, die: int) -> str:
    total, need = die + int(state.step2), int(account.knobs.fire_out_target)
    name = fire_name(account.cards, int(call.arguments[3]))
    water = f" + {int(state.step2)} Water" if state.step2 else ""
    return f"fire in {name}: die {die}{water}, {'out' if total >= need else 'burns on'} ({need} or more puts it out)"


def _spreading(account: _Account, call: _Call, state: State, die: int) -> str:
    name = fire_name(account.cards, int(call.arguments[3]))
    return f"fire in {name}: die {die}, {'spreads' if die == 1 else 'does not spread'} (1 spreads)"


def _in_mine(account: _Account, state: State, cards: Cards, site: int) -> list[str]:
    h = int(cards.site[site])
    return [figure_at(state, cards, f) for f in np.flatnonzero(state.hex == h).tolist()]


def _mine(account: _Account, call: _Call, state: State, die: int) -> str:
    name = call.figures[len(call.dice) - 1]
    return f"the mine under {name}: die {die}, {'hit' if die <= 3 else 'safe'} (1 to 3 hits)"


def _control(account: _Account, call: _Call, state: State, die: int) -> str:
    return f"Mind Control of a figure: die {die}"


def _teleporter(account: _Account, call: _Call, state: State, die: int) -> str:
    lost = die <= int(state.teleports)
    return f"the Teleporter: die {die}, {'lost' if lost else 'works on'} (use {int(state.teleports)})"


_VALUES = ("fight_of", "supported", "sheltered", "toughness_of", "open_house", "aim_of")
_FIGURES: dict[str, Callable[..., list[str]]] = {
    "attack": _both,
    "wounds_target": _victim,
    "suffer": lambda account, state, cards, f, *rest: [figure_at(state, cards, int(f))],
    "breaks_free": lambda account, state, knobs, f, *rest: [figure_at(state, account.cards, int(f))],
    "may_pass": lambda account, state, knobs, cards, f, *rest: [figure_at(state, cards, int(f))],
    "jumps": lambda account, state, cards, f, *rest: [figure_at(state, cards, int(f))],
    "mine": _in_mine,
}
_ENDS: dict[str, Callable[[_Account, _Call, Any], str]] = {
    "attack": _attack,
    "wounds_target": _wound,
    "suffer": _saved,
    "breaks_free": _breaks_free,
    "may_pass": _may_pass,
    "jumps": _jumps,
    "arrive": _arrive,
}
_ROLLS: dict[str, Callable[[_Account, _Call, State, int], str]] = {
    "hostility": _hostility,
    "wolf_slot": _rage,
    "recovers": _recovery,
    "burn": _burning,
    "spread": _spreading,
    "mine": _mine,
    "break_controls": _control,
    "teleport": _teleporter,
}
