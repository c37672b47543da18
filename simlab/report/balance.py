"""Who is favoured, by how much, and with what confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.engine.payoff import Payoff
from simlab.errors import typed
from simlab.present.blocks import Block, Chart, Column, GamesLink, Paragraph, Section, Table, places
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import EVEN, LEVEL, Estimate, Mood, is_number, plain, words
from simlab.present.terminal import renderables
from simlab.questions.bots.analysis import matrix_of
from simlab.questions.bots.analysis import of_run as bots_of
from simlab.questions.bots.words import balance_sentence, matrix_blocks
from simlab.questions.cells.analysis import undecided_kinds
from simlab.questions.contract import words as contract_words
from simlab.questions.contract.analysis import of_run as contract_of
from simlab.questions.endings import words as endings_words
from simlab.questions.endings.analysis import ending_shares
from simlab.questions.endings.analysis import of_run as endings_of
from simlab.questions.knob_changes import words as knob_changes_words
from simlab.questions.knob_changes.analysis import of_run as knob_changes_of
from simlab.questions.knob_effects.words import knob_curve, knob_sentence
from simlab.questions.ladder import words as ladder_words
from simlab.questions.ladder.analysis import climb, is_ladder
from simlab.questions.ladder.analysis import of_run as ladder_of
from simlab.questions.length import words as length_words
from simlab.questions.length.analysis import of_run as length_of
from simlab.questions.method.analysis import cells_word, equal_share
from simlab.questions.method.words import reach_sentence
from simlab.report.standing import Verdict, by_category, open_questions, size_of, standing, studied_bots
from simlab.runs import drill_down
from simlab.runs.cell_pools import Pool
from simlab.runs.view import View, view_of
from simlab.stats.figure import score_name
from simlab.stats.intervals import games_for, level_of_each
from simlab.stats.paired import mcnemar, score_interval
from simlab.words import capital, counted, two_digits

if TYPE_CHECKING:
    from rich.console import RenderableType


MOST_FINDINGS = 3  #: most findings on the first screen; the others are folded


def first_screen(view: View) -> Iterator[Block]:
    """One sentence, one chart, the most important findings, and what to try next."""
    found = verdict(view)
    yield Paragraph(found.headline, "lead")
    rows, fair, caption = _who_wins(view, found.figures)
    yield Chart("who_wins", lambda: intervals(rows, fair), caption)
    yield from map(Paragraph, found.findings[:MOST_FINDINGS])
    for name, title, texts, folded in (
        ("next", "What to try next", found.open, False),
        ("details", "Confidence and details", (*found.findings[MOST_FINDINGS:], *found.details), True),
    ):
        if texts:
            yield Section(name, title, tuple(map(Paragraph, texts)), folded)


Rows = Sequence[tuple[str, Estimate]]


def _who_wins(view: View, figures: dict[str, Any]) -> tuple[Rows, float | None, str]:
    """Rows, fair share and caption of the first chart, which shows best play if it is known."""
    names = dict(zip(view.raw_seats, view.labels, strict=True))
    if "best_play" in figures:
        rows = [(names.get(side, side), rate) for side, rate in figures["best_play"].items()]
        return rows, 0.5 if len(view.seats) == 2 and len(rows) == 2 else None, (
            "Win rates with the best of these bots in each seat, with 95 % intervals."
        )  # fmt: skip
    if "best_play_by_setting" in figures:
        rows = [(plain(one["setting"]), one["win_rate"]) for one in figures["best_play_by_setting"]]
        return rows, 0.5, f"Win rate of {view.the(view.seats[0])} in best play at each setting, with 95 % intervals."
    if "in_field" in figures:
        caption = "Share of the wins of each bot in a field of the others, with 95 % intervals."
        return list(figures["in_field"].items()), None, caption
    ladder = ladder_of(view) if is_ladder(view) else None
    if ladder is not None and ladder.rungs:
        top = ladder.best_rung
        fair = None if ladder.together else top.fair_share
        return list(top.win_rate.items()), fair, f"Win rates with {top.name} in all seats, with 95 % intervals."
    each = "" if len(view.cells) == 1 else ", all cells together"
    rows = [(name, rate_of(view.all)) for name, rate_of, _ in _winners(view)]
    return rows, _fair(view), f"Win rates with these bots{each}, with 95 % intervals. Best play is unknown."


@chart
def intervals(rows: Rows, fair: float | None = None, colors: Sequence[str] = (), ax: Axes | None = None) -> Axes:
    """One bar with its interval per row; dashed: the fair share."""
    ax = drawing.axes(ax, 0.75 + 0.32 * len(rows))
    colors = colors or [drawing.seat_color(place) for place in range(len(rows))]
    for row, ((_, rate), color) in enumerate(zip(rows, colors, strict=True)):
        ax.barh(row, rate.value, height=0.5, color=color, alpha=0.3, linewidth=0)
        drawing.whiskers(ax, [row], [rate], color, across=True, size=5, cap=3)
    _frame_rates(fair, ax, [name for name, _ in rows])
    ax.set_xlabel("share of the games won")
    return ax


def verdict(view: View) -> Verdict:
    """Who is favoured in best play here, or with these bots if best play is unknown; computed once for a view."""
    found: Verdict = vars(view).get("_verdict") or _verdict(view)
    vars(view)["_verdict"] = found
    return found


def _verdict(view: View) -> Verdict:
    lasts: tuple[str, ...] = (
        length_words.sentence(length_of(view)),
        endings_words.sentence(endings_of(view, brief=True)),
    )
    if is_ladder(view):
        ladder = climb(view)
        lead = tuple(ladder_words.sentences(ladder))
        return Verdict(ladder_words.headline(ladder), lead, "mixed", (_rests_on(view), *lasts))
    if best := standing(view):
        return replace(best, details=(_rests_on(view), *lasts))
    plainly = _with_these_bots(view)
    above, below = (plainly.findings[:1], plainly.findings[1:]) if len(view.cells) > 1 else ((), plainly.findings)
    if len(view.seats) > 2 and not view.joint_sides and len(view.cells) == 1:
        above, lasts = (*above, *lasts[1:], *by_category(view)), lasts[:1]
    above = (*_bots_differ(view), *above)
    return Verdict(plainly.headline, above, plainly.mood, (*below, *lasts), open=tuple(open_questions(view)))


def _with_these_bots(view: View) -> Verdict:
    """Who is favoured if best play is unknown."""
    if view.has_sides or len(view.seats) > 2:
        return _any_seats(view)
    if len(view.seats) == 1:
        return _solo(view)
    return _one_cell(view) if len(view.cells) == 1 else _many_cells(view)


@dataclass(frozen=True)
class Favour:
    """The seat that wins more in a cell, in a game of two seats."""

    seat: int  #: the seat that is ahead
    gap: float  #: difference between its win rate and the other's
    low: float  #: low, high: interval of the gap
    high: float
    chance: float  #: probability of such a gap between two equal seats

    @property
    def even(self) -> bool:
        """Whether the gap is significantly small."""
        return max(abs(self.low), abs(self.high)) <= EVEN

    @property
    def sure(self) -> bool:
        return self.low > 0


def favour(wins: Sequence[int], games: int, level: float = LEVEL) -> Favour:
    """The seat of two that is ahead, and by how much. wins: of each seat alone; other games carry no information."""
    seat = 0 if wins[0] >= wins[1] else 1
    more, less = wins[seat], wins[1 - seat]
    low, high = score_interval(float(more), float(less), games, level)
    gap = (more - less) / games if games else 0.0
    return Favour(seat, gap, low, high, float(mcnemar(wins[0], wins[1])))


def _one_cell(view: View) -> Verdict:
    cell, pool = view.cells[0], view.all
    leaning = favour([int(n) for n in cell.alone], cell.games)
    ahead, behind = view.seats[leaning.seat], view.seats[1 - leaning.seat]
    rate, other = pool.win_rate(leaning.seat), pool.win_rate(1 - leaning.seat)
    about = f"about {in_words(rate)}, " if in_words(rate) else ""
    numbers = f"wins {about}{rate.full}, {view.the(behind)} {other.full}"
    if pool.without_single:
        numbers += f"; {pool.undecided().full} of the games have no single winner"
    mood: Mood
    if leaning.even:
        mood, headline = "even", f"Between these bots the game is even: {view.the(ahead)} {numbers}."
    elif leaning.sure:
        mood = "favoured"
        favoured = f"{size_of(leaning.gap)} favoured over {equal_share(view)}"
        headline = f"With these bots {view.the(ahead)} is {favoured}. It {numbers}."
    else:
        mood = "unsure"
        need = games_for(rate.value, max(leaning.gap / 2, 0.01))
        more = max(need - cell.games, cell.games)
        headline = (
            f"Too few games to say who is favoured over {equal_share(view)}: {view.the(ahead)} {numbers}. About "
            f"{two_digits(more):,} more games would decide it, or show that the difference is small."
        )
    return Verdict(headline, (_how_sure(leaning), _rests_on(view)), mood)


def in_words(rate: Estimate) -> str:
    """A rate as "5 games in 6", or nothing if no small fraction is near."""
    if not 0.02 < rate.value < 0.98:
        return ""
    near = Fraction(rate.value).limit_denominator(10)
    if near in (0, 1) or abs(float(near) - rate.value) > 0.012:
        return ""
    return f"{near.numerator} game{'s' if near.numerator > 1 else ''} in {near.denominator}"


def _how_sure(leaning: Favour) -> str:
    chance = leaning.chance
    if leaning.even:
        points = 100 * max(abs(leaning.low), abs(leaning.high))
        return (
            f"Confidence: the difference between the two is at most {points:.1f} points; less than "
            f"{100 * EVEN:.0f} points count as even."
        )
    gap = "two equal seats would differ this much by chance in"
    if chance < 1e-6:
        return f"Confidence: very high; {gap} fewer than one run of this size in a million."
    if chance < 1 - LEVEL:
        how = "high" if chance < 0.001 else "moderate"
        return f"Confidence: {how}; {gap} about one run of this size in {two_digits(1 / chance):,}."
    return f"Confidence: low; {gap} {100 * chance:.0f} of 100 runs of this size."


def _rests_on(view: View) -> str:
    bots = "; ".join(
        f"{seat}: {', '.join(view.bots[raw][:12])}{' and others' if len(view.bots[raw]) > 12 else ''}"
        for seat, raw in zip(view.seats, view.raw_seats, strict=True)
    )
    return f"These results are for these bots ({bots}). People or other bots may do differently."


@dataclass(frozen=True)
class Leanings:
    """Cells in which the first and the second seat is significantly favoured, that are even, and that are open."""

    first: int
    second: int
    even: int
    open: int


def lean(cells: Sequence[tuple[Sequence[int], int]]) -> Leanings:
    """Counts cells by the seat that they favour. A cell is (games that each seat won alone, games).

    In each cell at most one call can be wrong: `favoured` if the seats are equal, `even` if they are not. It therefore
    suffices to divide the error probability among the cells (Bonferroni); the probability of even one wrong call is at
    most 1 - LEVEL.
    """
    each = level_of_each(LEVEL, len(cells))
    calls = [favour(wins, games, each) for wins, games in cells]
    even = sum(f.even for f in calls)
    first, second = (sum(f.chance <= 1 - each and f.seat == seat and not f.even for f in calls) for seat in (0, 1))
    return Leanings(first, second, even, len(calls) - first - second - even)


def _bots_differ(view: View) -> Iterator[str]:
    """A warning if the seats of one cell have different bots that could also play the other seats."""
    if len(view.cells) != 1 or len(view.seats) < 2 or view.has_sides:
        return
    bots = {seat: view.bots[seat][0] for seat in view.raw_seats}
    untried = studied_bots(view).get("untried", {})
    elsewhere = any(bots[one] in untried.get(other, ()) for one in bots for other in bots if bots[one] != bots[other])
    several = 1 < len(set(bots.values())) < len(bots)  # one of them sits in two seats already
    if elsewhere or several:
        yield (
            "The seats have different bots, which may cause the difference. To compare the seats, use the same bots in "
            "all seats, or all bots in each seat (`simlab compare`)."
        )


def _many_cells(view: View) -> Verdict:
    mood: Mood
    one, two = view.seats
    together = f"Over all games {view.the(one)} wins {view.all.win_rate(0).full} of the games{_drawn(view)}."
    bots = None if view.varied else bots_of(view)
    if bots is not None and bots.balance is not None and bots.balance.swapped:
        mood = "mixed" if bots.balance.leader is None else "favoured"
        return Verdict(balance_sentence(bots), (together, _best_bots(view), _rests_on(view)), mood)
    counts = lean([([int(n) for n in cell.alone], cell.games) for cell in view.cells])
    total, cells = len(view.cells), cells_word(view)
    fair = equal_share(view)
    if counts.first == total or counts.second == total:
        ahead = view.the(one if counts.first else two)
        mood, headline = "favoured", f"With these bots {ahead} is favoured over {fair} in all {total:,} {cells}."
    elif counts.even == total:
        mood, headline = "even", f"With these bots the game is even in all {total:,} {cells}."
    elif counts.open == total:
        mood, headline = "unsure", f"Too few games to say who is favoured over {fair} in any of the {total:,} {cells}."
    else:
        mood = "mixed"
        parts = [
            (f"{view.the(one)} is favoured in", counts.first), (f"{view.the(two)} in", counts.second),
            ("it is even in", counts.even), ("it is inconclusive in", counts.open),
        ]  # fmt: skip
        said = [f"{text} {number:,}" for text, number in parts if number]
        headline = f"Who is favoured over {fair} depends on {_cause(view)}: of {total:,} {cells} {', '.join(said)}."
    sentences = [f"{together} Single {cells} lie between {_extremes(view)}."]
    if view.method not in ("one_at_a_time", "saltelli", "morris"):  # there knobs are not compared with all else equal
        sentences += [knob_sentence(view, knob) for knob in list(view.varied)[:3]]
    if view.is_matrix:
        sentences.append(_best_bots(view))
    sentences.append(
        f"Confidence: all {cells} were judged together; the chance of even one wrong call is at most "
        f"{100 * (1 - LEVEL):.0f} %. {_rests_on(view)}"
    )
    return Verdict(headline, tuple(text for text in sentences if text), mood)


def _drawn(view: View) -> str:
    return f" and {view.all.undecided().full} have no single winner" if view.all.without_single else ""


def _cause(view: View) -> str:
    parts = ["the bots"] if any(len(bots) > 1 for bots in view.bots.values()) else []
    parts += [words(knob) for knob in view.varied]
    return " and ".join(parts[:3]) + (" and more" if len(parts) > 3 else "") if parts else "the cell"


def _extremes(view: View) -> str:
    rates = [(cell.wins[0] / cell.games, i) for i, cell in enumerate(view.cells) if cell.games]
    ends = [view.cells[i] for _, i in (min(rates), max(rates))]
    return " and ".join(f"{view.pool('', [cell]).win_rate(0).full} in {view.cell_label(cell)}" for cell in ends)


def _best_bots(view: View) -> str:
    parts = []
    for seat in range(len(view.seats)):
        pools = view.by_bot(seat)
        if len(pools) < 2:
            continue
        rates = [(pool.win_rate(seat), pool.label) for pool in pools]
        best, worst = max(rates, key=lambda r: r[0].value), min(rates, key=lambda r: r[0].value)
        name = view.seats[seat]
        top = all(rate is best or rate[0].high < best[0].low for rate in rates)
        bottom = all(rate is worst or rate[0].low > worst[0].high for rate in rates)
        first = f"the strongest {name} is" if top else f"the {name} with most wins, not significantly, is"
        last = "the weakest" if top and bottom else "the one with fewest"
        parts.append(f"{first} {best[1]} ({best[0].inner}), {last} {worst[1]} ({worst[0].inner})")
    text = "; ".join(parts)
    return f"{capital(text)}." if text else ""


def _solo(view: View) -> Verdict:
    """How often the only player beats the game, and at what score."""
    said = [_best_bots(view), _solo_score(view), *(knob_sentence(view, knob) for knob in view.varied), _rests_on(view)]
    headline = f"With {_bots_text(view)} the {view.seats[0]} wins {view.all.win_rate(0).full} of the games."
    return Verdict(headline, tuple(text for text in said if text), "mixed")


def _solo_score(view: View) -> str:
    name = score_name(view.raw_seats[0])
    if not view.has_scores or name not in view.all.metric_names:
        return ""
    text = f"It scores {view.all.mean(name).full} on average, lost games included"
    pools = view.by_bot(0)
    if len(pools) > 1:
        means = [(pool.mean(name), pool.label) for pool in pools]
        (low, worst), (high, best) = min(means, key=lambda m: m[0].value), max(means, key=lambda m: m[0].value)
        text += f": from {low.full} by {worst} to {high.full} by {best}"
    return f"{text}."


def _bots_text(view: View) -> str:
    """The bots as a headline names them; a single bot in all seats by its name."""
    named = {bot for bots in view.bots.values() for bot in bots}
    if len(named) > 1:
        return "these bots"
    return f"{named.pop()} in all seats" if len(view.seats) > 1 else named.pop()


def _any_seats(view: View) -> Verdict:
    """Who is favoured among the sides of a game; for a game with one side, how often it wins."""
    pool, sides = view.all, view.sides
    level = level_of_each(LEVEL, len(sides))
    rates = [pool.side_rate(side, level) for side in range(len(sides))]
    if len(sides) == 1:
        name, _, wins = sides[0]
        return Verdict(
            f"With {_bots_text(view)} the {name} {wins} in {rates[0].full} of the games.", (_rests_on(view),), "mixed"
        )
    names = [name for name, _, _ in sides] if view.has_sides else view.labels
    numbers = ", ".join(f"{name} {rate.full}" for name, rate in zip(names, rates, strict=True))
    numbers += f", nobody {pool.share(pool.nobody, level=level).full}" if pool.nobody else ""
    fair = sum(rate.value for rate in rates) / len(sides)
    best = max(range(len(sides)), key=lambda side: rates[side].value)
    kind, share = "side" if view.has_sides else "seat", equal_share(view)
    mood: Mood
    if rates[best].low > fair + EVEN / 2:
        name = view.the_side(sides[best][0])
        is_are = "are" if view.has_sides and sides[best][2] == "win" else "is"
        mood, found = "favoured", f"{name} {is_are} favoured over {share}"
    elif all(abs(end - fair) <= EVEN / 2 for rate in rates for end in (rate.low, rate.high)):
        mood, found = "even", f"the {kind}s are even"
    elif all(rate.low <= fair <= rate.high for rate in rates):
        mood, found = "unsure", f"no {kind} is significantly favoured over {share}"
    else:
        mood, found = "mixed", f"the {kind}s win unequally, but not by much"
    headline = f"With {_bots_text(view)} {found}: {numbers}."
    average = f"the average of the {kind}s. The intervals hold for all {kind}s together."
    judged = f"A fair share is {100 * fair:.1f} %, {average}"
    total, cells = len(view.cells), cells_word(view)
    if total == 1:
        return Verdict(headline, (judged, _rests_on(view)), mood)
    ahead = _ahead_by_cell(view)
    named = [(side, count) for side, count in ahead.most_common() if side is not None]
    if len(named) > 1:
        said = [f"{view.the_side(sides[side][0])} in {count:,}" for side, count in named]
        said += [f"it is inconclusive in {ahead[None]:,}"] if ahead[None] else []
        headline = f"Which {kind} wins most depends on {_cause(view)}: of {total:,} {cells} {', '.join(said)}."
        over_all = f"Averaged over all {total:,} {cells}: {numbers}."
        return Verdict(headline, (over_all, judged, _rests_on(view)), "mixed")
    return Verdict(f"Averaged over all {total:,} {cells}: {headline}", (judged, _rests_on(view)), mood)


def _ahead_by_cell(view: View) -> Counter[int | None]:
    """Side -> cells in which it wins more than each other side; the key None holds the inconclusive cells.

    The intervals hold for all sides and cells together (Bonferroni): the chance of even one wrong call is at most
    1 - LEVEL.
    """
    sides = range(len(view.sides))
    level = level_of_each(LEVEL, len(sides) * len(view.cells))
    ahead: Counter[int | None] = Counter()
    for cell in view.cells:
        rates = [view.pool("", [cell]).side_rate(side, level) for side in sides]
        best = max(sides, key=lambda side: rates[side].value)
        others = [rates[side].high for side in sides if side != best]
        ahead[best if rates[best].low > max(others) else None] += 1
    return ahead


@chart
def win_rates(source: Any, ax: Axes | None = None) -> Axes:
    """Win rate of each seat with its interval: over a knob if one varies, else by cell or by bot."""
    view = view_of(source)
    if len(view.varied) == 1 and all(is_number(v) for v in next(iter(view.varied.values()))):
        return knob_curve(view, next(iter(view.varied)), ax=ax)
    return _dots(view, view.groups(), ax)


def _winners(view: View) -> list[tuple[str, Callable[[Pool], Estimate], int | None]]:
    """(name, win rate in a pool, seat whose colour it has) of everything that a chart of wins shows.

    Seats that win and lose together are shown once, as their side. A seat that also wins without its side is shown next
    to it.
    """
    shown: list[tuple[str, Callable[[Pool], Estimate], int | None]] = []
    for side, (name, seats, _) in enumerate(view.sides):
        won = round(view.all.side_rate(side).value * view.all.games) if len(seats) > 1 else -1
        apart = [seat for seat in seats if int(view.all.wins[seat]) != won]
        if len(seats) > 1:
            shown.append((name, partial(Pool.side_rate, side=side), None if apart else seats[0]))
        shown += [(view.labels[seat], partial(Pool.win_rate, seat=seat), seat) for seat in apart]
    return shown


def _color(seat: int | None) -> str:
    return drawing.INK if seat is None else drawing.seat_color(seat)


def _seat_dots(view: View, ax: Axes | None) -> Axes:
    marks = [(name, rate(view.all), _color(seat)) for name, rate, seat in _winners(view)]
    for name, count, color in (
        ("shared", view.all.shared, drawing.SHARED), ("nobody", view.all.nobody, drawing.NOBODY),
    ):  # fmt: skip
        marks += [(name, view.all.share(float(count)), color)] if count else []
    return intervals([(name, rate) for name, rate, _ in marks], _fair(view), [color for _, _, color in marks], ax)


def _fair(view: View) -> float | None:
    """The fair share of a seat; None where seats do not play against each other."""
    return view.fair_share if len(view.seats) > 1 and not view.joint_sides else None


def _frame_rates(fair: float | None, ax: Axes, names: Sequence[str]) -> None:
    if fair is not None:
        ax.axvline(fair, color=drawing.MUTED, linewidth=1, linestyle=(0, (4, 3)))
    drawing.name_rows(ax, names, 42)
    ax.set_xlim(0, 1)
    drawing.percent(ax, "x")


def _dots(view: View, pools: Sequence[Pool], ax: Axes | None) -> Axes:
    if len(pools) == 1:
        return _seat_dots(view, ax)
    shown = _winners(view)
    shown = shown[:1] if view.mirrored else shown
    ax = drawing.axes(ax, 1.0 + max(0.27, 0.07 * len(shown)) * len(pools))
    rows = np.arange(len(pools))
    apart = min(0.16, 0.8 / len(shown))  # of the height of a row
    for line, (name, rate, seat) in enumerate(shown):
        offset = (line - (len(shown) - 1) / 2) * apart
        drawing.whiskers(ax, rows + offset, list(map(rate, pools)), _color(seat), name, across=True, size=5, cap=2.5)
    _frame_rates(_fair(view), ax, [pool.label for pool in pools])
    ax.set_xlabel(drawing.label(f"win rate of {view.the_side(shown[0][0])}" if len(shown) == 1 else "win rate", 60))
    if len(shown) > 1:
        drawing.legend_below(ax)
    return ax


def win_shares(view: View, pools: Sequence[Pool]) -> list[tuple[str, list[Estimate]]]:
    """(label, share of each seat in the wins, 1/k of a game that k seats win) of each pool, and of all together."""
    lines = [(pool.label, pool) for pool in pools]
    if len(pools) > 1:
        lines.append(("all together", view.all))
    return [
        (label, [pool.value(Payoff.share(view.names, seat)) for seat in range(len(view.seats))])
        for label, pool in lines
    ]


def win_table(view: View, pools: Sequence[Pool], title: str = "", endings: bool = False) -> Table[Pool]:
    """Games, win rates and length of pools, and of all together. endings: whether those have columns too."""
    several = len(pools) > 1

    def quantile(pool: Pool, q: float) -> str:
        return pool.quantile(pool.length, q, column="turns").full

    def ending(pool: Pool, place: int) -> Estimate:
        return ending_shares(pool)[place]

    def column(
        name: str, read: Callable[..., Any], games: Callable[..., GamesLink | None], **of: int | str
    ) -> Column[Pool]:
        return Column(name, partial(read, **of), lambda pool: games(view, pool, *of.values()))

    columns = [
        Column[Pool]("group of cells" if view.grouped and several else "cell", lambda pool: pool.label),
        column("games", lambda pool: pool.games, drill_down.all_games),
        *(column(head, Pool.side_rate, drill_down.side_won, side=side) for side, head in view.joint_sides),
        *(
            column(f"{name} wins", Pool.win_rate, drill_down.seat_won, seat=seat)
            for seat, name in enumerate(view.labels)
        ),
        *(
            column(head, Pool.undecided, drill_down.without_winner, word=word)
            for head, word in undecided_kinds(view).items()
        ),
        Column[Pool](f"mean {view.turn_name}s", lambda pool: pool.mean_length()),
        *(Column(name, partial(quantile, q=q)) for name, q in (("5 %", 0.05), ("median", 0.5), ("95 %", 0.95))),
    ]
    if endings:
        seen = sorted((i for i, n in enumerate(view.all.endings) if n), key=lambda i: -int(view.all.endings[i]))
        columns += [Column(f"by {words(view.endings[i])}", partial(ending, place=i)) for i in seen]
    rows = [*pools, view.pool("all together", view.cells)] if several else pools
    note = (
        f"With 95 % intervals. Length in {view.turn_name}s: mean, and the lengths that 5, 50 and 95 % of the games do "
        f"not exceed.{' Intervals of the endings hold for all endings together.' if endings else ''}"
    )
    return Table(rows, columns, title, note, most=MOST_LINES + 1, total=several)


def win_blocks(view: View, title: str = "", endings: bool = False) -> Iterator[Block]:
    """Win rates of the cells, or of groups of cells."""
    pools = view.groups(MOST_LINES) if endings else view.groups()
    yield win_table(view, pools, title, endings)
    if shared_wins(view):
        yield Paragraph(shared_wins(view), "note")
    if view.shares_wins:
        rows = [(label, *shares) for label, shares in win_shares(view, pools)]
        note = (
            "A win that several seats share counts in equal parts: 1/2 for each of two winners, 1/3 for each of three. "
            "The shares of all seats add up to 100 %, minus the games that nobody wins."
        )
        if len(view.seats) == 2:
            note = "A game that both win, or nobody, counts 1/2 for each: the shares add up to 100 %."
        yield Table(rows, places("cell", *view.labels), "Share of the wins", note, total=len(rows) > 1)
    one_curve = len(view.varied) == 1 and all(is_number(v) for v in next(iter(view.varied.values())))
    if not one_curve:  # the curve has a section of its own
        each = "seat" if len(pools) == 1 else "group of cells" if view.grouped else "cell"
        fair = equal_share(view) if len(view.seats) > 1 and not view.joint_sides else ""
        share = f"; the dashed line is {fair}" if fair else ""
        yield Chart("win_rates", lambda: win_rates(view), f"Win rates by {each}, with 95 % intervals{share}.")


MOST_LINES = 40  #: cells that the headline table lists one by one


def headline(results: Any) -> RenderableType:
    """Output of `run` and `sweep`: the verdict, the table of cells or of groups of cells, the contract.

    Raises:
        InputError: no game was played.
    """
    from rich.console import Group
    from rich.text import Text

    view = view_of(results)
    parts: list[RenderableType] = [*renderables(first_screen(view)), *cells(view)]
    if changes := knob_changes_of(view):
        parts += renderables(knob_changes_words.in_brief(changes))
    matrix = matrix_of(view)
    if matrix is not None and min(len(matrix.rows), len(matrix.columns)) > 1:
        parts += renderables(matrix_blocks(matrix, bool(view.varied)))
    if wanted := contract_of(view):
        parts += renderables((contract_words.summary(wanted),))
    parts.append(Text(typed(reach_sentence(view)), style="dim"))
    return Group(*(Text(part) if isinstance(part, str) else part for part in parts))  # brackets are text, not markup


def shared_wins(view: View) -> str:
    """A note that win rates add up to more than 100 % because wins are shared; "" if they do not."""
    wins, decided = int(view.all.wins.sum()), view.games - int(view.all.nobody)
    if wins <= decided:
        return ""
    return f"Several seats can win the same game: {wins:,} wins in {counted(decided, 'game')}."


def cells(results: Any) -> Iterator[RenderableType]:
    """One line per cell: games, win rates, length, endings. Groups of cells if there are more than 40."""
    view = view_of(results)
    return renderables(win_blocks(view, f"{view.title}: {view.name}{view.fixed_bots}", endings=True))
