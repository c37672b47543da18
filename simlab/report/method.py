"""Method and limits of a report: which intervals, what they assume, and what the figures do not say."""

from __future__ import annotations

from collections.abc import Mapping

from simlab.present.estimate import plain
from simlab.report.balance import cells_word, equal_share, reach_sentence
from simlab.results.rows import Won
from simlab.results.view import View
from simlab.words import counted

_TEXTS = """
intervals: Intervals hold with 95 % each, so of twenty about one misses. Win rates and other shares of one
cell: Wilson's score interval. Endings: Goodman's, for all endings together. Means: Student's. Quantiles:
order statistics; where none stands beside a quantile, both its ends are the same number.

shared: All cells play the same seeds, so their luck is shared, and figures pooled over cells are worth fewer
games than they count.

measured: For win rates, endings, lengths and metrics the shared luck was measured from the games; for all other
pooled figures the interval takes the worst case, that the cells are worth no more games than one of them.

worst: The intervals of pooled figures take the worst case: that the cells are worth no more games than one of
them.

contract: Contract: a line is met when its whole interval lies within what is wanted, broken when all of it
lies outside. These intervals are wider than the others: all of them hold together with 95 %, and at any number
of games, so that one may look and add games until all is decided (confidence sequences after Robbins, split by
Bonferroni; for means bets after Waudby-Smith and Ramdas). The games that would decide are reckoned for a chance of
four in five, should the figure be what it looks like.

fixed: The number of games was fixed beforehand. Whoever adds games until a result pleases will find one: fix
the number first, or use a new seed to confirm what was found here.

actions: Choices of one game hang together. The share of an action's uses therefore counts a game as one
choice. How often a rule fires in a game is a mean with Student's interval.

cause: A win rate given the use of an action is no effect of the action: who is ahead may use it more. To see
an effect, play with and without.

bands: Bands of tracks show how games differ, not how sure the figure is. They stop where fewer than 1 % of
the games, or fewer than 20, still go on.

bots: All of it is about these bots under these rules and rulings. Bots are no people: a strategy that none of
them knows is not in these figures.
"""
_SAID: dict[str, str] = {
    name: " ".join(text.split()) for name, _, text in (part.partition(":") for part in _TEXTS.strip().split("\n\n"))
}


def method(view: View) -> list[str]:
    """The paragraphs, in order."""
    texts = [_played(view), _SAID["intervals"], f"Reach: {reach_sentence(view)}"]
    if len(view.cells) > 1:
        pooled = _SAID["measured" if view.covariance(Won((0,))) is not None else "worst"]
        who = f"Who is favoured over {equal_share(view)} in how many {cells_word(view)}"
        together = f"{who} is judged together (Holm's method)."
        texts.append(f"{_SAID['shared']} {pooled} {together if len(view.seats) == 2 else ''}".rstrip())
    if view.contract:
        texts.append(_SAID["contract"])
    texts.append(_stop(view))
    return texts + [_SAID[name] for name in ("actions", "cause", "bands", "bots")]


def _played(view: View) -> str:
    cells = len(view.cells)
    games = sorted({cell.games for cell in view.cells})
    each = f"{games[0]:,}" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,}"
    streams = view.manifest.get("streams")
    how = plain(streams.get("how", ""), 1000) if isinstance(streams, Mapping) else ""
    where = f" in {cells:,} cells, {each} in each" if cells > 1 else ""
    return f"Played: {counted(view.games, 'game')}{where}, seed {view.seed}. {how}".rstrip()


def _stop(view: View) -> str:
    stop = view.config.get("stop")
    precision = stop.get("precision") if isinstance(stop, Mapping) else None
    if not isinstance(precision, int | float) or precision <= 0:
        return _SAID["fixed"]
    return (
        f"The run went on, by whole shards, until the intervals of the win rates reached ±{100 * precision:.2g} points "
        "or the most games allowed. The rule looks at the width alone, never at the result, so that the intervals "
        "may be read as if the number of games had been fixed beforehand (Chow and Robbins 1965; simulated: they "
        "cover in 94.5 of 100 runs or more for rates from 5 to 95 %)."
    )
