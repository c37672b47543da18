"""The app's statistics as HTML and SVG: tables with a bar for each share, and distributions.

Everything that comes from a game is shown as text. Nothing here depends on a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from simlab.app.live_summary import Line, LiveSummary, Spread, change_text

if TYPE_CHECKING:
    from simlab.present.estimate import Estimate

PRINTED, TWEAK = "printed rules", "your tweak"  #: names of the two sets of rules
_WIDE, _HIGH = 320, 120  # of a distribution
_STATES = {"met": "met", "broken": "broken", "inconclusive": "cannot"}


def figures(summary: LiveSummary) -> str:
    """All statistics of a play."""
    several = summary.tweak_games > 0
    return "".join(
        [
            _legend(several),
            _table("Who wins", summary.wins, several, bars=True),
            _table("How games end", summary.endings, several, bars=True),
            _distributions(summary.spreads),
            _table("Length, scores and other numbers", summary.numbers, several, bars=False),
            _note(summary),
        ]
    )


def _legend(several: bool) -> str:
    tweak = f'<span class="key tweak"></span>{TWEAK}' if several else ""
    return (
        f'<p class="legend"><span class="key printed"></span>{PRINTED} {tweak} '
        '<span class="key fair"></span>fair share</p>'
    )


def _note(summary: LiveSummary) -> str:
    luck = (
        f" Both sets of rules play {summary.pairs:,} games with the same shuffles and dice, so only your change makes "
        "a difference."
        if summary.pairs
        else ""
    )
    return (
        '<p class="small">The numbers in brackets are 95 % intervals: the true value lies between them 19 times out of '
        "20. They hold at every moment, however long you watch and whenever you stop (confidence sequences, each "
        "statistic on its own). So they are wider than those of a report, whose number of games is fixed in advance. "
        f"With many statistics, or many tweaks tried, one in twenty may still mislead.{luck}</p>"
    )


def _table(title: str, lines: Sequence[Line], several: bool, *, bars: bool) -> str:
    if not lines:
        return ""
    heads = ["", *(['<span class="hidden">bar</span>'] if bars else []), PRINTED]
    heads += [TWEAK, "change"] if several else []
    cells = "".join(f'<th role="columnheader" scope="col">{head}</th>' for head in heads)
    rows = "".join(_row(line, several, bars) for line in lines)
    return (
        f'<section><h2>{title}</h2><table class="figures-table{"" if bars else " plain"}" role="table">'
        f'<thead role="rowgroup"><tr role="row">{cells}</tr></thead>'
        f'<tbody role="rowgroup">{rows}</tbody></table></section>'
    )


def _row(line: Line, several: bool, bars: bool) -> str:
    parts = [f'<th role="rowheader" scope="row">{escape(line.name)}</th>']
    if bars:
        parts.append(f'<td role="cell" class="bar">{_bar(line)}</td>')
    parts.append(f'<td role="cell" class="n" data-head="{PRINTED}">{_number(line.printed)}</td>')
    if several:
        tweak = _number(line.tweak) if line.tweak else ""
        parts.append(f'<td role="cell" class="n" data-head="{TWEAK}">{tweak}</td>')
        moved = " moved" if line.moved else ""
        parts.append(f'<td role="cell" class="n change{moved}" data-head="change">{_change(line)}</td>')
    return f'<tr role="row" data-figure="{escape(line.figure.name)}">{"".join(parts)}</tr>'


def _number(estimate: Estimate) -> str:
    ends = estimate.one_sided or estimate.ends
    return f"{estimate.text} <small>({escape(ends)})</small>"


def _change(line: Line) -> str:
    value, _, rest = change_text(line).partition(" (")
    return f"{escape(value)} <small>({escape(rest)}</small>" if rest else ""


def _bar(line: Line) -> str:
    """A share with its interval, from 0 to 100 %, under both sets of rules."""
    several = line.tweak is not None
    marks = "".join(f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="24"/>' for x in (0, 50, 100, 150, 200))
    marks += _whisker(line.printed, 7 if several else 12, "printed")
    if line.tweak is not None:
        marks += _whisker(line.tweak, 17, "tweak")
    if line.fair is not None:
        marks += f'<line class="fair" x1="{200 * line.fair:.1f}" x2="{200 * line.fair:.1f}" y1="0" y2="24"/>'
    return f'<svg viewBox="-3 0 206 24" preserveAspectRatio="none" aria-hidden="true">{marks}</svg>'


def _whisker(estimate: Estimate, y: int, kind: str) -> str:
    low, value, high = (200 * min(max(end, 0.0), 1.0) for end in (estimate.low, estimate.value, estimate.high))
    return (
        f'<rect class="{kind}" x="0" width="{value:.1f}" y="{y - 4}" height="8"/>'
        f'<line class="ends" x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}"/>'
    )


def _distributions(spreads: Sequence[Spread]) -> str:
    if not spreads:
        return ""
    charts = "".join(_distribution(spread) for spread in spreads)
    return f'<section><h2>Distributions</h2><div class="spreads">{charts}</div></section>'


def _distribution(spread: Spread) -> str:
    shares = [spread.printed, *([spread.tweak] if spread.tweak is not None else [])]
    most = max(float(share.max()) for share in shares) or 1.0
    bars = len(spread.edges)
    wide = _WIDE / bars

    def top(share: float) -> float:
        return _HIGH * (1 - share / most)

    filled, outline = (spread.tweak, spread.printed) if spread.tweak is not None else (spread.printed, None)
    kind = "tweak" if spread.tweak is not None else "printed"
    drawn = "".join(
        f'<rect class="{kind}" x="{place * wide + 0.5:.1f}" width="{max(wide - 1, 0.6):.1f}" '
        f'y="{top(share):.1f}" height="{_HIGH - top(share):.1f}"/>'
        for place, share in enumerate(filled)
        if share > 0
    )
    if outline is not None:
        steps = " ".join(
            f"{place * wide:.1f},{top(share):.1f} {(place + 1) * wide:.1f},{top(share):.1f}"
            for place, share in enumerate(outline)
        )
        drawn += f'<polyline class="outline" points="0,{_HIGH} {steps} {_WIDE},{_HIGH}"/>'
    drawn += "".join(_ticks(spread, wide))
    name = escape(spread.name)
    return (
        f'<figure><svg viewBox="-4 -14 {_WIDE + 8} {_HIGH + 32}" role="img" '
        f'aria-label="Distribution: {name}">'
        f'<text x="0" y="-4" class="tick">{100 * most:.0f} %</text>{drawn}'
        f'<line class="grid" x1="0" x2="{_WIDE}" y1="{_HIGH}" y2="{_HIGH}"/></svg>'
        f"<figcaption>{name}</figcaption></figure>"
    )


def _ticks(spread: Spread, wide: float) -> Iterator[str]:
    every = max(1, -(-len(spread.edges) // 8))
    for place in range(0, len(spread.edges), every):
        yield f'<text class="tick" text-anchor="middle" x="{(place + 0.5) * wide:.1f}" y="{_HIGH + 14}">'
        yield f"{int(spread.edges[place])}</text>"


def contract(clauses: Iterable[tuple[str, str]]) -> str:
    """The contract, (verdict, sentence) by clause, in the words of `simlab check`."""
    items = "".join(
        f'<li><span class="badge {_STATES.get(word, "cannot")}">{escape(word)}</span> {escape(sentence)}</li>'
        for word, sentence in clauses
    )
    return f'<ul class="contract">{items}</ul>'


def fault(text: str) -> str:
    """An error message."""
    return f'<p class="fault" role="alert">{escape(text)}</p>'
