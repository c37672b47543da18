"""simlab play."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli.options import TIMEOUT, LimitOption, QuietOption, VariantArgument, Variation, index_number
from simlab.cli.terminal import Progress, show
from simlab.errors import InputError

if TYPE_CHECKING:
    from simlab.engine.stepper import Stepper


def play(
    game: VariantArgument,
    seat: Annotated[str, typer.Option("--as", metavar="SEAT", help="The seat that you take.")],
    played: Variation,
    index: Annotated[
        int, typer.Option("--game", "-g", metavar="N", parser=index_number, help="Index of the game, from 0.")
    ] = 0,
    timeout: LimitOption = TIMEOUT,
    quiet: QuietOption = False,
) -> None:
    """Play a game yourself against bots, in the terminal.

    You see what your seat sees and choose a legal action by its number; ? explains, q quits. The same seed and index
    give the same random draws. Other seats without --bot play the game's default bot.

    Examples:
      echo q | simlab play simple_siege --as besieged --bot besieger=rusher --seed 7
    """
    from simlab.engine.match import Match
    from simlab.engine.stepper import Stepper
    from simlab.game import the_seat
    from simlab.questions.replay.film import decide
    from simlab.questions.replay.narrative import ending
    from simlab.questions.replay.position import changes

    chosen = played.of(game)
    loaded, bots = chosen.game, chosen.bots
    person = loaded.seat_number(seat, f"--as {seat}: ")
    if any(text.partition("=")[0].strip() == seat for text in played.bot or ()):
        raise InputError(f"--bot {seat}=...: that is your own seat (--as {seat}).")
    match = Match(loaded, knobs=chosen.knobs, tables=chosen.tables, bots=bots)
    with Progress(quiet) as progress:
        progress.say("compiling if needed")
        stepper = Stepper(match, chosen.seed, index)
    _take_any_bytes()
    others = ", ".join(f"{name}: {text}" for name, text in bots.items() if name != seat)
    you = f"{loaded.title}. You are {the_seat(loaded, seat)}"
    show(you + (f"; {others}." if others else "."), "? explains, q leaves.")
    seen, afresh, last, turn = None, True, "", -1
    while not stepper.over:
        if stepper.seat != seat:
            seen = seen or stepper.describe(person)
            taken = decide(stepper)
            who, what, label = stepper.seat, stepper.decision, stepper.label(taken)
            stepper.apply(taken)
            line = f"{who} decides in secret: {what.name}" if what.secret else loaded.move_text(who, what, label)
            if line != last or not what.secret:  # how a secret is split into decisions reveals nothing
                show(line)
            afresh, last = True, line
            continue
        now = stepper.describe(person)
        show("")
        if seen is not None:
            show(*(f"    {name}: {change}" for name, change in changes(seen, now)))
        if afresh or int(stepper.state.turn) != turn:  # else what changed is enough
            show("")
            _position(stepper, person)
        action = _ask(stepper, person)
        if action is None:
            show(f"You left. To play the same game again: add --seed {stepper.seed} --game {index}")
            return
        seen, afresh, turn = stepper.describe(person), False, int(stepper.state.turn)
        stepper.apply(action)
    row = stepper.row()
    show("")
    if seen is not None:
        show(*(f"    {name}: {change}" for name, change in changes(seen, stepper.describe(None))))
    show(*ending(match, row))
    if loaded.has_scores:
        scored = [metric for metric in loaded.metrics if metric.unit == "VP" and row[metric.name]]
        show(*(f"    {metric.help}: {row[metric.name]}" for metric in scored))


def _take_any_bytes() -> None:
    """Makes invalid bytes in the input count as a wrong answer instead of an error. To be called before the first line
    is read.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        with contextlib.suppress(io.UnsupportedOperation):
            sys.stdin.reconfigure(errors="replace")


def _ask(stepper: Stepper, person: int) -> int | None:
    """The action that the person chooses; None to leave."""
    legal, rules = stepper.legal(), f"simlab info {stepper.game.reference} rules"
    labels = [stepper.label(action) for action in legal]
    answers = dict(zip(answers_to(labels, stepper.decision.name), zip(legal, labels, strict=True), strict=True))
    while True:
        show(f"{stepper.game.turn_name} {int(stepper.state.turn)}, {stepper.decision.name}:")
        show(*(f"  {number:>3}  {label}" for number, (_, label) in answers.items()))
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in ("q", "quit"):
            show("")
            return None
        if re.fullmatch(r"[0-9]{1,6}", word) and int(word) in answers:
            return answers[int(word)][0]
        if word == "?":
            show(
                "Type the number of an action. Enter shows the position again, q leaves the game.",
                f"You decide: {stepper.decision.name} ({stepper.decision.id}). All rules: {rules}",
            )
        elif word:
            show(f"'{word[:40]}': type a number in {ranges(list(answers))}, ? or q.")
        if not word:
            _position(stepper, person)


def answers_to(labels: Sequence[str], decision: str) -> list[int]:
    """The number that a person types for each option: its own, if the option is a number, as `3` or `bid 3`, and a
    number after those for the others; 1, 2, ... if none is.
    """
    found = [re.fullmatch(rf"(?:{re.escape(decision)} )?([0-9]{{1,6}})", label) for label in labels]
    own = [int(number[1]) for number in found if number]
    if len({*own}) < len(own):
        return list(range(1, len(labels) + 1))
    others = count(max(own, default=0) + 1)
    return [int(number[1]) if number else next(others) for number in found]


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in words: `1..4`, or `2, 3, 7`; a long list is cut."""
    low, high = min(numbers), max(numbers)
    if high - low + 1 == len(numbers):
        return f"{low}..{high}"
    shown = sorted(numbers)
    return ", ".join(map(str, shown[:12])) + (", ..." if len(shown) > 12 else "")


def _position(stepper: Stepper, person: int) -> None:
    from simlab.questions.replay.position import position

    show(*(f"  {line}" for line in position(stepper.describe(person))))
