"""What a card does, in a person's words, made from its program: the labels of the game show it."""

from __future__ import annotations

from collections.abc import Sequence

from simlab.games.montsegur.effects import (
    ALL,
    AT_MOST_TREBUCHETS,
    CTRL,
    IF,
    JUMP,
    OP_A,
    OP_ADV,
    OP_ADV_STEAL,
    OP_ASPIRE,
    OP_ATTACK,
    OP_B,
    OP_BF_KILL,
    OP_BF_RECOVER,
    OP_BOOST,
    OP_BROKEN_LINE,
    OP_C,
    OP_CAPTURE,
    OP_CAT_MORALE,
    OP_CAVES,
    OP_CODE,
    OP_CONVERT,
    OP_CRU_MORALE,
    OP_DISCARD,
    OP_DRAW,
    OP_ESCAPE,
    OP_ESCAPE_MOD,
    OP_EW_PLUS,
    OP_FAITH,
    OP_FOOD,
    OP_GRAIL,
    OP_KIND,
    OP_LEAD,
    OP_MUSTER,
    OP_N,
    OP_NO_ATTACK,
    OP_PATH_LESS,
    OP_READY,
    OP_REDEPLOY,
    OP_REINF,
    OP_REINF_MOD,
    OP_REPENT,
    OP_RESCUE,
    OP_RING,
    OP_ROUT,
    OP_SCOUT,
    OP_SCOUT_LOSS,
    OP_STRIKE,
    OP_TREBUCHET,
    OP_WHO,
    QUANTITIES,
    ROLES,
)
from simlab.games.montsegur.state import ALL_LOCATIONS, CC, CODES, MC, NE, NP, SE, SP, WP

_WHO = {"P": "player", "O": "opponent", "CAT": "Cathars", "CRU": "Crusaders", "BOTH": "both sides"}
_TRACKS = {OP_CAT_MORALE: "Cathar Morale", OP_CRU_MORALE: "Crusader Morale", OP_FOOD: "Food", OP_FAITH: "Faith"}
_AREAS = {
    ALL_LOCATIONS: "any location",
    ALL_LOCATIONS & ~(1 << MC | 1 << CC): "a location outside the command centres",
    1 << WP | 1 << NP | 1 << SP | 1 << SE | 1 << NE: "a perimeter location",
}
_PLAIN = (("Cathars's", "Cathars'"), ("Crusaders's", "Crusaders'"), ("the both", "both"), ("up to 1 of", "one of"))
# {who}: the side; {n}: the number; {s}: plural; {sn}: the number with its sign; {zone}: where
_PHRASES = {
    OP_TREBUCHET: "trebuchets {sn}",
    OP_ASPIRE: "{n} Aspiring Perfect{s}",
    OP_CAPTURE: "{n} Montségur Perfect{s} captured",
    OP_RESCUE: "{n} Captured Perfect{s} back to Montségur",
    OP_CONVERT: "{n} Captured Perfect{s} to Repenting Perfects",
    OP_ESCAPE: "Cathars may attempt to escape with {n} CP",
    OP_BOOST: "{who} boosts Morale with {n} CP",
    OP_REINF: "{who} +{n} reinforcement points",
    OP_MUSTER: "{who} +{n} soldiers in the command centre",
    OP_RING: "Crusaders place {n} soldiers in perimeter locations they hold",
    OP_BF_KILL: "up to {n} of the {who}'s soldiers in the Battlefield die",
    OP_BF_RECOVER: "{n} soldiers of the {who} leave the Battlefield for the command centre",
    OP_STRIKE: "up to {n} of the {who}'s soldiers in {zone} die",
    OP_ROUT: "up to {n} of the {who}'s soldiers in {zone} to the Battlefield",
    OP_ATTACK: "{who} may attack with {n} CP",
    OP_REDEPLOY: "{who} may redeploy with {n} CP",
    OP_SCOUT: "{who} +{n} scout{s}",
    OP_SCOUT_LOSS: "{who} -{n} scout{s}",
    OP_ADV: "{who} +{n} advantage marker{s}",
    OP_ADV_STEAL: "{who} take an advantage marker from the other side",
    OP_READY: "the {who}'s commander to its active side",
    OP_DRAW: "{who} draws {n} card{s}",
    OP_DISCARD: "{who} discards {n} card{s} at random",
    OP_CAVES: "the Caves are open to the {who} from now on",
    OP_LEAD: "{who} {sn} to Leadership Checks this turn",
    OP_ESCAPE_MOD: "{sn} to Escape Checks this turn",
    OP_PATH_LESS: "{n} Crusaders fewer on the Cathars' paths this turn",
    OP_REINF_MOD: "{who} {sn} reinforcement points each time this turn",
    OP_NO_ATTACK: "no attacks this turn",
    OP_GRAIL: "Cathars score the Grail at the end",
    OP_BROKEN_LINE: "the last Repentance Checks are easier",
    OP_EW_PLUS: "defence bonus of the Eastern Walls against the Crest +1 from now on",
}  # fmt: skip


