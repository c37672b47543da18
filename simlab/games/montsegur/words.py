"""The effect of a card in words, made from its program, for the labels of the game."""

from __future__ import annotations

from collections.abc import Sequence

from simlab.games.montsegur import effects as fx
from simlab.games.montsegur.state import ALL_LOCATIONS, CC, CODES, MC, NE, NP, SE, SP, WP

_WHO = {"P": "player", "O": "opponent", "CAT": "Cathars", "CRU": "Crusaders", "BOTH": "both sides"}
_TRACKS = {
    fx.OP_CAT_MORALE: "Cathar Morale",
    fx.OP_CRU_MORALE: "Crusader Morale",
    fx.OP_FOOD: "Food",
    fx.OP_FAITH: "Faith",
}
_AREAS = {
    ALL_LOCATIONS: "any location",
    ALL_LOCATIONS & ~(1 << MC | 1 << CC): "a location outside the command centres",
    1 << WP | 1 << NP | 1 << SP | 1 << SE | 1 << NE: "a perimeter location",
}
_PLAIN = (("Cathars's", "Cathars'"), ("Crusaders's", "Crusaders'"), ("the both", "both"), ("up to 1 of", "one of"))
# {who}: the side; {n}: the number; {s}: plural ending; {sn}: the signed number; {zone}: the location
_PHRASES = {
    fx.OP_TREBUCHET: "trebuchets {sn}",
    fx.OP_ASPIRE: "{n} Aspiring Perfect{s}",
    fx.OP_CAPTURE: "{n} Montségur Perfect{s} captured",
    fx.OP_RESCUE: "{n} Captured Perfect{s} back to Montségur",
    fx.OP_CONVERT: "{n} Captured Perfect{s} to Repenting Perfects",
    fx.OP_ESCAPE: "Cathars may attempt to escape with {n} CP",
    fx.OP_BOOST: "{who} boosts Morale with {n} CP",
    fx.OP_REINF: "{who} +{n} reinforcement points",
    fx.OP_MUSTER: "{who} +{n} soldiers in the command centre",
    fx.OP_RING: "Crusaders place {n} soldiers in perimeter locations they hold",
    fx.OP_BF_KILL: "up to {n} of the {who}'s soldiers in the Battlefield die",
    fx.OP_BF_RECOVER: "{n} soldiers of the {who} leave the Battlefield for the command centre",
    fx.OP_STRIKE: "up to {n} of the {who}'s soldiers in {zone} die",
    fx.OP_ROUT: "up to {n} of the {who}'s soldiers in {zone} to the Battlefield",
    fx.OP_ATTACK: "{who} may attack with {n} CP",
    fx.OP_REDEPLOY: "{who} may redeploy with {n} CP",
    fx.OP_SCOUT: "{who} +{n} scout{s}",
    fx.OP_SCOUT_LOSS: "{who} -{n} scout{s}",
    fx.OP_ADV: "{who} +{n} advantage marker{s}",
    fx.OP_ADV_STEAL: "{who} take an advantage marker from the other side",
    fx.OP_READY: "the {who}'s commander to its active side",
    fx.OP_DRAW: "{who} draws {n} card{s}",
    fx.OP_DISCARD: "{who} discards {n} card{s} at random",
    fx.OP_CAVES: "the Caves are open to the {who} from now on",
    fx.OP_LEAD: "{who} {sn} to Leadership Checks this turn",
    fx.OP_ESCAPE_MOD: "{sn} to Escape Checks this turn",
    fx.OP_PATH_LESS: "{n} Crusaders fewer on the Cathars' paths this turn",
    fx.OP_REINF_MOD: "{who} {sn} reinforcement points each time this turn",
    fx.OP_NO_ATTACK: "no attacks this turn",
    fx.OP_GRAIL: "Cathars score the Grail at the end",
    fx.OP_BROKEN_LINE: "the last Repentance Checks are easier",
    fx.OP_EW_PLUS: "defence bonus of the Eastern Walls against the Crest +1 from now on",
}  # fmt: skip


def card_words(ops: Sequence[Sequence[int]]) -> str:
    """A program (effects.parse_effect) in words."""
    return _sequence(ops, 0, len(ops)) or "no effect"


def _sequence(ops: Sequence[Sequence[int]], at: int, end: int) -> str:
    parts = []
    while at < end:
        op = ops[at]
        if op[fx.OP_CODE] == fx.OP_REPENT:
            parts.append(f"Repentance Check (on success: {_sequence(ops, at + 1, op[fx.OP_B])})")
            at = op[fx.OP_B]
        elif op[fx.OP_CODE] == fx.IF:
            stop = op[fx.OP_B]
            other = ""
            past = stop
            if ops[stop - 1][fx.OP_CODE] == fx.JUMP:
                past = ops[stop - 1][fx.OP_B]
                other = f", else {_sequence(ops, stop, past)}"
                stop -= 1
            parts.append(f"if {_condition(op)}: {_sequence(ops, at + 1, stop)}{other}")
            at = past
        else:
            parts.append(_phrase(op))
            at += 1
    return "; ".join(parts)


def _condition(op: Sequence[int]) -> str:
    if op[fx.OP_KIND] == fx.CTRL:
        return f"{_WHO[fx.ROLES[op[fx.OP_WHO]]]} control {CODES[op[fx.OP_A]]}"
    name = next(name for name, kind in fx.QUANTITIES.items() if kind == op[fx.OP_KIND])
    return f"{op[fx.OP_N]} or more {name}"


def _phrase(op: Sequence[int]) -> str:
    number = f"{op[fx.OP_N]:+d}"
    if op[fx.OP_KIND] == fx.AT_MOST_TREBUCHETS:
        number = f"{'-' if op[fx.OP_N] < 0 else '+'}1 for each trebuchet, {abs(op[fx.OP_N])} at most"
    if op[fx.OP_CODE] in _TRACKS:
        return f"{_TRACKS[op[fx.OP_CODE]]} {number}"
    who = _WHO[fx.ROLES[op[fx.OP_WHO]]]
    text = _PHRASES[op[fx.OP_CODE]].format(
        who=who, n="all" if op[fx.OP_N] == fx.ALL else op[fx.OP_N], sn=number, s="" if op[fx.OP_N] == 1 else "s",
        zone=_places(op[fx.OP_A]),
    )  # fmt: skip
    for clumsy, plain in _PLAIN:
        text = text.replace(clumsy, plain)
    if text.startswith("one of") and text.endswith(" die"):
        text += "s"
    if op[fx.OP_CODE] == fx.OP_ATTACK:
        if op[fx.OP_C] != ALL_LOCATIONS:
            text += " on " + _places(op[fx.OP_C])
        if op[fx.OP_B]:
            text += " without defence bonus"
        elif op[fx.OP_A]:
            text += f", defence bonus -{op[fx.OP_A]}"
    if op[fx.OP_CODE] == fx.OP_REINF and op[fx.OP_A]:
        text += f", {op[fx.OP_A]} Crusaders fewer on the path"
    return text


def _places(mask: int) -> str:
    codes = [code for at, code in enumerate(CODES) if mask >> at & 1]
    return _AREAS.get(mask) or " or ".join(part for part in (", ".join(codes[:-1]), *codes[-1:]) if part)
