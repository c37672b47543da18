"""A game as a page to step through: one HTML file that needs no network, or the data for the app's viewer.

    write_film(Film(match, seed=1, index=3), Path("game3.html"))

The page contains the film as data, and a plain script (film.js) that draws it; the app uses the same script. The data
contain each text once.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

from markupsafe import Markup

from simlab.present.chart import drawing
from simlab.present.html import templates
from simlab.questions.choices.regret import Why
from simlab.questions.course.analysis import Sides
from simlab.questions.maps.words import borders, center
from simlab.questions.replay.film import Film, Frame, Move, hex_contents
from simlab.questions.replay.narrative import DRAWN, PENDING, ending, is_drawn, knobs_words
from simlab.runs.files import atomic_write

ENDS = ("value", "low", "high")


class Reel:
    """A film as data for film.js, in pieces.

    Args:
        film: the film. seat: the seat whose view is shown; None sees all.
        futures: number of futures from the start of each turn, for the chances to win; 0 for none.
        worth: adds what each option of a decision was worth.
    """

    def __init__(self, film: Film, seat: int | None = None, futures: int = 0, worth: Why | None = None) -> None:
        self.film, self.seat, self.futures, self.worth = film, seat, futures, worth
        self.done = 0
        self._values: dict[str | tuple[int, ...], int] = {}
        self._sent = 0  # of these
        self._drawn = is_drawn(film.match.game)

    def head(self) -> dict[str, Any]:
        """Data common to all frames."""
        film, game = self.film, self.film.match.game
        return {
            "title": game.title, "seed": film.seed, "game": film.index, "turnName": game.turn_name,
            "seats": list(game.seats), "colors": list(starmap(drawing.seat_color, enumerate(game.seats))),
            "bots": [bot.text for bot in film.match.bots], "knobs": knobs_words(film.match),
            "eyes": self.seat, "command": film.command,
            "choices": [[number, action] for number, action in sorted(film.choices.items())],
            "decisions": [[decision.id, decision.name] for decision in game.decisions],
            "rules": [[rule.id, rule.text, rule.where] for rule in game.rules],
            "sides": list(Sides.of(game).names),
            "tracks": [] if self.seat is not None else [[track.name, track.low, track.high] for track in game.tracks],
            "lead": [] if self.seat is not None else [[t.name for t in game.tracks].index(n) for n in game.lead],
            "map": self._map(),
        }  # fmt: skip

    def piece(self, frames: int | None = None) -> dict[str, Any]:
        """The next frames, and the values that they introduce; without a number, all remaining ones.

        Returns:
            JSON-able: `values`, texts and lists of their numbers; `frames`; and `whole`, whether that was the last.
        """
        made: list[dict[str, Any]] = []
        whole = False
        while not whole and (frames is None or len(made) < frames):
            made.append(self._frame(self.film[self.done]))
            self.done += 1
            whole = not self.film.has(self.done)
        values = list(self._values)[self._sent :]
        self._sent += len(values)
        return {"values": values, "frames": made, "whole": whole}

    def go_over_to(self, film: Film, number: int) -> None:
        """Switches to another film after a frame; up to it, both films have the same frames."""
        self.film, self.done = film, number

    def _value(self, value: str | Sequence[str]) -> int:
        """The number of a text, or of a list of texts."""
        key = value.replace(" -> ", " → ") if isinstance(value, str) else tuple(map(self._value, value))
        return self._values.setdefault(key, len(self._values))

    def _frame(self, frame: Frame) -> dict[str, Any]:
        seat, game, move, hidden = self.seat, frame.game, frame.move, frame.hidden_from(self.seat)
        skip = {game.turn_name, "phase", PENDING} if game.play_part else {PENDING}
        skip |= {DRAWN} if self._drawn else set()
        number = {rule.id: place for place, rule in enumerate(game.rules)}
        chosen = self.film.chosen(frame.number)
        part = frame.part or frame.heading
        entries: dict[str, Any] = {"part": self._value(part) if part else None}
        if move:
            label = self._value("decides in secret" if hidden else move.label)
            entries["did"] = [move.turn, move.place, self._kind(move.decision), label, int(hidden)]
            entries["comment"] = self._value(move.comment) if move.comment else None
            entries["instead"] = self._value(move.instead) if move.instead and not hidden else None
        if not hidden:
            entries["asides"] = [self._value(text) for text in (*frame.asides, *frame.rolls)]
            entries["rules"] = [[number[rule.id], n] for rule, n in frame.fired]
            entries["luck"] = [[self._value(name.replace("_", " ")), n] for name, n in frame.luck]
        entries["changes"] = [
            [self._value(name), self._value("none any more" if change == "-" else change)]
            for name, change in frame.changes(seat) if name not in skip
        ]  # fmt: skip
        entries["asks"] = self._asks(frame, chosen)
        if self.worth and chosen and seat in (None, chosen.place):
            entries["worth"] = worth_data(self.worth, frame, chosen.action)
        if seat is None and game.tracks:
            entries["tracks"] = list(frame.at.copy().tracks().values())
        entries["hexes"] = [
            [number, self._value((hex_.text, hex_.owner, hex_.help, hex_.area, hex_.fill))]
            for number, hex_ in hex_contents(frame, seat).items()
        ]
        if self.futures and frame.open and (frame.before is None or frame.turn != frame.before.turn):
            entries["chances"] = chances_data(self.film, frame.number, self.futures, seat)
        entries["end"] = list(ending(self.film.match, frame.row())) if frame.over else []
        known = {name: value for name, value in entries.items() if value is not None and value != []}
        position = [
            [self._value(name), self._value(value)] for name, value in frame.position(seat).items()
            if not (self._drawn and name == DRAWN)
        ]  # fmt: skip
        return {"turn": frame.turn, "n": frame.at.decisions, "pos": position, **known}

    def _kind(self, decision: Any) -> int:
        return self.film.match.game.decisions.index(decision)

    def _asks(self, frame: Frame, chosen: Move | None) -> list[Any]:
        """[seat, kind, options, actions, index of the chosen one, why]; the last four only for seats that see them."""
        asked = frame.asked
        if asked is None:
            return []
        if self.seat is not None and asked.place != self.seat:
            return [asked.place, self._kind(asked.decision)]
        place = asked.actions.index(chosen.action) if chosen else -1
        data: list[Any] = [
            asked.place, self._kind(asked.decision), [self._value(label) for label in asked.labels],
            list(asked.actions), place,
        ]  # fmt: skip
        thought = {row.action: row for row in frame.considered()}
        if sum(row.visits > 0 for row in thought.values()) > 1:
            data.append([[thought[a].visits, round(thought[a].value, 3)] for a in asked.actions])
        return data

    def _map(self) -> dict[str, Any] | None:
        """The hexes to draw, and the lines around its places."""
        game = self.film.match.game
        if game.hex_map is None or not self._drawn:
            return None
        hexes: Any = game.hex_map.hexes(self.film.match.table_rows)
        return {
            "hexes": [
                [*(round(v, 3) for v in center(h)), h.number, h.sign, h.ground, f"{h.name} {h.area}".strip()]
                for h in hexes
            ],
            "legend": game.hex_map.legend,
            "borders": [[round(v, 3) for end in line for v in end] for line in borders(hexes)],
        }


def chances_data(film: Film, number: int, futures: int, seat: int | None = None) -> list[list[float]]:
    """[share, low, high] of each side at a frame."""
    chances = film.chances(number, futures, seat).values()
    return [[round(getattr(chance, end), 3) for end in ENDS] for chance in chances]


def worth_data(why: Why, frame: Frame, taken: int) -> list[list[float | None]]:
    """[value, gain over the option taken, low, high] of each option at a frame; None for the option taken itself."""
    found = why(frame.at, taken)
    return [
        [round(one.value, 3), *(None if one.gain is None else round(getattr(one.gain, end), 3) for end in ENDS)]
        for one in (found.options if found else ())
    ]


def script() -> str:
    """The script that draws a film: simlabFilm(element, head, ...)."""
    return Path(__file__).with_name("film.js").read_text(encoding="utf-8")


def style() -> str:
    return Path(__file__).with_name("film.css").read_text(encoding="utf-8")


def film_page(film: Film, seat: int | None = None, futures: int = 0, worth: Why | None = None) -> str:
    """The page as text; arguments as Reel, errors as Film."""
    reel = Reel(film, seat, futures=futures, worth=worth)
    data = {"head": reel.head(), "pieces": [reel.piece()]}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":  # so that no text can end the element that it is in
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    code = f"{script()}\nsimlabFilmFromPage();\n"
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return templates().get_template("film.html.j2").render(
        title=f"{film.match.game.title}, game {film.index} of seed {film.seed}",
        style=Markup(style()), script=Markup(code), digest=digest, data=Markup(text),
    )  # fmt: skip


def write_film(film: Film, path: Path, seat: int | None = None, futures: int = 0, worth: Why | None = None) -> None:
    """Writes the page; arguments as Reel.

    Raises:
        RunFailed: the file cannot be written. Others as Film.
    """
    atomic_write(path, film_page(film, seat, futures, worth).encode("utf-8", "replace"))
