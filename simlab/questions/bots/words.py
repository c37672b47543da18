"""Bots in sentences, tables and charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from simlab.present.blocks import Block, Chart, Column, Paragraph, Section, Table, attributes, entries, linked
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate, plain
from simlab.questions.bots.analysis import BotsAnswer, CycleStep, Matrix, MixShare, SoloBot, only_bot, possible
from simlab.questions.bots.match_ups import Balance, MatchUp
from simlab.words import capital, first_of, line_up, listed

CHAPTER, RANK, TITLE = "Bots", 10, "Bots compared"
MOST_LISTED = 400  #: match-ups listed on a page
PRECISE = 0.05  #: half width of the win rates of match-ups below which it is said that none depends on the opponent
STAMPS = {"open": "inconclusive", "few": "inconclusive"}  #: in words, if different

SOLO_NOTE = (
    "The best first. The intervals of wins and scores hold for all bots together (95 %), because the best was picked "
    "by the same games. Points behind the best: game by game on the same seeds; their intervals hold for all pairs of "
    "bots together (95 %), so a difference is significant if its interval excludes 0."
)
LUCE_NOTE = (
    "Strength in Elo points (Luce's choice model, from who won), 0 for the average bot of the seat; 95 % intervals by "
    "profile likelihood, clustered by game."
)


def blocks(answer: BotsAnswer) -> Iterator[Block]:
    """All findings on the bots."""
    if answer.solo:
        yield from _solo(answer.solo)
        return
    if best := best_play_sentence(answer):
        yield Paragraph(best, "lead")
    if answer.balance:
        stamp = answer.balance.stamp
        label = f"Balance ({STAMPS.get(stamp, stamp)}): " if stamp else ""
        yield Paragraph(f"{label}{balance_sentence(answer)}")
    if answer.matrix:
        yield from matrix_blocks(answer.matrix, answer.varied)
    yield from _ranking(answer)
    if answer.field:
        yield from _field(answer)
    for seat, bots in (answer.strengths or {}).items():
        columns = (linked("bot"), *attributes("strength=elo"))
        yield Table(bots, columns, title=f"{plain(seat, 60)}, strongest first", note=LUCE_NOTE)
    yield from _in_the_long_run(answer)
    yield from _match_ups(answer)


# --- Sentences --------------------------------------------------------------------


def sends(mix: Sequence[MixShare], plays: Mapping[str, str]) -> str:
    """The bots that a seat plays in equilibrium. plays: bot -> how it plays, in words."""
    alone = only_bot(mix)
    if alone:
        how = plain(plays.get(alone, ""), 200).rstrip(".")
        return f"plays {alone}" + (f" ({how[:1].lower()}{how[1:]})" if how else "")
    most, named = 4, possible(mix)
    if all(one.share.low > 0 for one in named):
        return f"plays a mix of bots, {first_of([f'{one.bot} in {one.share.full}' for one in named], most)}"
    bots = [one.bot for one in named[:most]] + ["another"] * (len(named) > most)
    either = f"{', '.join(bots[:-1])} or {bots[-1]}" if bots[1:] else bots[0]
    return f"plays {either}, or a mix (these games do not separate them)"


def best_play_sentence(answer: BotsAnswer) -> str:
    """Best play of two seats; empty if unknown."""
    if answer.best_play is None:
        return ""
    both = zip(answer.sides, answer.best_play.mix.values(), strict=True)
    mixes = [f"{side.who} {sends(mix, {})}" for side, mix in both]
    result = f"{answer.sides[0].who} then wins {answer.best_play.value.full}"
    return (
        f"In best play with these bots {' and '.join(mixes)}; {result}. The "
        "interval holds for the whole table of match-ups together."
    )


def balance_sentence(answer: BotsAnswer) -> str:
    """Who is favoured, and whether that depends on the bots."""
    found = answer.balance
    if found is None:
        return ""
    if found.stamp is None:
        return _together(answer, found)
    who = {side.name: side.who for side in answer.sides}
    fair = f"a fair share ({100 * found.equal_share:.3g} %)"
    if found.swapped == "drawn":
        return _drawn(answer, found, fair)
    kinds = f"{found.total:,} match-ups"
    if found.swapped:
        two = len(answer.seats) == 2
        kinds = f"{found.total:,} {'pairings' if two else 'line-ups'} of bots, each in "
        kinds += "both seats" if two else "every order of the seats"
    total = f"{kinds}{' (all settings together)' if answer.varied else ''}"
    kind = "side" if answer.joint else "seat"
    if found.leader is None:
        if found.stamp == "even":
            return f"No {kind} is favoured beyond {fair}: the game is significantly even in {found.even:,} of {total}."
        return f"In none of {total} is a {kind} significantly favoured beyond {fair}; {found.even:,} are even."
    leader, verb = next((side.who, side.wins) for side in answer.sides if side.name == found.leader)
    plural = answer.joint and verb == "win"
    ahead = f"{found.favoured[found.leader]:,} of {total}"
    parts = [f"{capital(leader)} {'are' if plural else 'is'} significantly favoured in {ahead}"]
    parts += [f"{who[side]} in {count:,}" for side, count in found.favoured.items() if side != found.leader and count]
    parts += [f"it is even in {found.even:,}"] if found.even else []
    parts += [f"inconclusive in {found.open:,}"] if found.open else []
    text = (
        f"{', '.join(parts)}. Averaged over all of them, {leader} {'win' if plural else 'wins'} {found.mean.full}, "
        f"compared with {fair}."
    )
    why = []
    if "against" in found.reasons:
        why.append("other bots reverse it in more than one match-up in ten")
    if "left out" in found.reasons and found.left_out:
        seat = "" if found.swapped else f" as {found.left_out.seat}"
        why.append(f"without {found.left_out.bot}{seat} the average is {100 * found.left_out.rate:.1f} %")
    if "best play" in found.reasons:
        why.append(f"in best play {leader} wins less than its share")
    reversed_ = sum(found.favoured.values()) > found.favoured[found.leader]
    ends = {
        "few": "There are too few match-ups to see whether that depends on the bots.",
        "leans": "It leans that way, but in fewer than nine match-ups out of ten.",
        "open": f"On average no {kind} is significantly favoured.",
        "holds": f"It holds{' in at least nine match-ups out of ten' if reversed_ else ': no bot here reverses it'}.",
    }
    end = f"Fragile: {'; '.join(why)}." if why else ends.get(found.stamp, "")
    return f"{text} {end}".rstrip()


def _drawn(answer: BotsAnswer, found: Balance, fair: str) -> str:
    """Whether a seat wins more than its share over drawn line-ups of the same bots."""
    over = (
        f"over {len(answer.match_ups):,} drawn line-ups, with each bot about equally often in each seat (single "
        "line-ups show the bots, not the seats)"
    )
    if found.leader is None:
        return f"No seat wins significantly more than {fair} {over}."
    leader = next(side.who for side in answer.sides if side.name == found.leader)
    return f"{capital(leader)} is significantly favoured beyond {fair}: it wins {found.mean.full} {over}."


def _together(answer: BotsAnswer, found: Balance) -> str:
    """The line-ups with which all win least and most often."""
    (side,), low, high = answer.sides, found.weakest, found.strongest
    assert low is not None
    assert high is not None
    if low.rate.high >= high.rate.low:
        return (
            f"These games show no difference between line-ups in how often {side.who} {side.wins}: {low.rate.full} to "
            f"{high.rate.full}."
        )
    return (
        f"How often {side.who} {side.wins} depends on the bots: {low.rate.full} with {' v '.join(low.bots)}, "
        f"{high.rate.full} with {' v '.join(high.bots)}."
    )


def ranking_sentence(answer: BotsAnswer) -> str:
    """How much of the differences between match-ups one strength per bot explains; empty without a ranking."""
    if answer.unexplained is None or answer.surprise is None:
        return ""
    left, gap = 100 * answer.unexplained, answer.surprise.points
    text = (
        f"In these games one strength per bot explains {100 - left:.0f} % of the differences between match-ups"
        if left < 99.5
        else "In these games one strength per bot explains none of the differences between match-ups"
    )
    if not answer.surprise.significant:
        halves = [rate.half for one in answer.match_ups for rate in one.win_rate.values()]
        if abs(gap) < 2 and max(halves, default=1.0) < PRECISE:
            return f"{text}: a strong bot is strong against every opponent."
        return "One strength per bot fits the match-ups: none departs significantly from this ranking."
    pair, more = f"{answer.surprise.bot} against {answer.surprise.against}", "more" if gap > 0 else "less"
    points = f"{abs(gap):.{0 if abs(gap) >= 2 else 1}f}"
    return (
        f"{text}; the rest depends on who meets whom. The largest deviation: {pair} won {points} points "
        f"{more} than the ranking predicts."
    )


def alpha_rank_sentence(answer: BotsAnswer) -> str:
    """The bots that survive imitation; empty if unknown."""
    if not answer.alpha_rank:
        return ""
    parts = []
    for seat, bots in answer.alpha_rank.items():
        top = sorted((one for one in bots if one.mass.value >= 0.1), key=lambda one: -one.mass.value)[:4]
        parts.append(f"{plain(seat, 60)} {', '.join(f'{one.bot} {_mass(one.mass)}' for one in top)}")
    by = ", each seat by its own wins" if answer.joint else ""
    return (
        f"If all seats imitate successful bots (alpha-rank{by}), these bots remain: {'; '.join(parts)}. In brackets is "
        "the range over resampled tables."
    )


def _mass(mass: Estimate) -> str:
    """A share of alpha-rank; without a range if it is the same in all tables."""
    return mass.full if mass.low < mass.high else f"{100 * mass.value:.3g} %"


def cycle_sentence(steps: Sequence[CycleStep]) -> str:
    """Bots that beat each other in turn, or a best-response cycle."""
    if not steps[0].who:
        beats = ", ".join(f"{step.better} beats {step.worse} ({step.gain.inner})" for step in steps)
        return f"Rock, paper, scissors over both seats, {len(steps)} bots: {beats}."
    gains = [
        f"against {' and '.join(step.against)}, {step.who} gains {step.gain.full} points with {step.better} instead of "
        f"{step.worse}"
        for step in steps
    ]
    return f"A best-response cycle: {'; '.join(gains)}; and so on."


def no_cycle_sentence(answer: BotsAnswer) -> str:
    """How many match-ups are on cycles; empty if only one seat has a choice."""
    if answer.replies is None:
        return ""
    if answer.circles:
        if not answer.on_circle:
            return ""
        return (
            f"{answer.on_circle:,} of {len(answer.match_ups):,} match-ups are on a best-response cycle: in each, one "
            "seat does better with another bot."
        )
    if answer.replies:
        return f"No best-response cycle: none of {answer.replies:,} significantly better replies leads back to a start."
    return "No best-response cycle can be shown: no bot is a significantly better reply than another."


def solo_sentence(lines: Sequence[SoloBot]) -> str:
    """The best bot of a solo game, and whether it is significantly best."""
    best, rest = lines[0], lines[1:]
    level = [line.bot for line in rest if not line.sure]
    if not level:
        return f"{best.bot} wins most: {best.win_rate.full}, significantly more than each of the other {len(rest)}."
    return f"{best.bot} wins most: {best.win_rate.full}, but not significantly more than {listed(level, 6, 'or')}."


# --- Tables -----------------------------------------------------------------------


def _solo(lines: Sequence[SoloBot]) -> Iterator[Block]:
    yield Paragraph(solo_sentence(lines), "lead")
    columns = (
        *attributes("bot"),
        linked("games"),
        *attributes("wins=win_rate", "mean score=score" if lines[0].score else ""),
        *attributes("points behind the best=points_behind"),
    )
    yield Table(lines, columns, title="Bots, best first", note=SOLO_NOTE)


def matrix_blocks(matrix: Matrix, varied: bool = False) -> Iterator[Block]:
    """Win rates of the match-ups of two seats."""
    pooled = ", averaged over the settings" if varied else ""
    good = (
        f"{'Before averaging, each' if varied else 'Each'} number has an interval of ±{matrix.half:.1f} points or less."
    )
    title = f"{matrix.first} wins, in % of the games{pooled}"
    yield Chart(
        "matrix", lambda: heat_map(matrix),
        f"Win rate of the seat {matrix.first} in %{pooled}: its bots are the rows, those of {matrix.second} the "
        f"columns; the strongest are at the top and on the left. {good}",
        wide=True,
    )  # fmt: skip

    def percent(column: str, row: str) -> int | None:
        rate = matrix.rates[row].get(column)
        return None if rate is None else round(100 * rate.value)

    columns = [
        Column[str](f"{matrix.first} / {matrix.second}", lambda row: row or "all"),
        *(Column[str](column, partial(percent, column)) for column in matrix.columns),
        Column[str]("all", lambda row: matrix.rates[row][""]),
    ]
    table = Table((*matrix.rows, ""), columns, note=good, most=60, total=True)
    yield Section("bots-matrix", title, (table,), folded=True)


def _ranking(answer: BotsAnswer) -> Iterator[Block]:
    if not answer.ranking or (answer.field and answer.unexplained is None):
        return
    if answer.unexplained is not None:
        yield Paragraph(ranking_sentence(answer))
    for seat, bots in answer.ranking.items():
        columns = (
            *attributes("bot", "its side wins=side_win_rate" if answer.joint else ""),
            linked("wins itself=win_rate" if answer.joint else "wins against all=win_rate"),
            *attributes("" if answer.unexplained is None else "strength=elo"),
        )
        yield Table(bots, columns, title=f"{plain(seat, 60)}, strongest first")
    if answer.unexplained is not None:
        shared = "accounting for" if answer.shared_luck_measured else "without accounting for"
        yield Paragraph(
            "Strength in Elo points (Bradley-Terry), 0 for the average bot of the seat; 95 % intervals by profile "
            f"likelihood, {shared} the correlation of match-ups on the same seeds.",
            "note",
        )


def _field(answer: BotsAnswer) -> Iterator[Block]:
    own = any(line.own_wins for line in answer.field)
    columns = (
        linked("bot"),
        *attributes("all seats=share", "wins itself=own_wins" if own else ""),
        *entries("by_seat", {seat: f"as {seat}" for seat in answer.field[0].by_seat}),
    )
    if answer.joint:
        title = "How often the bot's side wins"
        note = "Averaged over the seats that the bot took; the best for its side comes first." + (
            " Wins itself: the bot's own wins, which may be at its side's expense." if own else ""
        )
    else:
        title = "Share of the wins by bot"
        note = (
            "Averaged over all match-ups and the seats that the bot took; the intervals for all seats hold for all "
            f"bots together. Shared wins are split. An average seat wins {100 * answer.fair_share:.3g} %."
        )
    if not answer.whole:
        note += (
            " The intervals are for the line-ups that were drawn. Whether a bot wins significantly less also depends "
            "on which line-ups were drawn, so bots with separate intervals may still be equally good."
        )
    yield Table(answer.field, columns, title=title, note=note)
    beside = Table(
        answer.field,
        (*attributes("bot"), *entries("beside", {line.bot: line.bot for line in answer.field})),
        title="By opponents and partners",
        note=f"{title.split(' by ')[0]} when the column's bot is in another seat.",
    )
    yield Section("bots-beside", "Bots by the other bots in the game", (beside,), folded=True)


def _in_the_long_run(answer: BotsAnswer) -> Iterator[Block]:
    seats = _shares(answer)
    if seats and max(len(bots) for _, bots in seats) <= 40:
        caption = (
            "Bots in best play (squares) and in alpha-rank (rings): share of a seat's games that the bot plays, "
            "with the middle 95 % of resampled tables (alpha-rank: with all of them)."
        )
        yield Chart("bot_shares", lambda: bot_shares(seats), caption)
    if survive := alpha_rank_sentence(answer):
        yield Paragraph(survive)
    cycles = list(map(cycle_sentence, answer.circles))
    yield from map(Paragraph, cycles[:2])
    if cycling := no_cycle_sentence(answer):
        yield Paragraph(cycling)
    if cycles[2:]:
        yield Section("bots-cycles", "More cycles", tuple(map(Paragraph, cycles[2:])), folded=True)
    if answer.twins:
        names = "; ".join(f"{one} is {other} under another name" for one, other in answer.twins[:6])
        yield Paragraph(f"Counted once: {names}{' and more' if len(answer.twins) > 6 else ''}.", "note")


def _match_ups(answer: BotsAnswer) -> Iterator[Block]:
    if not answer.match_ups or answer.balance is None:
        return
    lines = sorted(answer.match_ups, key=lambda one: -next(iter(one.win_rate.values())).value)
    heads = {seat: f"{seat} wins" for seat in answer.seats}
    if len(answer.sides) < len(heads) and all(
        len({rate.value for rate in one.win_rate.values()}) == 1 for one in lines
    ):
        heads = {answer.seats[0]: f"{answer.sides[0].name} {answer.sides[0].wins}"}  # all win and lose together
    columns = [
        Column[MatchUp]("match-up", lambda one: line_up(one.bots)),
        linked("games"),
        *entries("win_rate", heads),
    ]
    if answer.balance.stamp is not None:
        swapped = "favoured seat, bots swapped" if answer.balance.swapped else "significantly favoured"
        columns += attributes(f"{swapped}=favoured")
    left = len(lines) - MOST_LISTED
    note = f"{left:,} more match-ups are left out." if left > 0 else ""
    table = Table(lines[:MOST_LISTED], columns, note=note)
    yield Section("bots-match-ups", "All match-ups", (table, Paragraph(_note(answer), "note")), folded=True)


def _note(answer: BotsAnswer) -> str:
    assert answer.balance is not None
    parts = ["The 95 % intervals hold for all match-ups together (Clopper-Pearson, Bonferroni); draws are split."]
    if answer.balance.stamp is not None:
        parts.append(
            f"Whether a side is favoured beyond a fair share ({100 * answer.balance.equal_share:.3g} %) is tested with "
            "Holm's adjustment. A finding is fragile if other bots reverse it in more than one match-up in ten, if "
            "leaving out one bot does, or if best play does."
        )
    if answer.balance.swapped:
        parts.append(
            "All seats have the same bots, so a seat is judged over all orders of the bots of a match-up: a single "
            "match-up shows the better bot, not the better seat."
        )
    parts.append("Each step of a cycle is significant.")
    if not answer.shared_luck_measured:
        parts.append(
            "The games of different match-ups could not be paired (rows were not kept, there are too many, or there "
            "are too few games). Match-ups therefore count as independent here, although they share random seeds."
        )
    if not answer.whole:
        parts.append("Not every bot met every other, so best play and alpha-rank are unknown.")
    return " ".join(parts)


# --- Charts -----------------------------------------------------------------------


@chart
def heat_map(matrix: Matrix, ax: Axes | None = None) -> Axes:
    """Win rate of the first seat in %: one row for each of its bots, one column for each opponent."""
    from matplotlib.colors import Normalize

    rows, columns = matrix.rows, matrix.columns
    known = [[matrix.rates[row].get(column) for column in columns] for row in rows]
    table = np.array([[math.nan if rate is None else rate.value for rate in line] for line in known])
    labels = [["" if math.isnan(rate) else f"{100 * rate:.0f}" for rate in line] for line in table]
    wide = max(len(columns) * 0.42 + 1.9, drawing.WIDTH * 0.7)
    longest = max(len(drawing.label(bot, 22)) for bot in columns)
    ax = drawing.axes(ax, 0.8 + 0.3 * len(rows) + 0.075 * longest, wide)
    drawing.heat(ax, table, labels, drawing.versus(), Normalize(0, 1), 8.5 if len(columns) < 16 else 7)
    drawing.name_tiles(
        ax, [drawing.label(bot, 26) for bot in rows], [drawing.label(bot, 22) for bot in columns],
        down=drawing.label(matrix.first, 30), across=drawing.label(matrix.second, 30), above=True, tilted=True,
    )  # fmt: skip
    return ax


Shares = dict[str, tuple[Estimate | None, Estimate | None]]  # bot -> share in best play, share in alpha-rank


def _shares(answer: BotsAnswer) -> list[tuple[str, Shares]]:
    """Seat -> the bots that may have a share of 1 % or more, those with the greatest first."""
    if answer.best_play is None and answer.alpha_rank is None:
        return []
    seats = []
    for seat in answer.seats:
        best = {one.bot: one.share for one in answer.best_play.mix[seat]} if answer.best_play else {}
        left = {one.bot: one.mass for one in answer.alpha_rank[seat]} if answer.alpha_rank else {}
        shares = {bot: (best.get(bot), left.get(bot)) for bot in {**best, **left}}
        named = [bot for bot, two in shares.items() if max(one.high for one in two if one) >= 0.01]
        named.sort(key=lambda bot: [-one.value for one in shares[bot] if one])
        seats.append((seat, {bot: shares[bot] for bot in named}))
    return seats


@chart
def bot_shares(seats: Sequence[tuple[str, Shares]], ax: Axes | None = None) -> Axes:
    """Share of each bot in best play (square) and in alpha-rank (ring), with intervals."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    gap, count = 0.7, sum(len(bots) for _, bots in seats)
    ax = drawing.axes(ax, 1.1 + 0.3 * (count + gap * (len(seats) - 1)))
    ticks: list[float] = []
    for place, (seat, bots) in enumerate(seats):
        color = drawing.seat_color(place, seat)
        for two in bots.values():
            y = len(ticks) + gap * place
            ticks.append(y)
            for one, at, mark, face in zip(two, (y - 0.17, y + 0.17), "so", (color, "none"), strict=True):
                if one is not None:
                    ax.plot([one.low, one.high], [at, at], color=color, linewidth=1.2, alpha=0.7)
                    ax.plot([one.value], [at], mark, markersize=5, color=color, markerfacecolor=face)
    ax.set_yticks(ticks, [drawing.label(bot, 24) for _, bots in seats for bot in bots])
    ax.set_ylim((ticks[-1] if ticks else 0) + 0.7, -0.7)
    ax.set_xlim(-0.02, 1.02)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("share of a seat's games in which the bot plays")
    drawing.percent(ax, "x")
    shown = [Patch(color=drawing.seat_color(i, seat), label=drawing.label(seat)) for i, (seat, _) in enumerate(seats)]
    marks = [
        Line2D([], [], color=drawing.MUTED, marker="s", linestyle="", label="best play"),
        Line2D([], [], color=drawing.MUTED, marker="o", markerfacecolor="none", linestyle="", label="alpha-rank"),
    ]
    handles = [*shown, *marks]
    columns = drawing.legend_columns([str(handle.get_label()) for handle in handles], most=4)
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=columns, handlelength=1.2)
    return ax
