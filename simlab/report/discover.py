"""Where something holds, as one HTML page: what `simlab analyze regions` writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes

from simlab.present import drawing
from simlab.present.chart import chart as charted
from simlab.present.estimate import plain, value_text, words
from simlab.present.html import templates

if TYPE_CHECKING:
    from simlab.studies.discover import Discovery, Rule


def write_page(answer: Discovery, path: Path) -> Path:
    """Writes the page.

    Raises:
        InputError, RunFailed: it cannot be written, as simlab.runs.store.atomic_write.
    """
    from simlab.runs.store import atomic_write

    atomic_write(path, page(answer).encode("utf-8", "replace"))
    return path


def page(answer: Discovery) -> str:
    """The page as text; everything in it is escaped, and it needs no network."""
    environment = templates()
    rules = (*answer.rules, *answer.refuted)
    bots = ", ".join(f"{seat} {bot}" for seat, bot in answer.bots.items())
    return environment.get_template("discover.html.j2").render(
        style=Markup(environment.get_template("report.css").render()),
        title=plain(f"{answer.title}: where is {answer.asked}?", 200),
        sub=plain(f"{bots}; seed {answer.seed}, {answer.all_games:,} games", 300),
        sentences=[plain(text, 1_000) for text in answer.sentences],
        rules=rules,
        figures=[figure.name for figure in rules[0].figures] if rules else [],
        map=_map(answer, rules[0]) if rules else None,
        method=(
            f"{answer.settings} settings spread over the space with {answer.games:,} games each; in them the boxes "
            f"with the greatest sum of (chance that it holds - {answer.worth:g}), of few knobs. {answer.everywhere.of} "
            f"fresh settings over the whole space and others within each rule, on fresh seeds ({answer.fresh_seed}), "
            "gave all figures above. A rule stands where the condition holds in more of its settings than over the "
            "whole space, by more than luck (Fisher's exact test, all rules judged together). Shares of settings: "
            "Wilson, and the luck that all settings may share. Figures: Student's interval over settings, which may "
            "share all of their luck."
        ),
        knobs=[(plain(name, 60), _values(values)) for name, values in answer.knobs.items()],
    )


def _values(values: list[Any]) -> str:
    return ", ".join(value_text(value) for value in values)


def _map(answer: Discovery, rule: Rule) -> dict[str, Any]:
    """The chart of the two knobs that the rule names, or of its one and the first other."""
    names = [*rule.limits, *(name for name in answer.knobs if name not in rule.limits)][:2]
    caption = (
        f"Each mark is a setting that was played: filled where {answer.asked}, open where not. "
        f"Shaded: the rule {rule.text}."
    )
    if len(rule.limits) > 2:
        caption += " The knobs that the map does not show count too."
    svg = drawing.inline_svg(drawing.svg_text(knob_map(answer, rule, names)), "discover-", caption)
    return {"svg": Markup(svg), "caption": caption, "wide": False}


@charted
def knob_map(answer: Discovery, rule: Rule, names: list[str], ax: Axes | None = None) -> Axes:
    """Settings over two knobs, or one, those where the condition holds filled; the rule shaded."""
    ax = drawing.axes(ax, 4.0)
    scatter = np.random.default_rng(0)  # of values that fall together, so that each can be seen
    spots: list[np.ndarray[Any, Any]] = []
    marks: list[list[Any] | None] = []
    for name in names:
        options = answer.knobs[name]
        named = isinstance(options[0], (str, bool))
        whole = not named and isinstance(options[0], int)
        at = [options.index(row[name]) if named else float(row[name]) for row, _ in answer.sample]
        jitter = scatter.uniform(-0.3, 0.3, len(at)) if named or whole else 0.0
        spots.append(np.asarray(at, np.float64) + jitter)
        marks.append(options if named else None)
    if len(spots) == 1:
        spots.append(scatter.uniform(0, 1, len(spots[0])))
    held = np.array([held for _, held in answer.sample])
    ax.plot(spots[0][~held], spots[1][~held], "o", ms=3.5, mec=drawing.MUTED, mfc="none", mew=0.8)
    ax.plot(spots[0][held], spots[1][held], "o", ms=4, color=drawing.FACE)
    for place, (name, among) in enumerate(zip(names, marks, strict=True)):
        limit = rule.limits.get(name)
        if limit is None:
            continue
        span: Any = ax.axhspan if place else ax.axvspan
        if among is not None:
            for value in limit:
                span(among.index(value) - 0.45, among.index(value) + 0.45, color=drawing.SEATS[0], alpha=0.12, lw=0)
        else:
            edge = 0.45 if isinstance(limit[0], int) else 0.0
            span(limit[0] - edge, limit[1] + edge, color=drawing.SEATS[0], alpha=0.12, lw=0)
    for place, (name, texts) in enumerate(zip(names, marks, strict=True)):
        axis = ax.yaxis if place else ax.xaxis
        if texts is not None:
            axis.set_ticks(range(len(texts)), [drawing.label(value_text(v), 16) for v in texts])
        axis.set_label_text(drawing.label(words(name), 50))
    if len(names) == 1:
        ax.set_yticks([])
    return ax
