"""Best play: what each side sends when both send the best bots that are there, and what then happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simlab.present.chart import chart
from simlab.present.estimate import Estimate, plain
from simlab.report.match_ups import Study
from simlab.results.view import View
from simlab.stats.intervals import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SENT = 0.005  #: a bot of the best mix with less than this is not named
SURE_CHOICE = 0.9  #: share of a mix from which on, by all of its interval, a bot is named alone
MAY_BE_SENT = 0.1  #: a bot whose share of a mix may be as large is named where none is sent alone


@dataclass(frozen=True)
class Choice:
    """What a seat sends in best play.

    Attributes:
        shares: (bot, share of the mix, with the middle 95 % of resampled tables) of each bot that may be sent, the
            most frequent first.
    """

    shares: tuple[tuple[str, Estimate], ...]

    @property
    def alone(self) -> str:
        """The bot that is sent alone, where all of its interval says so; else empty."""
        bot, share = self.shares[0]
        return bot if share.low >= SURE_CHOICE else ""


def choice_of(bots: Sequence[str], mix: Floats, ranges: Floats) -> Choice:
    """What a seat sends: every bot of the mix, and every bot that resampled tables may send."""
    shares = [
        (bot, Estimate(float(share), float(min(low, share)), float(max(high, share))))
        for bot, share, (low, high) in zip(bots, mix, ranges, strict=True)
    ]
    shares = [(bot, share) for bot, share in shares if share.value >= SENT or share.high >= MAY_BE_SENT]
    return Choice(tuple(sorted(shares, key=lambda line: (-line[1].value, -line[1].high))))


def sends(sent: Choice, plays: Mapping[str, str]) -> str:
    """ "sends stormer (storms at any odds)", or each bot that it may send with its share and the interval of that.

    Args:
        plays: bot -> how it plays, in its own words.
    """
    if sent.alone:
        how = plain(plays.get(sent.alone, ""), 200).rstrip(".")
        return f"sends {sent.alone}" + (f" ({how[:1].lower()}{how[1:]})" if how else "")
    most = 4
    parts = [f"{bot} in {share.full}" for bot, share in sent.shares[:most]]
    rest = f" and {len(sent.shares) - most} more" if len(sent.shares) > most else ""
    if all(share.low > 0 for _, share in sent.shares):
        return f"sends a mix, {', '.join(parts)}{rest}"
    return f"sends one or more of {', '.join(parts)}{rest}, which these games do not separate"


def best_sentence(view: View, study: Study) -> str:
    """Best play of both seats."""
    if study.best is None:
        return ""
    best = study.best
    mixes = [
        f"{view.the(view.seats[seat])} {sends(choice_of(study.bots[seat], mix, ends), {})}"
        for seat, (mix, ends) in enumerate(((best.mix_a, best.range_a), (best.mix_b, best.range_b)))
    ]
    value = Estimate(best.value, best.low, best.high)
    return (
        f"In best play with these bots {' and '.join(mixes)}; {view.the(view.seats[0])} then wins {value.full}. "
        "The interval holds for the whole table together."
    )


def survivors_sentence(view: View, study: Study) -> str:
    """Which bots are left where all copy what does well."""
    if study.survivors is None:
        return ""
    parts = []
    for seat, (mass, ends) in enumerate(zip(study.survivors.mass, study.survivors.ends, strict=True)):
        top = [i for i in np.argsort(-mass, kind="stable") if mass[i] >= 0.1][:4]
        shares = [(i, 100 * mass[i], 100 * ends[i][0], 100 * ends[i][1]) for i in top]
        told = ", ".join(f"{study.bots[seat][i]} {now:.0f} % ({low:.0f}–{high:.0f})" for i, now, low, high in shares)
        parts.append(f"{view.seats[seat]}: {told}")
    by = ", each seat by its own wins" if view.joint_sides else ""
    return f"Where all copy what does well (alpha-rank{by}), one meets, as {'; as '.join(parts)}."


def mix_chart(view: View, study: Study, ax: Axes | None = None) -> Axes:
    """A line a bot: its share in best play and in alpha-rank, with what resampled tables give."""
    seats = []
    for seat, name in enumerate(view.seats):
        best = left = None
        if study.best is not None:
            best = (study.best.mix_a, study.best.mix_b)[seat], (study.best.range_a, study.best.range_b)[seat]
        if study.survivors is not None:
            left = study.survivors.mass[seat], study.survivors.ends[seat]
        seats.append((name, study.bots[seat], best, left))
    return bot_shares(seats, ax)


Shares = tuple[Floats, Floats]  # values, shape (n,), and ends, shape (n, 2)


def sent(best: Shares | None, left: Shares | None) -> list[int]:
    """The bots of a seat that may have a share of a hundredth or more, those with the greatest first."""
    there = [found for found in (best, left) if found is not None]
    if not there:
        return []
    greatest = np.max([found[1][:, 1] for found in there], axis=0)
    order = sorted(range(greatest.size), key=lambda bot: [-float(found[0][bot]) for found in there])
    return [bot for bot in order if greatest[bot] >= 0.01]


@chart
def bot_shares(
    seats: Sequence[tuple[str, Sequence[str], Shares | None, Shares | None]], ax: Axes | None = None
) -> Axes:
    """Share of each bot in best play (square) and in alpha-rank (ring), with what resampled tables give.

    Args:
        seats: name, bots, best play, alpha-rank of each seat; bots without a share are left out.
    """

    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from simlab.present import drawing

    lines = [(i, bot) for i, (_, _, best, left) in enumerate(seats) for bot in sent(best, left)]
    gap = 0.7
    ax = drawing.axes(ax, 1.1 + 0.3 * (len(lines) + gap * (len(seats) - 1)))
    ticks: list[float] = []
    for i, bot in lines:
        y = len(ticks) + gap * i
        ticks.append(y)
        color = drawing.seat_color(i)
        for side, (found, mark, face) in enumerate(((seats[i][2], "s", color), (seats[i][3], "o", "none"))):
            if found is not None:
                at = y + (side - 0.5) * 0.34
                ax.plot([float(x) for x in found[1][bot]], [at, at], color=color, linewidth=1.2, alpha=0.7)
                ax.plot([float(found[0][bot])], [at], mark, markersize=5, color=color, markerfacecolor=face)
    ax.set_yticks(ticks, [drawing.label(seats[i][1][bot], 24) for i, bot in lines])
    ax.set_ylim((ticks[-1] if ticks else 0) + 0.7, -0.7)
    ax.set_xlim(-0.02, 1.02)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("share of a seat's games in which the bot is sent")
    drawing.percent(ax, "x")
    shown = [Patch(color=drawing.seat_color(i), label=drawing.label(seat[0])) for i, seat in enumerate(seats)]
    marks = [
        Line2D([], [], color=drawing.MUTED, marker="s", linestyle="", label="best play"),
        Line2D([], [], color=drawing.MUTED, marker="o", markerfacecolor="none", linestyle="", label="alpha-rank"),
    ]
    ax.legend(handles=[*shown, *marks], loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=4, handlelength=1.2)
    return ax
