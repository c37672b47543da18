"""Components and playing time in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Column, Command, Paragraph, Section, Table, Value, attributes
from simlab.present.estimate import Estimate, plain
from simlab.present.text import text
from simlab.questions.playing_time.analysis import SHARES, Component, Pace, PlayingTime, SeatTime
from simlab.words import line_up

CHAPTER, RANK = "How games go", 60
TITLE, ANCHOR = "Components and playing time", "playing-time"
COMPONENTS_NOTE = (
    "Pieces in use are counted before each decision and at the end. Columns headed by a percentage show how many "
    "pieces are enough in that share of the games, with a 95 % interval."
)


def blocks(answer: PlayingTime) -> Iterator[Block]:
    yield from map(Paragraph, sentences(answer))
    yield from _details(answer)
    if answer.truncated:
        yield Paragraph(f"{answer.truncated:,} truncated games are left out.", "warning")


def page_blocks(answer: PlayingTime) -> Iterator[Block]:
    yield from map(Paragraph, sentences(answer))
    yield Section("playing-time-table", f"{TITLE}: all statistics", tuple(_details(answer)), folded=True)


def _details(answer: PlayingTime) -> Iterator[Block]:
    bots = plain(answer.cell or line_up(answer.bots))
    if answer.components:
        yield Table(
            answer.components,
            (
                *attributes("most in use at once=help", "printed", "mean"),
                *(_enough(place) for place in range(1, len(SHARES))),
                *attributes("most", "too few in=short"),
            ),
            title=f"{bots}: {answer.games:,} games",
            note=COMPONENTS_NOTE,
        )
    else:
        yield Paragraph(f"{plain(answer.game)} counts no components (Game.components, docs/playing-time.md).", "note")
    yield Table(
        answer.seats,
        (
            *attributes("seat", "decisions", "options", "own minutes=own", "waits=waiting"),
            *attributes("longest wait=longest_wait"),
            Column[SeatTime]("in 1 of 20 games over", lambda seat: _quantile(seat.longest_wait_p95)),
            *attributes("after its last decision=after_last"),
        ),
        title="Playing time per game, times in minutes",
        note=f"These times follow from assumptions: {pace_text(answer.pace)}. Each game draws its own pace from these "
        "ranges. Decisions without a choice take no time, and secret decisions of one kind happen at the same time.",
    )
    if answer.again:
        yield Command("To assume another pace", f"{plain(answer.again, 600)} --seconds-per-decision 3..8")


def _quantile(value: Estimate) -> Value:
    return value.value if value.low == value.high else value  # known exactly, though not the same in each game


def _enough(place: int) -> Column[Component]:
    def read(one: Component) -> Value:
        return _quantile(one.enough[place].value) if place < len(one.enough) else None

    return Column(f"{100 * SHARES[place]:g} %", read)


def sentences(answer: PlayingTime) -> Iterator[str]:
    """Components missing from the box, playing time, and who waits most."""
    for one in answer.components:
        if one.short and one.short.value > 0:
            yield (
                f"{plain(one.help)}: the box holds {text(one.printed)}, too few in {one.short.full} of the games; the "
                f"largest number in use was {text(one.most)}."
            )
    if len(answer.minutes_quantiles) == 3:
        early, middle, late = (one.value for one in answer.minutes_quantiles)
        yield (
            f"A game takes {text(_quantile(middle))} minutes (median; {early.value:.0f} to {late.value:.0f} in 90 % of "
            "these games) if people take "
            f"{pace_text(answer.pace)}."
        )
    if len(answer.seats) > 1:
        most, second = sorted(answer.seats, key=lambda seat: -seat.waiting.value)[:2]
        clear = most.waiting.low > second.waiting.high
        who, longest = plain(most.seat), most.longest_wait.full
        first = (
            f"{who} waits most"
            if clear
            else f"No seat waits significantly longer than all others; {who} has the largest estimated share"
        )
        yield f"{first}: {most.waiting.full} of the time. Its longest wait in a game is {longest} minutes on average."


def pace_text(pace: Pace) -> str:
    def span(ends: tuple[float, float]) -> str:
        return text(ends[0]) if ends[0] == ends[1] else f"{text(ends[0])} to {text(ends[1])}"

    return (
        f"{span(pace.decision)} seconds per decision with a choice, {span(pace.option)} more per option, and "
        f"{span(pace.turn)} per turn for moving and dealing"
    )
