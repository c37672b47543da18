"""A game's fingerprint: the results of a fixed set of its games, stored with its rules.

Random bots play the printed game, and the game with each knob at other values, always on the same seeds. Refactoring
keeps every result. A change of behaviour shows up as a share of games that differ, with the knobs concerned. The file
`fingerprint.json` in the game's folder contains 16 bits per game.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import PlainValidator

from simlab import shell
from simlab.engine.outcome import score_columns, winner_words, won
from simlab.errors import InputError, other_form
from simlab.game import Array, Game, Knob, KnobValue
from simlab.questions.verify.analysis import FingerprintCheck, WrittenFingerprint
from simlab.runs.files import Missing, atomic_write, parse_json, read_inside, to_json
from simlab.runs.names import read_form
from simlab.spec.design import show_value
from simlab.spec.knobs import NumberKnob

NAME = "fingerprint.json"
FORMAT = 1
SEED: Literal[1_244] = 1_244
PRINTED, VARIED = 400, 24  #: number of games of the printed game, and of each other value of a knob


def _unpacked(text: object) -> Array:
    return np.frombuffer(base64.b64decode(str(text), validate=True), "<u2")


@dataclass(frozen=True)
class Fingerprint:
    """Results of the games of a fingerprint.

    Attributes:
        outcomes: variant -> uint16 per game, made of its winner, ending, length and decisions. The printed game is
            `as printed`, others are named as `walls_max=11`.
        columns: metric or score -> digest over all games.
    """

    outcomes: dict[str, Annotated[Array, PlainValidator(_unpacked)]]
    columns: dict[str, str]
    seed: Literal[1_244] = SEED

    @property
    def games(self) -> int:
        return sum(codes.size for codes in self.outcomes.values())

    def to_bytes(self) -> bytes:
        """The content of the file."""
        packed = {name: base64.b64encode(c.astype("<u2").tobytes()).decode() for name, c in self.outcomes.items()}
        return to_json({"format": FORMAT, "seed": self.seed, "outcomes": packed, "columns": self.columns}, pretty=True)

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Fingerprint:
        """Raises InputError: another form."""
        body = parse_json(data, where)
        form = body.get("format") if isinstance(body, dict) else None
        if form != FORMAT:
            raise InputError(other_form(where, "a fingerprint", form, FORMAT, "Write it again: --write"))
        return read_form(cls, body, where)


def take(game: Game) -> Fingerprint:
    from simlab.engine.match import Match

    bots = dict.fromkeys(game.seats, "random")
    outcomes = {}
    totals: dict[str, Any] = {}
    for name, knobs, games in _variants(game):
        rows = Match(game, knobs=knobs, bots=bots).play(SEED, 0, games).rows
        outcomes[name] = _codes(rows, game)
        columns = {metric.name: rows[metric.name] for metric in game.metrics}
        if game.has_scores:
            columns |= score_columns(rows, game.seats)
        for place, category in enumerate(game.seat_categories):
            columns |= {f"{category.name}_{s}": rows["category"][:, place, i] for i, s in enumerate(game.seats)}
        for column, values in columns.items():
            kind = "<f8" if values.dtype.kind == "f" else "<i8"
            totals.setdefault(column, hashlib.sha256()).update(np.ascontiguousarray(values).astype(kind).tobytes())
    return Fingerprint(outcomes, {name: total.hexdigest()[:16] for name, total in sorted(totals.items())})


def _variants(game: Game) -> Iterator[tuple[str, dict[str, KnobValue], int]]:
    """Variants as (name, knobs, games): the printed game, then each knob at other values that the game allows."""
    tables = game.read_tables({})
    printed = game.resolve_knobs({}, tables)
    yield "as printed", {}, PRINTED
    for knob in game.knobs.values():
        for value in _other_values(knob, printed[knob.name]):
            try:
                game.resolve_knobs({knob.name: value}, tables)
            except InputError:  # it conflicts with the printed values of other knobs
                continue
            yield f"{knob.name}={show_value(value)}", {knob.name: value}, VARIED


def _other_values(knob: Knob, printed: KnobValue) -> list[KnobValue]:
    if isinstance(knob, NumberKnob):
        near = [knob.of(float(printed) + sign * knob.step(4)) for sign in (1, -1)]
        return [value for value in near if knob.low <= value <= knob.high]
    return [value for value in knob.choices or knob.options if value != printed]


def _winner(row: Any, game: Game) -> str:
    """The winner or winners of a game, in words."""
    if row["winner"] >= 0 or not row["winners"] or len(game.seats) == 2:
        return winner_words(game)[int(row["winner"])]
    return " and ".join(sorted(seat for place, seat in enumerate(game.seats) if won(row, place)))


def _codes(rows: Array, game: Game) -> Array:
    """16 bits per game, computed from names, because seats and endings may be listed in another order."""
    digests = [
        hashlib.sha256(
            f"{_winner(row, game)} {game.endings[row['ending']]} {row['turns']} {row['decisions']}".encode()
        ).digest()[:2]
        for row in rows
    ]
    return np.frombuffer(b"".join(digests), "<u2")


def path_of(game: Game) -> Path:
    """The file of the fingerprint; a game with several player counts has one file for each."""
    if game.is_class:
        players = f"-{len(game.seats)}" if game.players[1] else ""
        return game.path.with_name(f"{game.path.stem}{players}.fingerprint.json")
    stem, dot, suffix = NAME.partition(".")
    return game.folder / (f"{stem}-{len(game.seats)}{dot}{suffix}" if game.players[1] else NAME)


def write(game: Game) -> WrittenFingerprint:
    """Takes the fingerprint and writes it beside the game.

    Raises:
        InputError: the game is a part of an installed package.
    """
    path = path_of(game)
    if is_installed(path):
        raise InputError(
            f"{game.slug} is a part of an installed package, whose files stay as they are: --write is for games of "
            f"your own, as in simlab verify ./my_game.py --write. {_others(game)}"
        )
    taken = take(game)
    atomic_write(path, taken.to_bytes())
    return WrittenFingerprint(fingerprint=str(path), games=taken.games, variants=len(taken.outcomes))


def is_installed(path: Path) -> bool:
    """Whether a file is in a folder of installed packages, not in a designer's own or in a checkout of the lab."""
    return not {"site-packages", "dist-packages"}.isdisjoint(path.resolve().parts)


