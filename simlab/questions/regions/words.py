"""Where a condition holds, in sentences, a table and a map."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from simlab.present.blocks import Badge, Block, Chart, Column, Paragraph, Section, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import plain, value_text, words
from simlab.questions.regions.analysis import Regions, Rule

METHOD = (
    "{settings} settings spread over the space were searched, with {games:,} games each, for boxes of few knobs with "
    "the greatest sum of (chance that the condition holds - {worth:g}). {held_out} held-out settings over the whole "
    "space and others in each region, on held-out seeds ({seed}), gave all statistics above. A rule is confirmed if "
    "the condition holds in significantly more of its settings than over the whole space (Fisher's exact test, all "
    "rules together), and if the interval of this share lies above the share over the whole space. Shares of settings: "
    "Wilson's interval, widened for the correlation of settings. Other statistics: Student's interval over settings, "
    "which may be fully correlated."
)


def page_title(answer: Regions) -> tuple[str, str]:
    bots = ", ".join(f"{seat} {bot}" for seat, bot in answer.bots.items())
    return (
        plain(f"{answer.title}: where is {answer.condition}?"),
        plain(f"{bots}; seed {answer.seed}, {answer.games:,} games", 300),
    )


def blocks(answer: Regions) -> Iterator[Block]:
    rules = (*answer.rules, *answer.refuted)
    yield from (Paragraph(text, "lead") for text in sentences(answer))
    if rules:
        yield _table(rules)
        names = [*rules[0].limits, *(name for name in answer.knobs if name not in rules[0].limits)][:2]
        caption = (
            f"Each mark is a setting that was played: filled if {answer.condition}, otherwise open. Shaded: the "
            f"rule {rules[0].rule}."
        )
        if len(rules[0].limits) > 2:
            caption += " Knobs that are not on the map also matter."
        yield Chart("regions", partial(knob_map, answer, rules[0], names), caption, made_by=answer.source)


def page_blocks(answer: Regions) -> Iterator[Block]:
    yield from blocks(answer)
    method = METHOD.format(
        settings=answer.settings, games=answer.games_per_setting, worth=answer.density_wanted,
        held_out=answer.everywhere.of, seed=answer.fresh_seed,
    )  # fmt: skip
    ranges = "; ".join(f"{knob}: {', '.join(map(value_text, ends))}" for knob, ends in answer.knobs.items())
    space = Paragraph(f"Knobs with their least and greatest values, or options: {plain(ranges, 4_000)}.", "note")
    yield Section("method", "How it was found", (Paragraph(method, "note"), space), folded=True)


def _table(rules: tuple[Rule, ...]) -> Table[Rule]:
    def statistic(place: int) -> Column[Rule]:
        return Column(rules[0].statistics[place].name, lambda rule: rule.statistics[place].value)

    def verdict(rule: Rule) -> Badge:
        return Badge("confirmed", "met") if rule.confirmed else Badge("not confirmed", "broken")

    return Table(
        rules,
        (
            *attributes("rule", "holds in=density.share", "covers=coverage.share"),
            *map(statistic, range(len(rules[0].statistics))),
            Column("in held-out games", verdict),
        ),
        "The rules, the shortest first",
        "Holds in: share of the settings in the region. Covers: share of all settings in which the condition holds.",
    )


def sentences(answer: Regions) -> Iterator[str]:
    everywhere = answer.everywhere
    yield f"{answer.condition} holds in {everywhere.share.full} of {everywhere.of} held-out settings over the space."
    if not answer.rules:
        common = everywhere.of and everywhere.share.low >= answer.density_wanted
        text = "It holds nearly everywhere" if common else "No rule was found"
        searched = [one.holds for one in answer.sample[: answer.settings]]
        share, wanted = sum(searched) / max(len(searched), 1), answer.density_wanted
        if not common and not answer.refuted and share > wanted - 0.05:  # the search stops where a rule gains nothing
            yield (
                f"{text}: it held in {100 * share:.0f} % of the settings searched, about as often as a rule has to "
                f"hold ({100 * wanted:g} %). Use a higher --density, or a stricter condition."
            )
            return
        text += ": no short rule was confirmed to describe settings in which it holds more often than elsewhere."
        if answer.refuted:
            best = answer.refuted[0]
            text += (
                f" The best rule of the search, {best.rule}, had {100 * best.density_in_search:.0f} % there and has "
                f"{best.density.share.full} in held-out games: not significantly more than elsewhere."
            )
        yield text
        return
    for rule in answer.rules:
        short = rule.density.share.value < answer.density_wanted
        weak = f", short of the {100 * answer.density_wanted:g} % wanted" if short else ""
        covers = f"It covers {rule.coverage.share.full} of the settings in which the condition holds at all."
        if not rule.coverage.of:
            covers = "Its coverage is unknown: the condition holds in none of the settings over the space."
        yield f"{rule.rule}: it holds in {rule.density.share.full} of the settings there{weak}. {covers}"
    held_out = "held-out settings with held-out seeds"
    if answer.repeated:
        held_out = f"held-out games; {answer.repeated:,} of their settings were also in the search, with other seeds"
    gone = f" {len(answer.refuted)} more were not confirmed." if answer.refuted else ""
    yield f"All statistics of rules come from {held_out}.{gone}"


@chart
def knob_map(answer: Regions, rule: Rule, names: list[str], ax: Axes | None = None) -> Axes:
    """Settings over one or two knobs, filled if the condition holds; the rule's region is shaded."""
    ax = drawing.axes(ax, 4.0)
    scatter = np.random.default_rng(0)  # of values that fall together, so that each can be seen
    spots: list[np.ndarray[Any, Any]] = []
    marks: list[list[Any] | None] = []
    for name in names:
        options = answer.knobs[name]
        named = isinstance(options[0], (str, bool))
        whole = not named and isinstance(options[0], int)
        values = [one.knobs[name] for one in answer.sample]
        at = [options.index(value) if named else float(value) for value in values]
        jitter = scatter.uniform(-0.3, 0.3, len(at)) if named or whole else 0.0
        spots.append(np.asarray(at, np.float64) + jitter)
        marks.append(options if named else None)
    if len(spots) == 1:
        spots.append(scatter.uniform(0, 1, len(spots[0])))
    held = np.array([one.holds for one in answer.sample])
    ax.plot(spots[0][~held], spots[1][~held], "o", ms=3.5, mec=drawing.MUTED, mfc="none", mew=0.8)
    ax.plot(spots[0][held], spots[1][held], "o", ms=4, color=drawing.FACE)
    for place, (name, among) in enumerate(zip(names, marks, strict=True)):
        axis, span = (ax.yaxis, ax.axhspan) if place else (ax.xaxis, ax.axvspan)
        if among is not None:
            axis.set_ticks(range(len(among)), [drawing.label(value_text(v), 16) for v in among])
        axis.set_label_text(drawing.label(words(name), 50))
        limit: Any = rule.limits.get(name)
        if limit is None:
            continue
        if among is not None:
            for value in limit:
                span(among.index(value) - 0.45, among.index(value) + 0.45, color=drawing.SEATS[0], alpha=0.12, lw=0)
        else:
            edge = 0.45 if isinstance(limit[0], int) else 0.0
            span(limit[0] - edge, limit[1] + edge, color=drawing.SEATS[0], alpha=0.12, lw=0)
    if len(names) == 1:
        ax.set_yticks([])
    return ax
