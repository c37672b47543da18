"""A price list in sentences, a table and a chart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from simlab.present.blocks import Block, Chart, Column, Paragraph, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate, plain
from simlab.present.text import text
from simlab.questions.prices.analysis import PricesAnswer, ThingPrice

NOTE = (
    "Price: the cost at which a seat does equally well with and without the card or option, all else as printed; "
    "interpolated between the costs that were played, {games:,} games each. In brackets: the costs that cannot be "
    "ruled out, for all prices together (95 %). A dash: hardly ever taken at any of these costs. At each cost, with it "
    "and without it, the seat plays "
    "the best of its bots ({bots}). The list holds for these bots: a bot that buys at any cost leads to poor prices. "
    "Proposed: these prices, {adjusted}. Check: worth of the card or option in other games, with all proposed costs at "
    "once."
)


def blocks(answer: PricesAnswer) -> Iterator[Block]:
    yield Paragraph(" ".join(_sentences(answer)), "lead")
    bots = "; ".join(f"{plain(seat)}: {', '.join(map(plain, of))}" for seat, of in answer.bots.items())
    adjusted = f"adjusted to each other {'once' if answer.rounds == 1 else f'{answer.rounds} times'}"
    note = NOTE.format(games=answer.games, bots=bots, adjusted=adjusted if answer.rounds else "in whole numbers")
    columns = (
        *attributes("card or option=thing", "costs=printed"),
        Column[ThingPrice]("worth at that", lambda one: one.worth[one.costs.index(one.printed)]),
        Column[ThingPrice]("price", price),
        *attributes("verdict", "proposed", "check"),
    )
    yield Table(answer.things, columns, title=f"Price list of {plain(answer.game)}", note=note)
    if answer.left_out:
        yield Paragraph(f"Not priced: {', '.join(map(plain, answer.left_out))}.", "note")
    caption = "Costs at which the worth may be zero (bar), the price (dot), and the printed cost (cross)."
    yield Chart("prices", partial(prices, answer), caption, games=(), made_by=answer.source)


def _sentences(answer: PricesAnswer) -> Iterator[str]:
    for verdict in ("too cheap", "too dear"):
        named = [one for one in answer.things if one.verdict == verdict]
        if named:
            texts = ", ".join(f"{plain(one.thing)} costs {one.printed}, worth {price(one)}" for one in named)
            yield f"{verdict.capitalize()}: {texts}."
    fits = [one for one in answer.things if one.verdict == "fits"]
    if fits:
        yield f"The printed cost cannot be ruled out: {', '.join(plain(one.thing) for one in fits)}."
    unknown = [one for one in answer.things if one.verdict == "inconclusive"]
    if unknown:
        names = ", ".join(plain(one.thing) for one in unknown)
        yield f"Inconclusive, because none of the costs can be ruled out: {names}."
    idle = [one for one in answer.things if one.verdict in ("hardly taken", "no price found")]
    if idle:
        yield f"Hardly ever taken at the printed cost: {', '.join(plain(one.thing) for one in idle)}."
    left = [one for one in answer.things if one.check.low > 0 or one.check.high < 0]
    if any(one.proposed != one.printed for one in answer.things):
        if left:
            still = ", ".join(f"{plain(one.thing)} {text(one.check)}" for one in left)
            yield f"With all proposed prices at once these are still significantly different from zero: {still}."
        else:
            yield "With all proposed prices at once nothing is worth significantly more or less than it costs."


def price(one: ThingPrice) -> str:
    """`7.4 (6.9 to 8.1)`, `7.4 (any)`, `18 or more`, `18 to 27`, `any` if no cost is ruled out; a dash if unknown."""
    low, high = one.low, one.high
    if low is None and high is None:
        known = one.verdict in ("fits", "inconclusive", "too cheap", "too dear")
        return "–" if not known else "any" if one.price is None else f"{one.price:.3g} (any)"
    if one.price is not None:
        return Estimate(one.price, -math.inf if low is None else low, math.inf if high is None else high, False).full
    if low is None or high is None:
        return f"{low:.3g} or more" if high is None else f"{high:.3g} or less"
    return f"{low:.3g} to {high:.3g}"


@chart
def prices(answer: PricesAnswer, ax: Axes | None = None) -> Axes:
    """The proposed and the printed cost of each card or option."""
    shown = answer.things
    ax = drawing.axes(ax, 0.9 + 0.24 * len(shown))
    color = drawing.seat_color(0)
    for place, one in enumerate(shown):
        low, high = (
            end if known is None else known for known, end in ((one.low, one.costs[0]), (one.high, one.costs[-1]))
        )
        if one.low is not None or one.high is not None or one.price is not None:
            ax.plot([low, high], [place, place], color=color, lw=1.6)
        if one.price is not None:
            ax.plot([one.price], [place], "o", color=color, ms=5)
        ax.plot([one.printed], [place], "x", color=drawing.INK, ms=6)
    drawing.name_rows(ax, [one.thing for one in shown])
    ax.set_xlabel("cost")
    return ax
