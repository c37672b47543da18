"""Checks of single decisions of a bot: legal, repeatable, independent of hidden information, without side effects.

`simlab dev check-bot` makes them over whole games. A run makes a few hundred of these checks when it first plays a bot
that is not the lab's own, because no other part of a run detects a bot that peeks.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from simlab import __version__, shell
from simlab.bot_registry import Bot
from simlab.compiler import cache
from simlab.compiler.dependencies import digest_files
from simlab.engine import deadline, loop
from simlab.engine.match import Match
from simlab.engine.setup import game_text
from simlab.engine.sources import source_files
from simlab.engine.stepper import Stepper
from simlab.errors import SimlabError, StateMutationError

Array = np.ndarray[Any, Any]

DECISIONS, SECONDS = 300, 5.0  #: limits of the check at first use: decisions per bot, and seconds in all
CHECKED = 100  #: most games that a command steps through to check a bot
REDRAWS = 3  #: redraws of hidden information per decision
_HEADER = ("stream_", "forced_", "legal", "n_legal")
_OWN = ("simlab", "policies")  # packages whose bots the lab's own tests check


def fault_of_decision(stepper: Stepper, seat: int) -> str:
    """The error in what the bot of `seat`, the seat to act, chooses here, as a sentence; "" for none."""
    first, second, redrawn = stepper.copy(), stepper.copy(), stepper.copy()
    legal = first.legal()
    action = first.policy_action()
    if action not in legal:
        return f"action {action} is not legal. Legal: {legal}."
    if second.policy_action() != action:
        return "the same position gives another action."
    changed = difference(first.state, stepper.state)
    if changed or not _only_own_stream(first.state, stepper.state, seat):
        what = f"the bot changes the state, in `{changed or 'stream_at'}`"
        return f"{what}. It may only draw from its own stream."
    for _ in range(REDRAWS):
        redrawn.redraw(seat)
        asked = redrawn.copy()
        _give_redraw_stream(asked.state, stepper.state)
        if asked.policy_action() != action:
            return "the bot peeks: its choice changes when hidden information is redrawn."
    return ""


def _give_redraw_stream(state: Any, other: Any) -> None:
    """Copies the redraw stream of another state: a bot that redraws for itself must get the same numbers."""
    stream = int(state["stream_seats"])
    for name in ("stream_at", "stream_epoch", "stream_words"):
        state[name][stream] = other[name][stream]


def _only_own_stream(one: Any, other: Any, seat: int) -> bool:
    moved: Array = one["stream_at"] != other["stream_at"]
    return not moved[np.arange(moved.size) != seat].any()


def difference(one: Any, other: Any) -> str:
    """The first field in which two states differ, "" for none; buffers in the lab's header are ignored."""
    compared = [name for name in one.dtype.names if not name.startswith(_HEADER)]
    alike = other.copy()
    for name in one.dtype.names:
        if name.startswith(_HEADER):
            alike[name] = one[name]
    if one.tobytes() == alike.tobytes():
        return ""  # the usual case, much faster than one field at a time
    return next((str(name) for name in compared if not np.array_equal(one[name], other[name])), "")


# --- The first use of a bot ------------------------------------------------------


def unchecked(match: Match) -> dict[int, Path]:
    """Seats whose bots must be checked before they play, with the file that records the check.

    A bot that looks ahead plays on in positions that are redrawn for its seat, so it cannot peek.
    """
    seats = {}
    for seat, bot in enumerate(match.bots):
        if not bot.looks_ahead and any(module.split(".")[0] not in _OWN for module in bot.modules):
            record = _record_of(match, bot)
            if cache.read_private(record) != _FINE:
                seats[seat] = record
    return seats


_FINE = b"fine\n"


