"""Plays the games of the app in the background: the printed rules and the tweak, with common random numbers.

Each request has a thread, and only the thread of the latest request plays. Pieces of work start small, so numbers
appear at once, and then grow, so overhead stays low. A new request ends the current piece. Compiled games run without
Python's lock (`nogil`), so the page stays responsive, and each piece is split over the processors; code that is not yet
compiled is first compiled in a separate process. The games of each set of rules are kept, so a moved slider does not
replay the printed rules or an earlier tweak.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from simlab.compiler.parallel import processors
from simlab.engine import deadline
from simlab.engine.compile_helper import compile_apart
from simlab.engine.tally import Tally
from simlab.errors import GameTruncated, RunFailed, SimlabError
from simlab.runs.truncation import MOST_CUT_OFF, batches_parting, too_many_cut_off
from simlab.runs.worker_pool import in_a_thread

if TYPE_CHECKING:
    from simlab.engine.match import Match

Array = np.ndarray[Any, Any]
Phase = Literal["waiting", "compiling", "playing", "done", "wrong"]

_PIECE = 0.3  # seconds that a piece should take
_GROWTH = 16  # times as many games as in the piece before, at most
_FIRST_FIGURES = 0.2  # seconds of play before the first statistics, if a piece ends before
_KEPT = 400_000_000  # bytes of games that are kept of other sets of rules
_REST = 2.0  # games are played this many times longer than the statistics took, before the next
_LIMIT = deadline.LIMIT  # seconds for one decision
_LOOK = 0.02  # seconds between two checks for another request


class Superseded(Exception):
    """Raised when a newer request has replaced this one, or the player has ended."""


@dataclass(frozen=True)
class Side:
    """Games 0 .. games-1 of one set of rules.

    Attributes:
        match: the match. key: key of match and seed. games: number played, including truncated ones.
        tally: counts of the games that ended. rows: their rows, in order, in pieces. cut_off: number of games that did
            not end.
    """

    match: Match
    key: tuple[str, int]
    games: int
    tally: Tally
    rows: tuple[Array, ...]
    cut_off: int = 0

    @property
    def size(self) -> int:
        """Number of bytes of its rows."""
        return sum(rows.nbytes for rows in self.rows)

    def table(self) -> Array:
        """Its rows in one piece."""
        return np.concatenate(self.rows) if self.rows else np.zeros(0, self.match.game.row_type)


@dataclass(frozen=True)
class Play:
    """The progress of the games that were requested last.

    Attributes:
        number: grows with every event. request: number of the request, which grows too. form: the input of the request.
        printed, tweak: the games played; tweak is None if nothing differs from the printed rules.
        wanted: number of games to play under each set of rules. note: what is being compiled, or the error. rate: games
            per second, both sides together. summary: result of `summarize`, perhaps a little older.
    """

    number: int = 0
    request: int = 0
    form: Any = None
    phase: Phase = "waiting"
    printed: Side | None = None
    tweak: Side | None = None
    wanted: int = 0
    note: str = ""
    rate: float = 0.0
    summary: Any = None


@dataclass(frozen=True)
class _Request:
    number: int
    printed: Callable[[], Match]
    tweak: Callable[[], Match] | None
    seed: int
    games: int
    form: Any


class Player:
    """Plays in the background.

    Args:
        summarize: function that computes statistics; called in a thread of the player with the games so far, and
            whether all are played.
    Attributes:
        play: the current progress; a new object at every event.
    """

    def __init__(self, summarize: Callable[[Play, bool], Any] = lambda play, done: None) -> None:
        self.play = Play()
        self._summarize = summarize
        self._playing = threading.Lock()
        self._latest = 0  # number of the latest request; -1 at the end
        self._beside: subprocess.Popen[str] | None = None
        self._kept: OrderedDict[tuple[str, int], Side] = OrderedDict()

    def ask(
        self, printed: Callable[[], Match], tweak: Callable[[], Match] | None, seed: int, games: int, form: Any = None
    ) -> int:
        """Requests games 0 .. games-1, replacing the previous request.

        Args:
            printed, tweak: functions that make the matches, called in the request's thread. form: returned with the
                play.
        Returns:
            number of the request.
        """
        self._latest += 1
        request = _Request(self._latest, printed, tweak, seed, games, form)
        in_a_thread(partial(self._answer, request), "simlab app")
        return request.number

    def _began_beside(self, process: subprocess.Popen[str]) -> None:
        self._beside = process
        if self._latest < 0:
            process.terminate()

    def close(self) -> None:
        """Ends the player. The current piece and the current compilation are abandoned."""
        self._latest = -1
        if self._beside is not None:
            self._beside.terminate()
        self._playing.acquire(timeout=2)  # by then the last request has ended

    def _note(self, **changes: Any) -> None:
        self.play = replace(self.play, number=self.play.number + 1, **changes)

    def _answer(self, request: _Request) -> None:
        with self._playing:  # once the request before has ended, because it is superseded
            try:
                self._stop_if_superseded(request)
                self._carry_out(request)
            except Superseded:
                pass
            except SimlabError as fault:
                self._note(phase="wrong", note=str(fault))
            except Exception as fault:  # noqa: BLE001 - the page reports it, and the app stays open
                self._note(phase="wrong", note=f"this is a defect of simlab: {type(fault).__name__}: {fault}")

    def _stop_if_superseded(self, request: _Request) -> None:
        if self._latest != request.number:
            raise Superseded

    def _carry_out(self, request: _Request) -> None:
        of_request = {"request": request.number, "form": request.form, "wanted": request.games}
        self._note(phase="compiling", note="", rate=0.0, **of_request)
        sides = [self._begun(make, request) for make in (request.printed, request.tweak) if make is not None]
        self._note(phase="playing", note="")
        began, played, told_at, told_for = time.perf_counter(), 0, 0.0, 0.0
        piece = processors()  # one game each: that of a slow bot may take seconds
        while True:
            last = min(min(side.games for side in sides) + piece, request.games)
            started = time.perf_counter()
            for place, side in enumerate(sides):
                if side.games < last:
                    played += last - side.games
                    sides[place] = self._further(side, last, request)
            now = time.perf_counter()
            self._stop_if_superseded(request)
            done = last >= request.games
            tweak = sides[1] if len(sides) > 1 else None
            self._note(printed=sides[0], tweak=tweak, rate=played / max(now - began, 1e-6))
            if done or now - max(told_at, began + _FIRST_FIGURES - _REST * told_for) > _REST * told_for:
                summary = self._summarize(self.play, done)
                told_at = time.perf_counter()
                told_for = told_at - now
                self._stop_if_superseded(request)
                self._note(summary=summary, phase="done" if done else "playing")
            if done:
                return
            piece = max(1, min(_GROWTH * piece, int(piece * _PIECE / max(now - started, 1e-6)), request.games - last))

    def _begun(self, make: Callable[[], Match], request: _Request) -> Side:
        match = make()
        self._stop_if_superseded(request)
        key = (match.key, request.seed)
        side = self._kept.pop(key, None)
        if side is None or side.games > request.games:

            def compiling(what: str, done: int, total: int) -> None:
                self._note(phase="compiling", note=f"{what} ({done + 1} of {total})")

            if not match.compiled.known:
                self._note(phase="compiling", note="the rules and bots")
                compile_apart(match, compiling, self._began_beside)
                self._stop_if_superseded(request)
            match.compile(compiling)
            side = Side(match, key, 0, Tally.empty(match.game), ())
        self._kept[key] = side
        while len(self._kept) > 2 and sum(one.size for one in self._kept.values()) > _KEPT:
            self._kept.popitem(last=False)
        return side

    def _further(self, side: Side, last: int, request: _Request) -> Side:
        count = last - side.games
        parts = min(processors(), count)
        edges = [side.games + count * part // parts for part in range(parts + 1)]
        threads: list[int] = []

        def part(first: int, end: int) -> tuple[list[Any], list[int]]:
            threads.append(threading.get_ident())
            return self._batches(side, first, end, request)

        futures = [in_a_thread(partial(part, *ends), "simlab app") for ends in pairwise(edges)]
        stillness = deadline.Stillness()
        while wait(futures, _LOOK).not_done:
            overdue = stillness.overdue(_LIMIT, threads)
            if overdue:  # its thread cannot be ended, but the page stays alive
                raise RunFailed(f"{overdue} It keeps a processor busy until you close the app.")
            self._stop_if_superseded(request)  # without waiting for a long game: its thread ends on its own
        tally, rows, cut_off = side.tally, list(side.rows), side.cut_off
        for batches, lost in (future.result() for future in futures):
            for batch in batches:
                tally = tally + batch.tally
                rows.append(np.asarray(batch.rows))
            cut_off += len(lost)
        if cut_off > MOST_CUT_OFF * request.games:
            raise GameTruncated(f"{side.match.game.slug}: {too_many_cut_off(cut_off, last)}.")
        further = Side(side.match, side.key, last, tally, tuple(rows), cut_off)
        self._kept[side.key] = further
        return further

    def _batches(self, side: Side, first: int, end: int, request: _Request) -> tuple[list[Any], list[int]]:
        def each(cut_off: int, fault: GameTruncated) -> None:
            if cut_off > MOST_CUT_OFF * request.games:
                raise fault

        play = partial(side.match.play, request.seed, each_slice=lambda _: self._stop_if_superseded(request))
        return batches_parting(play, first, end - first, each)
