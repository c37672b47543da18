"""Fixes of a game in sentences, tables and a chart of the Pareto front."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from simlab.present.blocks import Badge, Block, Chart, Column, Command, Paragraph, Section, Table, attributes, places
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate, number, plain
from simlab.present.text import duration
from simlab.questions.contract.words import badge
from simlab.questions.fixes.analysis import Candidate, ChangedStatistic, Fixes, FixPlan
from simlab.questions.fixes.validation import ObjectiveReading
from simlab.questions.replay.words import beside
from simlab.words import counted, listed

MOST_ROWS = 60  #: of a game that is shown before and after
METHOD = (
    "Parameters that may change: {parameters}. All settings of a race play the same seeds; the better half continues "
    "with twice the games. Each setting is judged in best play of its own match-ups. Distance from the contract: how "
    "far the statistic of each line is outside its band, summed over all lines. Shares count in points, other "
    "statistics relative to the larger edge of the band."
)
CAPTION = (
    "Distance from the contract and size of the change; numbers as in the table. Filled: every line is "
    "significantly met; crossed: only while nobody adapts. The line joins the Pareto front of the estimates: no other "
    "change is smaller and has a nearer estimate."
)


def page_title(answer: Fixes) -> tuple[str, str]:
    return (
        f"{plain(answer.experiment, 80)}: how to fix it",
        f"{plain(answer.game, 60)}, seed {answer.seed}, {answer.games:,} games",
    )


def blocks(answer: Fixes | FixPlan) -> Iterator[Block]:
    if isinstance(answer, FixPlan):
        yield _plan(answer)
        return
    yield from _found(answer)
    yield from (Command(f"Game {one.game}, {one.why}", one.beside or one.after) for one in answer.games_beside)
    yield from _rules_file(answer)


def page_blocks(answer: Fixes) -> Iterator[Block]:
    yield from _found(answer)
    for one in answer.games_beside:
        rows = beside(one.rows, "turn", ("before", "after"), MOST_ROWS)
        ends = (Paragraph(f"before: {one.ends[0]}"), Paragraph(f"after: {one.ends[1]}"))
        line = Command("replay", one.beside or one.after)
        yield Section(f"game-{one.game}", f"Game {one.game}, {one.why}", (line, rows, *ends), folded=True)
    yield from _rules_file(answer)
    parameters = ", ".join(answer.parameters[:80]) + (", ..." if len(answer.parameters) > 80 else "")
    yield Section("method", "Method", (Paragraph(METHOD.format(parameters=parameters), "note"),), folded=True)


def _found(answer: Fixes) -> Iterator[Block]:
    yield from (Paragraph(text, "lead") for text in sentences(answer))
    yield Chart("fixes", partial(front, answer), CAPTION, made_by=answer.source)
    yield _table(answer)
    yield Paragraph(
        f"The finalists were played on held-out seeds (seed {answer.fresh_seed}), {answer.games_per_match_up:,} games "
        f"per match-up; their intervals hold together with {100 * answer.level:g} %, whichever of them is chosen. "
        f"{_cost(answer)}",
        "note",
    )
    yield from _changes(answer)


def _rules_file(answer: Fixes) -> Iterator[Block]:
    if answer.rules_file:
        yield Paragraph(f"The changed rules: {answer.rules_file}, ready for simlab run, check and diff.")


def _plan(plan: FixPlan) -> Table[tuple[str, str]]:
    slow = f" and up to {plan.slow:,} with slow bots" if plan.slow else ""
    share = 100 * (plan.race + plan.finals) / max(plan.grid, 1)
    of_grid = f"; {share:.2g} % of the whole grid" if share < 99.5 else ""
    rate = f"{plan.per_second:,.0f}" if plan.per_second >= 10 else f"{plan.per_second:.2g}"
    most = f", up to {duration(plan.seconds_most)} if the slowest bots stay in the race"
    time = (
        f"about {duration(plan.seconds)}{most if plan.seconds_most > 1.5 * plan.seconds else ''}: on average {rate} "
        f"games per second with each of {plan.workers} workers (timed: {counted(plan.timed, 'line-up')}, in which "
        "every bot plays)"
    )
    lines = (
        ("may change", f"{plan.parameters:,} knobs and cells: {plan.settings:,} settings"),
        ("bots", f"{plan.line_ups:,} match-ups"),
        ("games", f"race up to {plan.race:,}, final up to {plan.finals:,}{slow}{of_grid}"),
        ("time", f"{time}; compilation takes additional time"),
        ("folder", f"{plan.folder}; an interrupted search resumes there"),
    )
    return Table(lines, places("", ""), "Plan of the search")


def _table(answer: Fixes) -> Table[Candidate]:
    def line(place: int) -> Column[Candidate]:
        one = answer.finalists[0].lines[place]
        return Column(f"{one.words}; wanted {one.wanted}", lambda point: point.lines[place].value)

    def mix(side: int) -> Column[Candidate]:
        """One column for each side: a cell with the mixes of several is cut to a mix that nobody plays."""
        name = answer.finalists[0].best_play[side].partition(": ")[0]
        return Column(f"best play, {name}", lambda point: point.best_play[side].partition(": ")[2])

    def verdict(point: Candidate) -> Badge:
        return Badge("only while nobody adapts", "") if point.works_only_while_nobody_adapts else badge(point.verdict)

    return Table(
        answer.finalists,
        (
            Column("", lambda point: f"{answer.finalists.index(point)}{'*' if point.on_front else ''}"),
            *attributes("change=text"),
            Column("knobs", lambda point: len(point.changes)),
            *attributes("steps"),
            *map(line, range(len(answer.finalists[0].lines))),
            Column("verdict", verdict),
            *map(mix, range(len(answer.finalists[0].best_play))),
        ),
        "The finalists in best play",
        "* Pareto front: no other change is smaller and has a nearer estimate.",
    )


def _changes(answer: Fixes) -> Iterator[Block]:
    if answer.changed:
        yield Table(
            answer.changed,
            (
                *attributes("statistic=words"),
                Column("before and after", _before_after),
                *attributes("change=difference"),
            ),
            "Other changes in best play",
            "The intervals hold together.",
        )
    for text, actions in (
        ("No longer taken", answer.no_longer_taken),
        ("Actions taken only after the change", answer.taken_again),
    ):
        if actions:
            yield Paragraph(f"{text}: {'; '.join(actions)}.")
    if answer.luck:
        kinds = ", ".join(f"{one.kind} {100 * one.before:.0f} -> {100 * one.after:.0f} %" for one in answer.luck)
        yield Paragraph(
            "Kinds of luck that explain significantly more or less of the variance in who wins, alone or with others: "
            f"{kinds}."
        )


def _before_after(one: ChangedStatistic) -> str:
    scale = 100 if one.difference.rate else 1
    width = scale * (one.difference.high - one.difference.low)
    ends = " -> ".join(number(scale * value.value, width) for value in (one.before, one.after))
    return f"{ends}{' %' if one.difference.rate else ''}"


def _line(one: ObjectiveReading) -> str:
    return f"{one.words} {one.value.full}"


def _lines(point: Candidate) -> str:
    return "; ".join(map(_line, point.lines))


def recommendation(answer: Fixes) -> str:
    """One sentence for the recommended (else the nearest) change."""
    length = next((one for one in answer.changed if one.statistic == "turns"), None)
    longer = ""
    if length is not None:
        gap, sign = length.difference, 1 if length.difference.value > 0 else -1
        low, high = sorted((sign * gap.low, sign * gap.high))
        size = Estimate(abs(gap.value), low, high, rate=False)
        longer = f"; games {size.text} {length.unit} {'longer' if sign > 0 else 'shorter'} ({size.ends})"
    return f"{answer.shown.text}: {_lines(answer.shown)}{' in best play' if answer.adapting else ''}{longer}."


def sentences(answer: Fixes) -> Iterator[str]:
    if answer.finalists[0].verdict == "met":
        yield f"{answer.experiment}: the game keeps its contract as it is; nothing needs to change."
    elif answer.recommended is not None:
        yield f"Change {recommendation(answer)}"
    else:
        yield from _no_fix(answer)
    for point in answer.finalists:
        if point.works_only_while_nobody_adapts:
            former = "; ".join(f"{one.words} {one.unadapted.full}" for one in point.lines)
            yield (
                f"{point.text}: works against the bots that were best before ({former}), but only while nobody adapts. "
                f"At best play: {_lines(point)}."
            )
    reached = max(answer.raced, default=answer.most_changes)
    if answer.verdict != "met" and reached < min(answer.most_changes, len(answer.parameters)):
        yield f"The budget was too small to try {reached + 1} changes at once (--budget)."
    if answer.trained and answer.shown.changes:
        many = len(answer.trained) > 1
        yield (
            f"{listed(answer.trained)} {'were' if many else 'was'} trained or tuned before this search, perhaps at the "
            f"printed setting, and {'do' if many else 'does'} not adapt to the change. It may therefore work against "
            f"{'them' if many else 'it'} only. Train again under {answer.rules_file} (simlab optimize player or bot), "
            "and check the change with the result."
        )
    if not answer.adapting:
        yield "Every side has one bot, so nobody could adapt. Name more bots to judge a fix against bots that adapt."


def _no_fix(answer: Fixes) -> Iterator[str]:
    changes = f"{answer.most_changes} change{'s' if answer.most_changes > 1 else ''}"
    if answer.verdict == "inconclusive":
        unsure = [point for point in answer.finalists if point.verdict == "inconclusive"]
        best = min(unsure, key=lambda p: (p.distance, p.amount))
        yield f"Inconclusive: {best.text} has the nearest estimate ({_lines(best)})."
        open_ended = [one for one in best.lines if one.verdict == "inconclusive" and _no_end(one)]
        for one in open_ended:
            end = "upper" if math.isinf(one.value.high) else "lower"
            end = "end" if math.isinf(one.value.high) and math.isinf(one.value.low) else f"{end} end"
            yield (
                f"The interval of the {one.words} has no {end}: in few games it differs from its commonest value, and "
                "the game declares no range for it, so a game that was not seen may have any value. Declare the range "
                "(low and high of the number) to decide this."
            )
        if len(open_ended) < sum(one.verdict == "inconclusive" for one in best.lines):
            more = 4 * answer.games_per_match_up
            yield f"More games may decide this: add --games {more}; the games played so far are used again."
        return
    if answer.exhausted:
        yield (
            f"No setting within {changes} was found to keep the contract: all {answer.tried:,} raced, and the "
            f"{len(answer.finalists)} best of them were judged on held-out seeds. That is a search, not a proof: the "
            "others were not judged."
        )
    else:
        yield (
            f"No setting that was tried keeps the contract: {answer.tried:,} of the {answer.grid_settings:,} within "
            f"{changes}. That is a search, not a proof."
        )
    yield f"Nearest estimate: {answer.shown.text} ({_lines(answer.shown)})."
    blocked = "; ".join(f"{_line(one)}, wanted {one.wanted}" for one in answer.shown.lines if one.verdict != "met")
    yield f"Not met: {blocked}."


def _no_end(one: ObjectiveReading) -> bool:
    """Whether the interval of a value is open, because the game declares no range."""
    return math.isfinite(one.value.value) and (math.isinf(one.value.low) or math.isinf(one.value.high))


def _cost(answer: Fixes) -> str:
    share = answer.games / max(answer.grid_games, 1)
    part = f"{100 * share:.1f} %" if share >= 0.001 else "less than 0.1 %"
    levels = ", ".join(f"{raced:,} with {level} change{'s' * (level > 1)}" for level, raced in answer.raced.items())
    return (
        f"{answer.games:,} games, {part} of the {answer.grid_games:,} of the whole grid ({answer.grid_settings:,} "
        f"settings); {answer.tried:,} settings were tried{f' ({levels})' if levels else ''}."
    )


@chart
def front(answer: Fixes, ax: Axes | None = None) -> Axes:
    """The finalists by how much they change and how far they are from the contract; a line joins the front."""
    ax = drawing.axes(ax, 3.0)
    most = max(point.steps for point in answer.finalists) + 1

    def place(point: Candidate) -> tuple[float, float]:
        knobs, steps = point.amount
        return knobs + 0.8 * steps / most * bool(knobs), 100 * point.distance

    spots = sorted(place(point) for point in answer.finalists if point.on_front)
    ax.plot(*zip(*spots, strict=True), color=drawing.FACE, lw=1.2, drawstyle="steps-post")
    for place_of, point in enumerate(answer.finalists):
        x, y = place(point)
        if point.works_only_while_nobody_adapts:
            ax.plot([x], [y], "x", color=drawing.MUTED, ms=8)
        else:
            fill = drawing.FACE if point.verdict == "met" else "none"
            ax.plot([x], [y], "o", mec=drawing.FACE, mfc=fill, ms=7)
        text = f"{place_of}: {drawing.label(point.text, 40)}" if point is answer.shown else str(place_of)
        ax.annotate(text, (x, y), (6, 6), textcoords="offset points", fontsize=8)
    ax.set_xlim(-0.2, max(x for x, _ in map(place, answer.finalists)) + 1.2)
    top = max(y for _, y in map(place, answer.finalists))
    ax.set_ylim(-0.12 * max(top, 1), 1.2 * max(top, 1))
    ax.set_xticks(range(max(len(point.changes) for point in answer.finalists) + 1))
    ax.set_xlabel("knobs changed; to the right within each, more steps")
    ax.set_ylabel("distance from the contract, points")
    return ax