def _record_of(match: Match, bot: Bot) -> Path:
    """The file that records that a bot was checked. Its name depends on everything that the check depends on."""
    parts = {
        "lab": __version__, "rules": match.rules_digest, "game": game_text(match.game.plain or match.game),
        "seat": bot.seat, "bot": bot.policy.name, "traits": bot.traits.tolist(),
        "sources": digest_files(source_files(bot.modules)),
    }  # fmt: skip
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
    return cache.cache_root() / "conduct" / digest


def prepare(match: Match) -> None:
    """Compiles the code of the check, if a bot has to be checked."""
    if unchecked(match):
        _ = match.compiled.step, match.compiled.players


def check_first_use(
    match: Match, seed: int, games: Iterable[int], run: str, marks: Array | None = None, watched: bool = False
) -> None:
    """Checks the bots that are not the lab's own in some of their games, unless they were checked before.

    Other faults of a bot, such as exceptions, are left to the run.

    Args:
        games: indices of the games to step through.
        run: a name of this run; a run does not begin the same check twice, because a bot may crash its process.
        marks: int64, as `progress` of Match.play, kept up to date.
        watched: whether the time limit of a decision applies (simlab.engine.deadline); workers have their own watch.
    Raises:
        StateMutationError: a bot peeks, is not repeatable, or changes the state.
    """
    files = {seat: file for seat, file in unchecked(match).items() if _begin(file, run)}
    if not files:
        return
    match = match.without_metrics()
    _ = match.compiled.step, match.compiled.players
    fault = None
    with contextlib.suppress(SimlabError), contextlib.nullcontext() if watched else deadline.unwatched():
        fault = _first_fault(match, seed, games, dict.fromkeys(files, DECISIONS), marks)
    if fault:
        raise fault
    for file in files.values():
        with contextlib.suppress(OSError):
            cache.write_private(file, _FINE)


def check_bots(match: Match, seed: int) -> None:
    """Checks the bots of a match that are not the lab's own before a command analyzes it, unless already done.

    Raises:
        StateMutationError: a bot peeks, is not repeatable, or changes the state.
    """
    check_first_use(match, seed, range(CHECKED), uuid.uuid4().hex, watched=True)


def _begin(file: Path, run: str) -> bool:
    """Records that a run begins a check; returns False if the run has begun it before."""
    with contextlib.suppress(OSError):
        if cache.read_private(file) == run.encode():
            return False
        cache.write_private(file, run.encode())
    return True


def _first_fault(
    match: Match, seed: int, games: Iterable[int], left: dict[int, int], marks: Array | None
) -> StateMutationError | None:
    """The first fault of the bots of these seats; None if there is none in as many decisions as are `left` for each."""
    until = time.monotonic() + SECONDS
    for index in games:
        if marks is not None:
            marks[0], marks[2] = index, 0
        for stepper in Stepper(match, seed, index).positions():
            seat = int(stepper.state.seat)
            if marks is not None:
                marks[2] = (stepper.decisions << loop.TURN_BITS) | (seat << loop.SEAT_BITS) | loop.ASKED
            if left.get(seat):
                why = fault_of_decision(stepper, seat)
                left[seat] -= 1
                if why and "not legal" not in why:
                    return _fault(match, stepper, seat, why)
            if not any(left.values()) or time.monotonic() > until:
                return None
    return None


def _fault(match: Match, stepper: Stepper, seat: int, why: str) -> StateMutationError:
    bot = match.bots[seat]
    index, seed = stepper.index, stepper.seed
    words = ["simlab", "dev", "check-bot", game_text(match.game), bot.text, "--seat", bot.seat, "--seed", str(seed)]
    return StateMutationError(
        f"bot '{bot.text}' ({bot.seat}), game {index} of seed {seed}, decision {stepper.decisions + 1}: {why} None of "
        f"its statistics is valid. Check it: {shell.join(words)}\nReplay it: {match.replay_command(seed, index)}",
        game=match.game.slug, index=index, seed=seed, seat=bot.seat, bot=bot.text,
    )  # fmt: skip
