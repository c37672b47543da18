"""The report: one HTML file that opens by a double click, needs no network, prints on A4 and reads on a
phone.

There is no script in it, and a content policy that forbids any: whatever a name in a stranger's folder holds,
it is shown as text. The same results give the same bytes.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.axes import Axes

from simlab.report import compare, describe, figures, items, players, statistics, sweep
from simlab.report.changes import Change, changes
from simlab.report.estimate import LEVEL, Estimate, is_number, plain, share_of, value_text, words
from simlab.report.method import method
from simlab.report.names import MetricName
from simlab.report.pool import Cell, MetricFigure, Pool
from simlab.report.view import View
from simlab.stats.figure import score_name

MOST_ROWS = 500  #: lines of the table of all cells
MOST_DETAILS = 120  #: cells that can be unfolded
_ENDS = (0.05, 0.5, 0.95)  # quantiles of a metric
MOST_METRICS, MOST_TRACKS, MOST_KNOBS, MOST_DECISIONS = 24, 16, 6, 4  # figures of each kind (of each seat)


def write_report(results: Any, folder: Path | None = None, mark: str = "") -> Path:
    """Writes report.html, and the figures as SVG files beside it.

    Args:
        results: simlab.runs.results.Results.
        folder: where to; by default the results' own.
        mark: of one table in a run of several sizes: the end of the files' names.
    Returns:
        path of the report.
    Raises:
        UserMistake: no game was played, or `figures` is a link.
        RunFailed: the disk is full or the folder cannot be written.
    """
    from simlab.runs.store import atomic_write, refuse_links, remove_leftovers

    target = Path(results.folder if folder is None else folder)
    refuse_links(target, "figures/x")
    for place in (target, target / "figures"):
        remove_leftovers(place)
    if len(getattr(results, "sizes", ())) > 1:
        return players.write_pages(results, target, write_report)
    report = Report(View(results))
    text = report.html()
    end = f"-{mark}" if mark else ""
    # Lone surrogates, which JSON can hold and UTF-8 cannot, become question marks.
    for name, svg in report.files.items():
        atomic_write(target / "figures" / f"{name}{end}.svg", figures.standalone(svg).encode("utf-8", "replace"))
    path = target / f"report{end}.html"
    atomic_write(path, text.encode("utf-8", "replace"))
    return path


def render(results: Any) -> str:
    """The report as text."""
    if len(getattr(results, "sizes", ())) > 1:
        return players.page(results)
    return Report(View(results)).html()


class Report:
    """Gathers what the template shows.

    Attributes:
        files: name -> SVG document, of the figures drawn so far.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.files: dict[str, str] = {}

    def html(self) -> str:
        environment = Environment(
            loader=PackageLoader("simlab.report", "."),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        style = Markup(environment.get_template("report.css").render())
        return environment.get_template("report.html.j2").render(style=style, **self._content())

    def _figure(self, name: str, ax: Axes, caption: str, wide: bool = False) -> dict[str, Any]:
        """A figure with the sentence that says what it shows."""
        self.files[name] = figures.svg_text(ax)
        svg = Markup(figures.inline_svg(self.files[name], f"{name}-", caption))
        return {"svg": svg, "caption": caption, "wide": wide}

    def _content(self) -> dict[str, Any]:
        view = self.view
        clauses = describe.contract(view)
        return {
            "view": view,
            "verdict": describe.verdict(view),
            "contract": self._contract(clauses),
            "contract_sentence": describe.contract_sentence(clauses) if clauses else "",
            "partial": bool(getattr(view.results, "partial", False)),
            "gap": plain(getattr(view.results, "gap", ""), 1_000),
            "cut_off": plain(getattr(view.results, "cut_off", ""), 1_000),
            "headline": self._headline(),
            "matrix": self._matrix(),
            "bots": self._bots(),
            "answers": self._answers(),
            "knobs": self._knobs(),
            "changes": [] if "all" in self._answered else self._changes(),
            "endings": self._endings(),
            "ending_turns": self._ending_turns(),
            "by_ending": self._by_ending(),
            "length": self._length(),
            "metrics": self._metrics(),
            "statistics": statistics.sections(view),
            "tracks": self._tracks(),
            "actions": self._actions(),
            "telling": self._telling(),
            "luck": self._luck(),
            "items": self._items(),
            "rules": self._rules(),
            "rulings": self._rulings(),
            "faults": self._faults(),
            "method": method(view),
            "again": self._again(),
            "versions": self._versions(),
            "cells": self._cells(),
        }

    # --- Who wins

    def _contract(self, clauses: Sequence[Any]) -> list[dict[str, Any]]:
        rows = []
        for clause in clauses:
            lines = [
                {
                    "where": line.where,
                    "word": line.verdict,
                    "kind": line.verdict.split()[0],
                    "value": line.number(line.estimate),
                    "ends": line.ends,
                    "more": f"{line.more_games:,}" if line.more_games is not None else "",
                }
                for line in clause.lines[:MOST_ROWS]
            ]
            rows.append(
                {
                    "sentence": clause.sentence,
                    "word": clause.verdict,
                    "kind": clause.verdict.split()[0],
                    "name": clause.name,
                    "lines": lines if len(clause.lines) > 1 else [],
                    "left_out": max(len(clause.lines) - MOST_ROWS, 0),
                }
            )
        return rows

    def _row(self, pool: Pool, label: str = "") -> dict[str, Any]:
        """A line of a headline table."""
        view = self.view
        mean = pool.mean_length()
        ends = [pool.quantile(pool.length, q, column="turns") for q in (0.05, 0.5, 0.95)]
        return {
            "label": label or pool.label,
            "games": f"{pool.games:,}",
            "rates": [
                *(pool.side_rate(side) for side, _ in view.joint_sides),
                *(pool.win_rate(seat) for seat in range(len(view.seats))),
            ],
            "drawn": pool.undecided(),
            "mean": mean,
            "quantiles": [_at(end) for end in ends],
        }

    @property
    def _has_draws(self) -> bool:
        return self.view.all.without_single > 0 and not self.view.has_sides

    def _headline(self) -> dict[str, Any]:
        view = self.view
        pools = view.groups()
        rows = [self._row(pool) for pool in pools]
        if len(pools) > 1:
            rows.insert(0, self._row(view.all, "all together"))
        found = {"rows": rows, "grouped": view.grouped, "draws": self._has_draws, "figure": None}
        one_curve = len(view.varied) == 1 and all(is_number(v) for v in next(iter(view.varied.values())))
        if not one_curve:  # the curve has a section of its own
            what = f"of {view.the(view.seats[0])}" if len(view.seats) == 2 and not self._has_draws else "of each seat"
            each = "group of cells" if view.grouped and len(pools) > 1 else "cell" if len(pools) > 1 else "seat"
            share = ", the broken line an equal share" if len(view.seats) > 1 else ""
            text = f"Win rate {what}, a line for each {each}; the whisker is the 95 % interval{share}."
            if len(pools) == 1:
                text = f"Win rate of each seat; the whisker is the 95 % interval{share}."
            found["figure"] = self._figure("win_rates", figures.win_rates(view), text)
        return found

    def _matrix(self) -> dict[str, Any] | None:
        view = self.view
        if not view.is_matrix or max(len(bots) for bots in view.bots.values()) > 40:
            return None
        one, two = view.seats
        pooled = ", averaged over the values of the knobs" if view.varied else ""
        halves = [100 * _half(Pool("", [cell]).win_rate(0)) for cell in view.cells]
        caption = (
            f"Per cent of the games that {view.the(one)} (row) wins against each {two} (column){pooled}; strong "
            f"{one}s stand on top, "
            f"strong {two}s on the left. "
            f"{'Each' if not view.varied else 'Before averaging each'} figure is good to ±{max(halves):.1f} "
            f"points or better."
        )
        drawn = self._figure("matrix", figures.matrix(view), caption, wide=True)
        found: dict[str, Any] = {"figure": drawn, "ranking": None}
        ranking = describe.ranking(view)
        if ranking is not None:
            seats = []
            for seat, name in enumerate(view.seats):
                pools = view.by_bot(seat)
                order = ranking.order(seat)
                rows = [
                    {
                        "place": place + 1,
                        "bot": ranking.bots[seat][i],
                        "rate": pools[i].win_rate(seat),
                        "elo": ranking.elo(seat, i),
                    }
                    for place, i in enumerate(order)
                ]
                seats.append({"name": name, "rows": rows})
            found["ranking"] = {"seats": seats, "sentence": ranking.sentence, "measured": ranking.measured}
        return found

    def _bots(self) -> dict[str, Any] | None:
        """What the match-ups say on balance and bots."""
        found = compare.section(self.view)
        if found is not None:
            chart = found.get("chart")
            found["figure"] = None if chart is None else self._figure("bot_shares", chart, found["caption"])
        return found

    def _answers(self) -> dict[str, Any] | None:
        """What the sweep answers."""
        found = sweep.section(self.view)
        if found is not None:
            found["figures"] = [self._figure(*drawn) for drawn in found["figures"]]
        return found

    @cached_property
    def _answered(self) -> set[str]:
        return sweep.answered(self.view)

    def _knobs(self) -> list[dict[str, Any]]:
        view = self.view
        found: list[dict[str, Any]] = []
        if "all" in self._answered:
            return found
        several = any(len(bots) > 1 for bots in view.bots.values())
        faint = " The faint lines are the single match-ups." if several and len(view.varied) == 1 else ""
        if len(view.varied) == 2 and view.is_grid and "knob_map" not in self._answered:
            a, b = (words(knob) for knob in view.varied)
            even = (
                " The dark line is where chances are even."
                if all(is_number(v) for values in view.varied.values() for v in values)
                else ""
            )
            over = ", averaged over the match-ups" if several else ""
            halves = [100 * _half(Pool("", [cell]).win_rate(0)) for cell in view.cells]
            text = (
                f"Per cent of the games that {view.the(view.seats[0])} wins by {a} and {b}{over}; "
                f"each cell is good to ±{max(halves):.1f} points or better.{even}"
            )
            found.append(self._figure("knob_map", figures.knob_map(view), text))
        for number_, knob in enumerate(list(view.varied)[:MOST_KNOBS]):
            others = ", pooled over the other knobs" if len(view.varied) > 1 else ""
            band = "the band is its 95 % interval"
            said = describe.knob_sentence(view, knob) or f"Win rate over {words(knob)}."
            text = f"{said} Here{others}, {band}.{faint}"
            text = text.replace("Here, the", "The")
            if f"knob_{number_}" not in self._answered:
                found.append(self._figure(f"knob_{number_}", figures.knob_curve(view, knob), text))
            pools = view.by_value(knob)
            means = [pool.mean_length() for pool in pools]
            low, high = min(means, key=lambda m: m.value), max(means, key=lambda m: m.value)
            between = f"between {low.full} and {high.full} {view.turn_name}s"
            text = f"Mean length over {words(knob)}{others}: {between}."
            drawn = figures.knob_curve(view, knob, what="turns")
            found.append(self._figure(f"knob_{number_}_turns", drawn, text))
        return found

    def _changes(self) -> list[dict[str, Any]]:
        """Each knob's values against the printed one, on the same seeds."""
        view = self.view
        found = []
        for knob in list(view.varied)[:MOST_KNOBS]:
            made = changes(view, knob) if len(view.varied[knob]) <= 40 else None
            if made is None:
                continue
            as_printed = ", as printed" if made.printed else ""
            found.append(
                {
                    "knob": words(knob),
                    "reference": f"{words(knob)} = {value_text(made.reference)}{as_printed}",
                    "together": [_change_row(change) for change in made.together],
                    "single": [_change_row(change) for change in made.single],
                }
            )
        return found

    # --- How games go

    def _endings(self) -> dict[str, Any]:
        view = self.view
        pools = view.groups()
        if len(pools) > 1:
            pools = [view.all, *pools]
        shown = [i for i in range(len(view.endings)) if view.all.endings[i]]
        never = [f"“{words(name)}”" for i, name in enumerate(view.endings) if not view.all.endings[i]]
        rows = [
            {"label": pool.label, "shares": [describe.ending_shares(pool)[i] for i in shown]} for pool in pools[:40]
        ]
        caption = describe.endings_sentence(view) + (
            " The bars below the first: cell by cell." if len(pools) > 1 else ""
        )
        if view.grouped and len(pools) > 1:
            caption = describe.endings_sentence(view) + " The bars below the first: groups of cells."
        return {
            "figure": self._figure("endings", figures.endings(view), caption),
            "names": [words(view.endings[i]) for i in shown],
            "rows": rows,
            "never": never,
        }

    def _ending_turns(self) -> dict[str, Any] | None:
        view = self.view
        counts = view.all.sum("outcomes").sum(axis=0)
        if np.count_nonzero(counts.any(axis=0)) < 2 or np.count_nonzero(counts.any(axis=1)) < 2:
            return None
        place, turn = np.unravel_index(int(counts.argmax()), counts.shape)
        caption = (
            f"Per cent of all games by ending and last {view.turn_name}; most often "
            f"“{words(view.endings[place])}” in {view.turn_name} {turn}, "
            f"in {view.all.share(float(counts[place, turn])).full} of the games."
        )
        return self._figure("ending_turns", figures.ending_turns(view), caption, wide=True)

    def _by_ending(self) -> dict[str, Any] | None:
        """Scores and metrics of the games of each ending."""
        view = self.view
        found = view.by_ending
        if len(found) < 2:
            return None
        drawn = []
        for seat, name in enumerate(view.seats if found[0].scores else []):
            caption = (
                f"Score of {name} by ending (games): the dot is the median, the bar the middle half, the line the "
                "middle nine tenths."
            )
            drawn.append(self._figure(f"scores_{seat}", figures.scores(view, seat), caption))
        rows = [
            {"name": words(name), "means": [ending.means[name] for ending in found]}
            for name in found[0].means
            if len({ending.means[name].value for ending in found}) > 1
        ]
        names = [f"{words(view.endings[ending.place])} ({ending.games:,})" for ending in found]
        return {"figures": drawn, "names": names, "rows": rows}

    def _length(self) -> list[dict[str, Any]]:
        view = self.view
        pool = view.all
        turns = f"{view.turn_name}s"
        values, counts = pool.length
        early, half, late = (pool.quantile((values, counts), q, column="turns") for q in (0.05, 0.5, 0.95))
        together = "All cells together: " if len(view.cells) > 1 else ""
        first = (
            f"{together}nine games in ten last {early.value:g}{describe.span(early)} to {late.value:g}"
            f"{describe.span(late)} {turns}; the longest of {pool.games:,} took {int(values[-1])}."
        )
        second = (
            f"Share of the games still going after each {view.turn_name}: half of them are over after "
            f"{half.value:g}{describe.span(half)}."
        )
        if len(view.cells) > 1 and len(figures.few(view)) == 1:
            second += " The faint lines are single cells."
        return [
            self._figure("length", figures.length(view), first[:1].upper() + first[1:]),
            self._figure("survival", figures.survival(view), second),
        ]

    def _metrics(self) -> dict[str, Any]:
        view = self.view
        pool = view.all
        known = {metric.name: metric for metric in view.metrics}
        scores = map(score_name, view.raw_seats)
        names = sorted(name for name in scores if name in pool.metric_names and name not in known)
        names += [metric.name for metric in view.metrics]
        names += ["decisions"] if "decisions" in pool.metric_names and "decisions" not in known else []
        rows: list[dict[str, Any]] = []
        drawn: list[dict[str, Any]] = []
        for name in names:
            values, _ = pool.metric(name)
            if not values.size:
                continue
            about = view.measures.get(name) or MetricName(name, "", "")
            text = about.help
            shown = pool.figures_of(about)
            for number, figure in enumerate(shown):
                ends = [] if figure.histogram is None else [pool.quantile(figure.histogram, q) for q in _ENDS]
                rows.append(
                    {
                        "name": figure.name,
                        "help": text if number == 0 else "",
                        "unit": about.unit if figure.histogram is not None else "",
                        "mean": figure.estimate,
                        "quantiles": [_at(end) for end in ends] or [""] * len(_ENDS),
                        "most": "" if figure.histogram is None else f"{int(figure.histogram[0][-1]):,}",
                    }
                )
            if len(drawn) < MOST_METRICS and values.size > 1 and shown:
                caption = f"{text[:1].upper()}{text[1:]}: {_said(shown, about)}."
                drawn.append(self._figure(f"metric_{len(drawn)}", figures.metric(view, name), caption))
        return {"rows": rows, "figures": drawn}

    def _tracks(self) -> list[dict[str, Any]]:
        view = self.view
        found = []
        for index, track in enumerate(view.tracks[:MOST_TRACKS]):
            turns, bands = figures.track_bands(view, index)
            if not turns.size:
                continue
            text = (
                f"{track.help or words(track.name)}: the median goes from {bands[0, 2]:g} in "
                f"{view.turn_name} {turns[0]} to "
                f"{bands[-1, 2]:g} in {view.turn_name} {turns[-1]}, where the middle nine tenths of the "
                f"games still going lie "
                f"between {bands[-1, 0]:g} and {bands[-1, 4]:g}."
            )
            drawn = figures.tracks(view, name=track.name)
            found.append(self._figure(f"track_{index}", drawn, text[:1].upper() + text[1:]))
        return found

    # --- Actions and rules

    def _actions(self) -> dict[str, Any]:
        view = self.view
        offered = view.all.sum("offered")
        drawn: list[dict[str, Any]] = []
        tables: list[dict[str, Any]] = []
        for seat in range(min(offered.shape[0], len(view.seats))):
            busy = offered[seat].sum(axis=1)
            order = [
                int(kind) for kind in np.argsort(-busy, kind="stable") if busy[kind] and kind < len(view.decisions)
            ]
            shown = 0
            for kind in order:
                table = figures.ActionTable(view, seat, kind)
                if len(table.actions) < 2:
                    continue
                if len(tables) < 40:
                    tables.append(self._action_table(table))
                if shown < MOST_DECISIONS and view.decisions[kind].actions:
                    shown += 1
                    rest = f" The {table.dropped} least used are left out." if table.dropped else ""
                    text = (
                        f"{view.seats[seat]}, {words(table.name.name)}: how many per cent of the times that "
                        f"an action "
                        f"(row) was allowed, the bot (column) took it; an empty tile was never allowed.{rest}"
                    )
                    ax = figures.actions(view, seat=seat, decision=kind)
                    drawn.append(self._figure(f"actions_{seat}_{kind}", ax, text, wide=True))
        return {
            "figures": drawn,
            "tables": tables,
            "dead": describe.by_decision(describe.dead_actions(view)[:80]),
            "sure": describe.by_decision(describe.sure_actions(view)[:80]),
        }

    def _action_table(self, table: figures.ActionTable) -> dict[str, Any]:
        rows: list[dict[str, Any]] = []
        for row, action in enumerate(table.actions):
            for column, bot in enumerate(table.bots):
                if table.offered[row, column] == 0:
                    continue
                if len(rows) >= 400:
                    break
                rows.append(
                    {
                        "action": table.label(action),
                        "bot": bot,
                        "offered": f"{int(table.offered[row, column]):,}",
                        "share": table.share(row, column),
                        "used": f"{int(table.used_games[row, column]):,}",
                        "wins": table.win_rate(row, column),
                    }
                )
        return {
            "seat": self.view.seats[table.seat],
            "name": f"{table.name.id} {table.name.name}".strip(),
            "rows": rows,
        }

    def _telling(self) -> list[dict[str, str]]:
        return [
            {name: plain(one.get(name, ""), 600) for name in ("what", "cell", "game", "why", "replay")}
            for one in list(self.view.studies.get("telling", []))[:20]
        ]

    def _luck(self) -> dict[str, Any] | None:
        ledgers = list(self.view.studies.get("luck", []))[:8]
        if not ledgers:
            return None
        rows: list[dict[str, Any]] = [
            {
                "cell": plain(ledger["cell"], 200),
                "games": f"{ledger['games']:,}",
                "result": plain(result, 60),
                "kind": plain(kind, 60),
                "alone": Estimate(*(shares["alone"][name] for name in ("estimate", "low", "high"))),
                "total": Estimate(*(shares["total"][name] for name in ("estimate", "low", "high"))),
            }
            for ledger in ledgers
            for result, kinds in ledger["ledger"].items()
            for kind, shares in kinds.items()
        ]
        first = [row for row in rows if row["cell"] == rows[0]["cell"] and row["result"] == rows[0]["result"]]
        leading = max(first, key=lambda row: row["total"].value)
        text = (
            f"{first[0]['cell']}, {first[0]['result']}: what each kind of luck explains by itself (filled) and "
            f"together with the others (open), with 95 % intervals from {first[0]['games']} games played again. "
            f"Most hangs on {leading['kind']} ({leading['total'].full} with the others)."
        )
        return {"rows": rows, "figure": self._figure("luck", figures.luck(first), text)}

    def _items(self) -> list[dict[str, Any]]:
        found = []
        for report in items.reports(self.view):
            strongest = report.strongest
            entry: dict[str, Any] = {
                "seat": self.view.seats[report.seat],
                "uses": [items.use_words(self.view, use) for use in range(len(self.view.uses))],
                "sentences": report.sentences(),
                "rows": [
                    {"kind": report.names[item][0], "name": report.name(item), "uses": uses}
                    for item, uses in list(report.table.items())[:MOST_ROWS]
                ],
                "solo": len(self.view.seats) == 1 and self.view.has_scores,
                "never": report.never_had,
                "figure": None,
            }
            if strongest:
                what = "the score" if entry["solo"] else f"the win rate of {entry['seat']}"
                text = (
                    f"{entry['seat']}: the uses that go with the largest differences of {what}, against all games "
                    f"without that use, with 95 % intervals; {len(strongest)} are certain, all judged together. "
                    "What goes with a card need not come from it: bots play some cards when they are ahead."
                )
                entry["figure"] = self._figure(f"items_{report.seat}", figures.items(report), text, wide=True)
            found.append(entry)
        return found

    def _rules(self) -> dict[str, Any]:
        view = self.view
        pool = view.all
        if not view.rules:
            return {"figure": None, "silent": [], "rows": [], "groups": 0}
        fired, games = pool.sum("fired"), pool.sum("fired_games")
        silent = describe.silent_rules(view)
        groups = view.groups()
        by_group = [group.sum("fired_games") / max(group.games, 1) for group in groups] if len(groups) > 1 else []
        rows = []
        for i, rule in enumerate(view.rules):
            if i >= fired.size:
                break
            shares = [float(part[i]) for part in by_group]
            rows.append(
                {
                    "id": rule.id,
                    "text": rule.text,
                    "status": rule.status,
                    "share": pool.share(float(games[i])),
                    "heat": round(100 * float(games[i]) / max(pool.games, 1), 1),
                    "per_game": pool.fires(i),
                    "range": f"{100 * min(shares):.0f}–{100 * max(shares):.0f} %" if shares else "",
                }
            )
        upper = pool.share(0.0).high
        caption = (
            f"Each tile is a rule of the ledger, a row a chapter; from pale (it fired in hardly any game) to "
            f"dark (in every game). "
            f"{len(silent)} of {len(view.rules)} rules never fired (red frame)."
        )
        return {
            "figure": self._figure("rules", figures.rules(view), caption, wide=True),
            "silent": [view.rules[i] for i in silent],
            "rows": rows,
            "groups": len(by_group),
            "upper": f"{100 * upper:.2g} %",
        }

    def _rulings(self) -> dict[str, Any]:
        view = self.view
        games = view.all.sum("fired_games")
        rows = [
            {
                "rule": rule,
                "knobs": describe.ruling_value(view, i),
                "share": view.all.share(float(games[i])) if i < games.size else None,
            }
            for i, rule in enumerate(view.rules)
            if rule.status not in ("exact", "")
        ]
        swapped = sorted(
            {
                f"{plain(name, 60)}: {plain(file, 120)}"
                for cell in view.cells
                for name, file in dict(getattr(cell.source, "tables", {}) or {}).items()
            }
        )
        return {"rows": rows, "tables": _reconstructed(view.manifest), "swapped": swapped}

    def _faults(self) -> list[dict[str, str]]:
        found = []
        for fault in list(getattr(self.view.results, "failed", []) or [])[:200]:
            about = fault if isinstance(fault, Mapping) else {"why": fault}
            first, last = about.get("first", "?"), about.get("last", "?")
            found.append(
                {
                    "cell": plain(about.get("label", about.get("cell", "")), 200),
                    "games": plain(first if first == last else f"{first}–{last}", 60),
                    "why": plain(about.get("why", ""), 600),
                    "replay": plain(about.get("replay", ""), 600),
                }
            )
        return found

    # --- The same again

    def _again(self) -> dict[str, Any]:
        view = self.view
        typed = plain(getattr(view.results, "command", "") or "", 2000)
        return {"typed": typed, "here": shlex.join(["simlab", "run", "experiment.toml", "--out", "again"])}

    def _versions(self) -> list[tuple[str, str]]:
        manifest = self.view.manifest
        versions = manifest.get("versions")
        found = [(plain(k, 60), plain(v, 80)) for k, v in versions.items()] if isinstance(versions, Mapping) else []
        identity = manifest.get("identity")
        rules = identity.get("rules", "") if isinstance(identity, Mapping) else manifest.get("rules_digest", "")
        streams = manifest.get("streams")
        more = [
            ("digest of the rules", rules),
            ("fingerprint of the play", manifest.get("fingerprint", "")),
            ("random streams, version", streams.get("version", "") if isinstance(streams, Mapping) else ""),
            ("seed", self.view.seed),
            ("begun", manifest.get("created", "")),
        ]
        machine = manifest.get("machine")
        if isinstance(machine, Mapping):
            more += [(k, v) for k, v in list(machine.items())[:8]]
        return found + [(plain(k, 60), plain(v, 200)) for k, v in more if v not in ("", None)]

    # --- All cells

    def _cells(self) -> dict[str, Any]:
        view = self.view
        several = len(view.cells) > 1
        grouped = view.grouped
        rows = (
            [self._row(view.pool(view.cell_label(c), [c])) for c in view.cells[:MOST_ROWS]]
            if several and grouped
            else []
        )
        details = [self._detail(cell) for cell in view.cells[:MOST_DETAILS]]
        return {
            "rows": rows,
            "details": details,
            "draws": self._has_draws,
            "rows_left": max(len(view.cells) - MOST_ROWS, 0) if rows else 0,
            "details_left": max(len(view.cells) - MOST_DETAILS, 0),
        }

    def _detail(self, cell: Cell) -> dict[str, Any]:
        view = self.view
        pool = view.pool(view.cell_label(cell), [cell])
        shares = describe.ending_shares(pool)
        metrics = [
            (figure.name, figure.estimate)
            for metric in view.metrics
            if metric.name in pool.metric_names
            for figure in pool.figures_of(metric)
        ]
        return {
            "label": view.cell_label(cell),
            "key": cell.key,
            "games": f"{cell.games:,}",
            "bots": [(view.seats[i], cell.bots[raw]) for i, raw in enumerate(view.raw_seats)],
            "rates": [(view.seats[i], pool.win_rate(i)) for i in range(len(view.seats))],
            "drawn": pool.undecided(),
            "endings": [(words(view.endings[i]), shares[i]) for i in range(len(shares)) if cell.endings[i]],
            "mean": pool.mean_length(),
            "quantiles": [_at(pool.quantile(pool.length, q)) for q in (0.05, 0.5, 0.9, 0.95)],
            "metrics": metrics,
            "knobs": ", ".join(f"{plain(k, 60)} = {value_text(v)}" for k, v in list(cell.knobs.items())[:200]),
        }


def _change_row(change: Change) -> dict[str, Any]:
    wins, turns = change.wins, change.turns
    points = Estimate(100 * wins.difference, 100 * wins.low, 100 * wins.high, False)
    lengths = Estimate(turns.difference, turns.low, turns.high, False)
    sure = "yes" if change.p_value <= 1 - LEVEL else "no"
    return {
        "value": value_text(change.value),
        "where": change.where,
        "points": points,
        "turns": lengths,
        "sure": sure,
        "changed": share_of(wins.changed, wins.pairs),
        "factor": f"{wins.factor:.1f}" if math.isfinite(wins.factor) else "–",
    }


def _half(estimate: Estimate) -> float:
    return max(estimate.high - estimate.value, estimate.value - estimate.low)


def _at(quantile: Estimate) -> str:
    """A quantile with its interval, where that is more than one number."""
    return f"{quantile.value:g}{describe.span(quantile)}" if math.isfinite(quantile.value) else "–"


def _said(shown: Sequence[MetricFigure], metric: MetricName) -> str:
    """The figures of a metric below its chart."""
    unit = f" {metric.unit}" if metric.unit else ""
    if metric.kind == "number":
        return f"{shown[0].estimate.full}{unit} on average"
    if metric.kind == "category":
        most = sorted(shown, key=lambda figure: -figure.estimate.value)[:3]
        return ", ".join(f"{figure.code} {figure.estimate.full}" for figure in most)
    mean = f", then {shown[1].estimate.full}{unit} on average" if len(shown) > 1 else ""
    return f"in {shown[0].estimate.full} of the games{mean}"


def _reconstructed(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Tables with rows that the rulebook does not give: how many, and which where they are listed."""
    found = []
    listed = manifest.get("reconstructed")
    tables = manifest.get("tables")
    for name, about in dict(tables if isinstance(tables, Mapping) else {}).items():
        if isinstance(about, Mapping) and about.get("reconstructed"):
            made = about["reconstructed"]
            rows = made if isinstance(made, list) else []
            count = len(rows) if rows else made
            found.append(
                {
                    "name": plain(name, 80),
                    "count": plain(count, 20),
                    "of": plain(about.get("rows", "?"), 20),
                    "rows": [plain(row, 200) for row in rows[:100]],
                }
            )
    if isinstance(listed, Mapping):
        for name, made in listed.items():
            rows = made if isinstance(made, list) else []
            found.append(
                {
                    "name": plain(name, 80),
                    "count": plain(len(rows) or made, 20),
                    "of": "",
                    "rows": [plain(_row_text(row), 200) for row in rows[:100]],
                }
            )
    return found


def _row_text(row: object) -> str:
    return ", ".join(f"{k} {v}" for k, v in row.items()) if isinstance(row, Mapping) else str(row)
