"""The effect vocabulary (ledger section 2.7): a card's words, parsed once into an integer program.

    cat_morale -1                      if ctrl(CRU,CRE): trebuchet +1 else: scout(CRU,1)
    bf_kill(O,4); draw(P,2)            repent[faith -1; capture(1)]

P is the side that plays or triggers the card, O the other side; CAT and CRU are fixed. A program is a sequence of ops,
each (code, who, n, kind, a, b, c); events.py carries them out. `if`, `else` and `repent` are jumps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from simlab.errors import InputError, nearest
from simlab.games.montsegur.state import ALL_LOCATIONS, CODES, numbers

OP_WIDTH = 7
OP_CODE, OP_WHO, OP_N, OP_KIND, OP_A, OP_B, OP_C = numbers(0, OP_WIDTH)
ALL = 99  # `all` as a number
PLAIN, AT_MOST_TREBUCHETS = numbers(0, 2)  # OP_KIND of a number: as printed, or min(n, trebuchets)
ROLE_P, ROLE_O, ROLE_CAT, ROLE_CRU, ROLE_BOTH = numbers(0, 5)
ROLES = ("P", "O", "CAT", "CRU", "BOTH")

# The order matters: events.py distinguishes the groups by it.
(
    END, IF, JUMP,
    OP_CAT_MORALE, OP_CRU_MORALE, OP_FOOD, OP_FAITH, OP_TREBUCHET,
    OP_ASPIRE, OP_CAPTURE, OP_RESCUE, OP_CONVERT, OP_ESCAPE, OP_REPENT, OP_BOOST,
    OP_REINF, OP_MUSTER, OP_RING, OP_BF_KILL, OP_BF_RECOVER, OP_STRIKE, OP_ROUT, OP_ATTACK, OP_REDEPLOY,
    OP_SCOUT, OP_SCOUT_LOSS, OP_ADV, OP_ADV_STEAL, OP_READY, OP_DRAW, OP_DISCARD,
    OP_CAVES, OP_LEAD, OP_ESCAPE_MOD, OP_PATH_LESS, OP_REINF_MOD, OP_NO_ATTACK,
    OP_GRAIL, OP_BROKEN_LINE, OP_EW_PLUS,
) = numbers(0, 40)  # fmt: skip

CTRL, TREBUCHETS_AT_LEAST, CAPTURED_AT_LEAST, MONTSEGUR_AT_LEAST, ASPIRING_AT_LEAST, ESCAPED_AT_LEAST = numbers(0, 6)
QUANTITIES = {
    "trebuchets": TREBUCHETS_AT_LEAST,
    "captured": CAPTURED_AT_LEAST,
    "montsegur": MONTSEGUR_AT_LEAST,
    "aspiring": ASPIRING_AT_LEAST,
    "escaped": ESCAPED_AT_LEAST,
}

_TRACKS = {
    "cat_morale": OP_CAT_MORALE,
    "cru_morale": OP_CRU_MORALE,
    "food": OP_FOOD,
    "faith": OP_FAITH,
    "trebuchet": OP_TREBUCHET,
}
# name -> code, arguments: w a side, n a number 1..20, f a force 1..6, s a signed number, z a zone
_CALLS: dict[str, tuple[int, str, str]] = {
    "boost": (OP_BOOST, "wf", "boost(P,4)"),
    "reinf": (OP_REINF, "wn?", "reinf(P,4) or reinf(CAT,4,less4)"),
    "muster": (OP_MUSTER, "wn", "muster(CRU,5)"),
    "ring": (OP_RING, "n", "ring(4)"),
    "bf_kill": (OP_BF_KILL, "wn", "bf_kill(O,4)"),
    "bf_recover": (OP_BF_RECOVER, "wn", "bf_recover(P,3) or bf_recover(BOTH,all)"),
    "strike": (OP_STRIKE, "wnz", "strike(O,1,FIELD)"),
    "rout": (OP_ROUT, "wnz", "rout(CRU,3,CAMP)"),
    "scout": (OP_SCOUT, "wn", "scout(P,2)"),
    "scout_loss": (OP_SCOUT_LOSS, "wn", "scout_loss(O,1)"),
    "adv": (OP_ADV, "wn", "adv(P,2)"),
    "adv_steal": (OP_ADV_STEAL, "w", "adv_steal(CRU)"),
    "aspire": (OP_ASPIRE, "n", "aspire(2)"),
    "capture": (OP_CAPTURE, "n", "capture(1)"),
    "rescue": (OP_RESCUE, "n", "rescue(1)"),
    "convert": (OP_CONVERT, "n", "convert(1)"),
    "escape": (OP_ESCAPE, "f", "escape(4)"),
    "caves": (OP_CAVES, "w", "caves(CAT)"),
    "ready": (OP_READY, "w", "ready(P)"),
    "attack": (OP_ATTACK, "wf?", "attack(P,4) or attack(CRU,4,bonus-1) or attack(CRU,4,target=EW,bonus=0)"),
    "redeploy": (OP_REDEPLOY, "wf", "redeploy(P,5)"),
    "draw": (OP_DRAW, "wf", "draw(P,2)"),
    "discard": (OP_DISCARD, "wf", "discard(O,1)"),
    "turn lead": (OP_LEAD, "ws", "turn lead(CAT,+1)"),
    "turn escape_mod": (OP_ESCAPE_MOD, "s", "turn escape_mod(-2)"),
    "turn path_less": (OP_PATH_LESS, "f", "turn path_less(2)"),
    "turn reinf_mod": (OP_REINF_MOD, "ws", "turn reinf_mod(CAT,-2)"),
    "turn no_attack": (OP_NO_ATTACK, "", "turn no_attack"),
    "game grail": (OP_GRAIL, "", "game grail"),
    "game broken_line": (OP_BROKEN_LINE, "", "game broken_line"),
    "game ew_plus": (OP_EW_PLUS, "", "game ew_plus"),
}  # fmt: skip


def vocabulary() -> tuple[str, ...]:
    """The vocabulary of cards, with an example of each."""
    tracks = tuple(f"{name} +1" for name in _TRACKS)
    return (
        *tracks,
        *(example for _, _, example in _CALLS.values()),
        "repent[faith -1]",
        "if ctrl(CRU,CRE): food -1",
    )


@dataclass
class _Program:
    """Ops of one effect under construction; jumps count from the program's first op."""

    where: str
    zones: dict[str, int]
    ops: list[list[int]] = field(default_factory=list)

    def bad(self, part: str, hint: str) -> InputError:
        return InputError(f"{self.where}: '{part}' is not known. {hint}")

    def add(self, code: int, who: int = 0, n: int = 0, kind: int = 0, a: int = 0, b: int = 0, c: int = 0) -> int:
        self.ops.append([code, who, n, kind, a, b, c])
        return len(self.ops) - 1

    def sequence(self, text: str) -> None:
        for part in _split(text, ";"):
            self.statement(part.strip())

    def statement(self, text: str) -> None:
        if text.startswith("if ") and ":" in text:
            self.condition(text)
        elif text.startswith("repent[") and text.endswith("]"):
            at = self.add(OP_REPENT)
            self.sequence(text[len("repent[") : -1])
            self.ops[at][OP_B] = len(self.ops)
        elif match := re.fullmatch(r"([a-z_]+) ?([+-])(?:(\d)|min\((\d),trebuchets\))", text):
            self.track(text, match)
        else:
            self.call(text)

    def condition(self, text: str) -> None:
        test, _, then = text[3:].partition(":")
        then, other = _else(then)
        test = test.strip()
        if match := re.fullmatch(r"ctrl\((CAT|CRU),([A-Z]+)\)", test):
            if match[2] not in CODES:
                raise self.bad(match[2], f"Locations: {', '.join(CODES)}.")
            at = self.add(IF, ROLES.index(match[1]), 1, CTRL, CODES.index(match[2]))
        elif (match := re.fullmatch(r"([a-z]+)>=(\d{1,2})", test)) and match[1] in QUANTITIES:
            at = self.add(IF, 0, int(match[2]), QUANTITIES[match[1]])
        else:
            names = ", ".join(f"{name}>=1" for name in QUANTITIES)
            raise self.bad(test, f"A condition is ctrl(CRU,CRE) or one of {names}.")
        self.sequence(_unwrap(then))
        if other:
            skip = self.add(JUMP)
            self.ops[at][OP_B] = len(self.ops)
            self.sequence(_unwrap(other))
            self.ops[skip][OP_B] = len(self.ops)
        else:
            self.ops[at][OP_B] = len(self.ops)

    def track(self, text: str, match: re.Match[str]) -> None:
        if match[1] not in _TRACKS:
            raise self.bad(text, nearest(match[1], _TRACKS))
        sign = 1 if match[2] == "+" else -1
        kind = PLAIN if match[3] else AT_MOST_TREBUCHETS
        self.add(_TRACKS[match[1]], 0, sign * int(match[3] or match[4]), kind)

    def call(self, text: str) -> None:
        match = re.fullmatch(r"((?:turn |game )?[a-z_]+)(?:\(([^()]*)\))?", text)
        if not match or match[1] not in _CALLS:
            name = match[1] if match else text.split("(", maxsplit=1)[0]
            raise self.bad(text, nearest(name, [*_CALLS, *_TRACKS, "repent[..]", "if .. : .."]))
        code, form, example = _CALLS[match[1]]
        words = [word.strip() for word in match[2].split(",")] if match[2] else []
        options = words[len(form.rstrip("?")) :]
        if len(words) < len(form.rstrip("?")) or (options and not form.endswith("?")):
            raise self.bad(text, f"Write {example}.")
        row = [code, 0, 0, 0, 0, 0, 0]
        for kind, word in zip(form.rstrip("?"), words, strict=False):
            self.argument(row, kind, word, text, example)
        if code == OP_ATTACK:
            row[OP_C] = int(ALL_LOCATIONS)
        for option in options:
            self.option(row, option, text, example)
        self.ops.append(row)

    def argument(self, row: list[int], kind: str, word: str, text: str, example: str) -> None:
        if kind == "w":
            allowed = ROLES if row[OP_CODE] == OP_BF_RECOVER else ROLES[:4]
            if word not in allowed:
                raise self.bad(text, f"A side is one of {', '.join(allowed)}, as in {example}.")
            row[OP_WHO] = ROLES.index(word)
        elif kind == "z":
            if word not in self.zones:
                raise self.bad(word, f"Zones: {', '.join(sorted(self.zones))}.")
            row[OP_A] = self.zones[word]
        elif kind == "n" and word == "all" and row[OP_CODE] in (OP_BF_RECOVER, OP_BF_KILL):
            row[OP_N] = ALL
        else:
            pattern, low, high = {"n": (r"\d{1,2}", 1, 20), "f": (r"\d", 1, 6), "s": (r"[+-]\d", -5, 5)}[kind]
            if not re.fullmatch(pattern, word) or not low <= int(word) <= high or int(word) == 0:
                raise self.bad(text, f"The number is in {low}..{high}, as in {example}.")
            row[OP_N] = int(word)

    def option(self, row: list[int], word: str, text: str, example: str) -> None:
        if row[OP_CODE] == OP_REINF and re.fullmatch(r"less\d", word):
            row[OP_A] = int(word[4:])
        elif row[OP_CODE] == OP_ATTACK and re.fullmatch(r"bonus-\d", word):
            row[OP_A] = int(word[6:])
        elif row[OP_CODE] == OP_ATTACK and word == "bonus=0":
            row[OP_B] = 1
        elif row[OP_CODE] == OP_ATTACK and word.removeprefix("target=") in CODES:
            row[OP_C] = 1 << CODES.index(word.removeprefix("target="))
        else:
            raise self.bad(text, f"Write {example}.")


def _split(text: str, mark: str) -> list[str]:
    """Parts between marks outside brackets."""
    parts, depth, last = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == mark and depth == 0:
            parts.append(text[last:at])
            last = at + 1
    return [*parts, text[last:]]


def _else(text: str) -> tuple[str, str]:
    then, _, other = text.partition(" else:")
    return then.strip(), other.strip()


def _unwrap(text: str) -> str:
    return text[1:-1] if text.startswith("[") and text.endswith("]") else text


def parse_effect(text: str, where: str, zones: dict[str, int], limit: int = 12) -> list[list[int]]:
    """A card's words as ops, without the END that follows them.

    Args:
        text: the effect; `nothing` or an empty cell for a card without one.
        where: the place to name in an error, such as `table commands, S01, effect`.
        zones: name of a zone -> mask of locations.
    Raises:
        InputError: a word is not in the vocabulary; the message gives the nearest one.
    """
    if text.strip() in ("", "nothing"):
        return []
    program = _Program(where, zones)
    program.sequence(text)
    if len(program.ops) > limit:
        raise InputError(f"{where}: {len(program.ops)} steps. At most {limit}.")
    return program.ops
