"""Levels of difficulty in sentences, tables and a chart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from simlab.present.blocks import Block, Chart, Column, Paragraph, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate, plain, value_text
from simlab.present.text import text
from simlab.questions.difficulty.analysis import CONFIRMED, DifficultyAnswer, Level, Setting


def blocks(answer: DifficultyAnswer) -> Iterator[Block]:
    yield Paragraph(" ".join(_sentences(answer)), "lead")
    columns = [
        Column[Level]("wanted", lambda one: f"{100 * one.wanted:.4g} %"),
        Column[Level]("setting", lambda one: _setting(answer.settings[one.setting])),
        *attributes("players win=rate", "verdict=fit"),
    ]
    if any(one.at is not None for one in answer.levels):
        columns.append(Column[Level]("exactly at", _at))
    note = (
        f"The table shows, for each level, the nearest of {len(answer.settings)} settings ({answer.games:,} games "
        f"each) and its win rate in {CONFIRMED * answer.games:,} other games. Intervals hold for all levels "
        "together (95 %). A level fits if "
        f"the whole interval is within {100 * answer.tolerance:.3g} points of the wanted rate."
    )
    yield Table(answer.levels, tuple(columns), title=f"Levels of difficulty of {plain(answer.game)}", note=note)
    caption = "How often the players win at each setting (95 % intervals), and the wanted levels (lines)."
    yield Chart("difficulty", partial(curve, answer), caption, games=(), made_by=answer.source)
    bots = "; ".join(f"{plain(seat)}: {', '.join(map(plain, of))}" for seat, of in answer.bots.items())
    which = ", the best of them at each setting" if len(answer.bots) == 1 else ""
    yield Paragraph(f"These are win rates of bots{which} ({bots}). People may win more or less often.", "note")


def _sentences(answer: DifficultyAnswer) -> Iterator[str]:
    for fit, how in (("fits", "These levels are met"), ("may fit", "These may be met; more games may show")):
        named = [one for one in answer.levels if one.fit == fit]
        if named:
            texts = "; ".join(
                f"{100 * one.wanted:.4g} % with {_setting(answer.settings[one.setting])}" for one in named
            )
            yield f"{how}: {texts}."
    far = [one for one in answer.levels if one.fit == "too far"]
    if far:
        texts = "; ".join(f"{100 * one.wanted:.4g} % ({_around(answer, one)})" for one in far)
        what = "the steps may be too big there" if len(answer.knobs) == 1 else "perhaps no setting comes near enough"
        yield f"No setting was found for these levels ({what}, or the games too few): {texts}."


def _around(answer: DifficultyAnswer, level: Level) -> str:
    """The settings whose rates are next above and next below a level."""
    rates = [one.rate.value for one in answer.settings]
    above = [i for i, rate in enumerate(rates) if rate >= level.wanted]
    below = [i for i, rate in enumerate(rates) if rate < level.wanted]
    ends = [min(above, key=rates.__getitem__)] if above else []
    ends += [max(below, key=rates.__getitem__)] if below else []
    texts = [f"{_setting(answer.settings[i])} gives {text(answer.settings[i].rate)}" for i in ends]
    return "nearest: " + texts[0] if len(texts) == 1 else " and ".join(texts)


def _setting(one: Setting) -> str:
    return ", ".join(f"{plain(name)} = {value_text(value)}" for name, value in one.values.items())


def _at(one: Level) -> Estimate | None:
    if one.at is None:
        return None
    low, high = -float("inf") if one.low is None else one.low, float("inf") if one.high is None else one.high
    return Estimate(one.at, low, high, False)


@chart
def curve(answer: DifficultyAnswer, ax: Axes | None = None) -> Axes:
    """How often the players win at each setting."""
    shown = answer.settings[:60]
    ax = drawing.axes(ax, 3.0)
    drawing.whiskers(ax, range(len(shown)), [one.rate for one in shown], drawing.seat_color(0), size=5, cap=0)
    for level in answer.levels:
        ax.axhline(level.wanted, color=drawing.MUTED, lw=1, linestyle=(0, (4, 3)))
    names = ["\n".join(value_text(value) for value in one.values.values()) for one in shown]
    ax.set_xticks(range(len(names)), [drawing.label(name, 12) for name in names])
    ax.set_xlabel(" / ".join(drawing.label(name, 40) for name in answer.knobs))
    drawing.percent(ax, "y")
    ax.set_ylabel("players win")
    return ax