def card_words(ops: Sequence[Sequence[int]]) -> str:
    """A program (effects.parse_effect) in words."""
    return _sequence(ops, 0, len(ops)) or "no effect"


def _sequence(ops: Sequence[Sequence[int]], at: int, end: int) -> str:
    parts = []
    while at < end:
        op = ops[at]
        if op[OP_CODE] == OP_REPENT:
            parts.append(f"Repentance Check (on success: {_sequence(ops, at + 1, op[OP_B])})")
            at = op[OP_B]
        elif op[OP_CODE] == IF:
            stop = op[OP_B]
            other = ""
            past = stop
            if ops[stop - 1][OP_CODE] == JUMP:
                past = ops[stop - 1][OP_B]
                other = f", else {_sequence(ops, stop, past)}"
                stop -= 1
            parts.append(f"if {_condition(op)}: {_sequence(ops, at + 1, stop)}{other}")
            at = past
        else:
            parts.append(_phrase(op))
            at += 1
    return "; ".join(parts)


def _condition(op: Sequence[int]) -> str:
    if op[OP_KIND] == CTRL:
        return f"{_WHO[ROLES[op[OP_WHO]]]} control {CODES[op[OP_A]]}"
    name = next(name for name, kind in QUANTITIES.items() if kind == op[OP_KIND])
    return f"{op[OP_N]} or more {name}"


def _phrase(op: Sequence[int]) -> str:
    number = f"{op[OP_N]:+d}"
    if op[OP_KIND] == AT_MOST_TREBUCHETS:
        number = f"{'-' if op[OP_N] < 0 else '+'}1 for each trebuchet, {abs(op[OP_N])} at most"
    if op[OP_CODE] in _TRACKS:
        return f"{_TRACKS[op[OP_CODE]]} {number}"
    who = _WHO[ROLES[op[OP_WHO]]]
    text = _PHRASES[op[OP_CODE]].format(
        who=who, n="all" if op[OP_N] == ALL else op[OP_N], sn=number, s="" if op[OP_N] == 1 else "s",
        zone=_places(op[OP_A]),
    )  # fmt: skip
    for clumsy, plain in _PLAIN:
        text = text.replace(clumsy, plain)
    if text.startswith("one of") and text.endswith(" die"):
        text += "s"
    if op[OP_CODE] == OP_ATTACK:
        if op[OP_C] != ALL_LOCATIONS:
            text += " on " + _places(op[OP_C])
        if op[OP_B]:
            text += " without defence bonus"
        elif op[OP_A]:
            text += f", defence bonus -{op[OP_A]}"
    if op[OP_CODE] == OP_REINF and op[OP_A]:
        text += f", {op[OP_A]} Crusaders fewer on the path"
    return text


def _places(mask: int) -> str:
    codes = [code for at, code in enumerate(CODES) if mask >> at & 1]
    return _AREAS.get(mask) or " or ".join(part for part in (", ".join(codes[:-1]), *codes[-1:]) if part)
