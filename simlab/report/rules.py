"""Which rules fire, and which rulings the figures rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simlab.present.chart import Draw, chart
from simlab.present.estimate import plain, value_text
from simlab.results.view import View, view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def silent_rules(view: View) -> list[int]:
    """Rules that fired in no game, by index."""
    fired = view.all.sum("fired_games")
    return [i for i in range(len(view.rules)) if i >= fired.size or fired[i] == 0]


def ruling_value(view: View, index: int) -> str:
    """How the knobs that belong to a rule stood: `ace_value = 1`."""
    parts = []
    for knob in view.rules[index].knobs[:6]:
        values = list(dict.fromkeys(value_text(cell.knobs[knob]) for cell in view.cells if knob in cell.knobs))
        if values:
            parts.append(f"{plain(knob, 40)} = {', '.join(values[:8])}")
    return "; ".join(parts)


@chart
def rules(source: Any, ax: Axes | None = None) -> Axes:
    """The rule ledger as tiles, a row for each chapter: the darker, the more of the games a rule fired in.

    A tile with a red frame never fired.
    """

    from simlab.present import drawing

    view = view_of(source)
    if not view.rules:
        return drawing.note(drawing.axes(ax, 1.6), "no rules were counted")
    fired = view.all.sum("fired_games")
    share = fired / max(view.all.games, 1)
    lines: list[tuple[str, list[int]]] = []
    for i, rule in enumerate(view.rules):
        chapter = rule.id.rpartition("-")[0] or "rules"
        if not lines or lines[-1][0] != chapter or len(lines[-1][1]) >= 15:
            lines.append((chapter, []))
        lines[-1][1].append(i)
    most = max(len(line) for _, line in lines)
    ax = drawing.axes(ax, 0.55 + 0.29 * len(lines), max(1.3 + 0.33 * most, drawing.WIDTH * 0.8))
    seen, chapters = "", []
    boxes: list[tuple[float, float, float, float, Any, str]] = []
    numbers = []
    for row, (chapter, line) in enumerate(lines):
        chapters.append("" if chapter == seen else drawing.label(chapter, 18))
        seen = chapter
        for column, i in enumerate(line):
            never = i >= fired.size or fired[i] == 0
            color = "#ffffff" if never else drawing.HUE(float(share[i]))
            frame = "#c1121f" if never else ""
            boxes.append((column - 0.46, row - 0.44, column + 0.46, row + 0.44, color, frame))
            ink = "#ffffff" if drawing.dark(color) else "#101010"
            numbers.append(drawing.Word(column, row, drawing.label(view.rules[i].id.rpartition("-")[2], 4), ink, 7.5))
    ax.add_artist(drawing.Marks(boxes, numbers))
    ax.set_xlim(-0.5, most - 0.5)
    ax.set_ylim(len(lines) - 0.5, -0.5)
    drawing.bare(ax)
    drawing.name_tiles(ax, chapters, [])
    return ax


def section(view: View, draw: Draw) -> dict[str, Any]:
    pool = view.all
    if not view.rules:
        return {"figure": None, "silent": [], "rows": [], "groups": 0}
    fired, games = pool.sum("fired"), pool.sum("fired_games")
    silent = silent_rules(view)
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
        "figure": draw("rules", rules(view), caption, wide=True),
        "silent": [view.rules[i] for i in silent],
        "rows": rows,
        "groups": len(by_group),
        "upper": f"{100 * upper:.2g} %",
    }


def rulings_section(view: View) -> dict[str, Any]:
    games = view.all.sum("fired_games")
    rows = [
        {
            "rule": rule,
            "knobs": ruling_value(view, i),
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


def _reconstructed(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Tables with rows that the rulebook does not give: how many, and which where they are listed."""
    parts = []
    listed = manifest.get("reconstructed")
    tables = manifest.get("tables")
    for name, about in dict(tables if isinstance(tables, Mapping) else {}).items():
        if isinstance(about, Mapping) and about.get("reconstructed"):
            made = about["reconstructed"]
            rows = made if isinstance(made, list) else []
            count = len(rows) if rows else made
            parts.append(
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
            parts.append(
                {
                    "name": plain(name, 80),
                    "count": plain(len(rows) or made, 20),
                    "of": "",
                    "rows": [plain(_row_text(row), 200) for row in rows[:100]],
                }
            )
    return parts


def _row_text(row: object) -> str:
    return ", ".join(f"{k} {v}" for k, v in row.items()) if isinstance(row, Mapping) else str(row)