def _others(game: Game) -> str:
    """The player counts for which a game has a fingerprint, as a sentence; empty if it has one count."""
    if not game.players[1]:
        return ""
    head = path_of(game).name.replace(f"-{len(game.seats)}.", "-{}.")
    counts = range(game.players[0], game.players[1] + 1)
    known = [str(count) for count in counts if (path_of(game).parent / head.format(count)).exists()]
    return f"It has one for {' and '.join(known)} players: --players {known[0]}" if known else ""


def compare(game: Game) -> FingerprintCheck:
    """Plays the games of the fingerprint and compares.

    Raises:
        InputError: the game has no fingerprint, or the file has another form.
    """
    try:
        then = Fingerprint.from_bytes(read_inside(game.folder, path_of(game).name), str(path_of(game)))
    except Missing:
        if is_installed(path_of(game)):
            raise InputError(f"no fingerprint of {game.reference} comes with its package. {_others(game)}") from None
        raise InputError(
            f"{path_of(game)}: does not exist. Write it while the rules are right: "
            f"{shell.join(['simlab', 'verify', game.reference, '--write'])}"
        ) from None
    return compared(game.slug, then, take(game))


def compared(slug: str, then: Fingerprint, now: Fingerprint) -> FingerprintCheck:
    """The change from one fingerprint of a game to another."""
    shared = {n for n, codes in now.outcomes.items() if n in then.outcomes and then.outcomes[n].size == codes.size}
    off = {n: int((codes != then.outcomes[n]).sum()) for n, codes in now.outcomes.items() if n in shared}
    variants = {name: (count, int(now.outcomes[name].size)) for name, count in off.items() if count}
    whole = shared == set(now.outcomes) == set(then.outcomes)
    moved = [name for name in then.columns if now.columns.get(name) != then.columns[name]]
    columns = tuple(moved if whole and not variants else [n for n in moved if n not in now.columns])
    new, gone = tuple(sorted(set(now.outcomes) - shared)), tuple(sorted(set(then.outcomes) - shared))
    same = not (variants or columns or new or gone)
    return FingerprintCheck(
        game=slug, games=sum(int(now.outcomes[name].size) for name in shared),
        differ=sum(count for count, _ in variants.values()), same=same, exit_status=0 if same else 5,
        variants=variants, columns=columns, new=new, gone=gone,
    )  # fmt: skip
