"""Method and limits of a report: the intervals, their assumptions, and the limits of the numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simlab.present.blocks import Block, Command, Paragraph, Section, Table, places
from simlab.questions.method.analysis import Method, detectable_change
from simlab.runs.view import View
from simlab.words import counted

TITLE = "Method and limits"
CHAPTER, RANK = "Method", 10

INTERVALS = (
    "Each interval holds with 95 %, so about one in twenty misses. Win rates and other shares of one cell: Wilson's "
    "score interval. Endings: Goodman's, for all endings together. Means: Student's, wider for rare or very skewed "
    "numbers. Quantiles: order statistics; if both ends are the quantile itself, no interval is shown."
)
SEEDS = "All cells use the same seeds, so numbers pooled over cells are less precise than the number of games suggests."
MEASURED = (
    "For win rates, endings, lengths and metrics the covariance of the cells was measured from the games. Intervals of "
    "all other pooled numbers assume the worst case: all cells together are as precise as one of them."
)
WORST = "Intervals of pooled numbers assume the worst case: all cells together are as precise as one of them."
CONTRACT = (
    "Contract: a line is met if its whole interval lies within the wanted range, and broken if the whole interval lies "
    "outside. These intervals are wider than the others: together they hold with 95 %, at any number of games, so you "
    "may look and add games until all lines are decided (confidence sequences after Robbins, split by Bonferroni; for "
    "means, betting after Waudby-Smith and Ramdas). The number of games to decide a line assumes 80 % power and that "
    "the true value is the one observed."
)
FIXED = (
    "The intervals hold if the number of games was fixed in advance. If you add games until you like the result, they "
    "no longer hold: fix the number first, or confirm the result with a new seed."
)
STOP_RULE = (
    "The run played whole shards until the intervals of the win rates reached ±{:.2g} points, or the most games "
    "allowed. The rule looks only at the width, never at the result, so the intervals can be read as if the number of "
    "games had been fixed in advance (Chow and Robbins 1965; in simulations they cover in 94.5 % of runs or more for "
    "rates from 5 to 95 %)."
)
LIMITS = """\
Choices within a game are correlated, so the share of an action's uses counts each game as one choice. How often a rule
fires in a game is a mean with Student's interval.

A win rate of games with an action is not an effect of the action: bots may use it more when they are ahead. To measure
an effect, play with and without it.

Bands of tracks show how games differ; they are not confidence intervals. They stop where fewer than 1 % of the games,
or fewer than 20, continue.

These results are for the bots above under these rules and rulings. People or other bots may do differently; a strategy
that none of these bots plays is not in these numbers."""


def blocks(answer: Method) -> Iterator[Block]:
    yield from map(Paragraph, _texts(answer))
    yield Section("again", "Reproduce these numbers", tuple(_again(answer)))


def _texts(answer: Method) -> Iterator[str]:
    low, middle, high = answer.games_per_cell
    each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    where = f" in {answer.cells:,} cells, {each} in each" if answer.cells > 1 else ""
    yield f"Played: {counted(answer.games, 'game')}{where}, seed {answer.seed}. {answer.streams}".rstrip()
    yield exploratory(answer.prespecified)
    yield INTERVALS
    yield _reach(answer.change, middle, answer.cells > 1)
    if answer.cells > 1:
        yield f"{SEEDS} {MEASURED if answer.measured else WORST}"
        if answer.seats == 2:
            yield (
                f"The tests of whether a seat is favoured beyond {answer.equal_share} are adjusted for all "
                f"{answer.cells_word} (Holm)."
            )
    if answer.contract:
        yield CONTRACT
    yield FIXED if answer.precision is None else STOP_RULE.format(100 * answer.precision)
    yield from (" ".join(text.split()) for text in LIMITS.split("\n\n"))


def exploratory(named: str) -> str:
    """The pre-specified statistics, and how the others are judged. named: `analysis.prespecified` of a run."""
    rest = (
        "is exploratory: tests of favoured sides, of departures from the fair share and of changes are adjusted "
        "for all lines of their table (Holm or Bonferroni). Single intervals, and those of the course of a game, "
        "hold at 95 % each. To confirm a result, put its statistic into [contract] and use held-out seeds."
    )
    if named:
        return f"Pre-specified: {named}. Everything else {rest}"
    return f"No targets were set in advance, so everything here {rest}"


def reach_sentence(view: View) -> str:
    games = int(np.median([cell.games for cell in view.cells]))
    return _reach(detectable_change(view), games, len(view.cells) > 1)


def _reach(change: float, games: int, several: bool) -> str:
    return (
        f"{counted(games, 'game')}{' per cell' if several else ''} detect a change of about "
        f"{change:.{1 if change >= 0.1 else 2}f} points of a win rate near 50 % (80 % power, independent seeds). "
        "With the same seeds, games are compared in pairs, which usually detects smaller changes; `simlab diff` "
        "reports how small."
    )


def _again(answer: Method) -> Iterator[Block]:
    if answer.command:
        yield Command("Made by", answer.command)
    yield Command("In the folder of this report, from its own copy of the experiment", answer.again)
    yield Paragraph(
        "With the same versions and the same seed each game is the same, with any number of workers.", "note"
    )
    yield from (Paragraph(text, "warning") for text in answer.outliers)
    versions = Table(tuple(answer.versions.items()), places("", "version"))
    yield Section("versions", "Versions and machine", (versions,), folded=True)
