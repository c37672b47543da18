"""Items one by one, in sentences, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.questions.items.analysis import Items, ItemUse
from simlab.words import first_of

TITLE = "Cards one by one"
CHAPTER, RANK = "Cards and rules", 10
MOST_NAMES = 12  #: items in a sentence
MOST_LINES = 16  #: uses in a chart
CAUSE = (
    "Such a difference need not be the card's effect: bots play some cards when they are ahead. `simlab analyze worth` "
    "measures the effect."
)


def blocks(answer: Items) -> Iterator[Block]:
    if not answer.items:
        return
    for number, seat in enumerate(answer.never_had):
        if len(answer.never_had) > 1:
            yield Paragraph(f"{seat}:", "lead")
        yield from map(Paragraph, _sentences(answer, seat))
        sure = answer.strongest(seat)
        if sure:
            caption = (
                f"{seat}: the uses with the largest differences in {'score' if answer.solo else 'win rate'}, compared "
                "with all games without that use; the 95 % intervals hold for all uses of the seat together. Number of "
                f"significant differences after adjustment for all uses: {len(sure)}. {CAUSE}"
            )
            yield Chart(f"items_{number}", partial(items, answer, seat), caption, [answer.all_games], wide=True)
        else:
            yield Paragraph("No use of a card shows a significant difference in these games.")
        if answer.never_had[seat]:
            yield Paragraph(f"Cards that this seat never had: {', '.join(answer.never_had[seat])}.", "note")
        yield Section(f"items-table-{number}", f"{seat}: all cards", (_table(answer, seat),), folded=True)
    yield from answer.counted()


def _sentences(answer: Items, seat: str) -> Iterator[str]:
    had = len({one.item for one in answer.of_seat(seat)})
    for use in answer.uses[1:]:
        for names, how in ((answer.dead(seat, use), "Hardly ever"), (answer.frequent(seat, use), "Nearly always")):
            if names and len(names) < 0.5 * had:
                yield f"{how} used as “{use}”: {first_of(names, MOST_NAMES)}."


def _table(answer: Items, seat: str) -> Table[ItemUse]:
    columns = (
        *attributes("card=item", "kind", "use", "games", "share=rate"),
        Column[ItemUse]("score" if answer.solo else "wins, points", answer.effect),
    )
    note = (
        f"“{answer.uses[0]}”: share of all games. Other uses: share of the games in which the seat had the card. "
        f"Last column: {'mean score' if answer.solo else 'win rate'} with that use minus that without. "
        "All intervals hold for all uses of the seat together."
    )
    return Table(answer.of_seat(seat), columns, note=note)


@chart
def items(answer: Items, seat: str | None = None, ax: Axes | None = None) -> Axes:
    """The uses of items that go with the largest significant differences. seat: by default the first."""
    seats = list(answer.never_had)
    if not seats:
        return drawing.note(drawing.axes(ax, 1.6), "this game tracks no items")
    seat = seat or seats[0]
    shown = answer.strongest(seat)[:MOST_LINES]
    names, sizes = [f"{one.item}: {one.use}" for one in shown], [answer.effect(one) for one in shown]
    ax = drawing.axes(ax, 0.9 + 0.25 * len(shown), drawing.WIDTH * 1.25)
    drawing.effects(ax, names, sizes, color=drawing.seat_color(seats.index(seat), seat), limit=44)
    ax.set_xlabel("difference in score" if answer.solo else "difference in win rate, points")
    return ax
