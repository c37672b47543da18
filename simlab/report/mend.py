"""The HTML page of `simlab optimize rules`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from matplotlib.axes import Axes

from simlab.present import drawing
from simlab.present.chart import chart as charted
from simlab.present.estimate import plain
from simlab.present.html import templates

if TYPE_CHECKING:
    from simlab.studies.mend import Mend
    from simlab.studies.mend.answer import GameBeside, Point

_MOST_ROWS = 60  # of a game that is shown before and after


def write_mend(answer: Mend, path: Path) -> Path:
    """Writes the page.

    Raises:
        InputError, RunFailed: it cannot be written, as simlab.runs.store.atomic_write.
    """
    from simlab.runs.store import atomic_write

    atomic_write(path, mend_page(answer).encode("utf-8", "replace"))
    return path


def mend_page(answer: Mend) -> str:
    """The page as text; everything in it is escaped, and it needs no network."""
    environment = templates()
    text = (
        "Distance from the contract and size of the change; numbers as in the table. Filled: every line is "
        "significantly met; crossed: only while nobody adapts. The line joins the Pareto front: no other change is "
        "smaller and comes closer."
    )
    svg = drawing.inline_svg(drawing.svg_text(front(answer)), "mend-", text)
    games = [_game(answer, game) for game in answer.beside]
    return environment.get_template("mend.html.j2").render(
        style=Markup(environment.get_template("report.css").render()),
        title=f"{plain(answer.experiment, 80)}: how to fix it",
        sub=f"{plain(answer.game, 60)}, seed {answer.seed}, {answer.games:,} games",
        kind={"met": "even", "broken": "tilted"}.get(answer.word, "mixed"),
        sentences=[plain(text, 2000) for text in answer.sentences],
        chart={"svg": Markup(svg), "caption": text, "wide": False},
        points=[_row(n, point, point in answer.front) for n, point in enumerate(answer.finalists)],
        moved=[plain(moved.sentence, 300) for moved in answer.moved],
        also=[plain(text, 400) for text in (*answer.dead, *([answer.luck] if answer.luck else []))],
        games=games,
        toml=plain(answer.mended.read_text(encoding="utf-8"), 8_000) if answer.mended else "",
        mended=str(answer.mended or ""),
        rests_on=answer.rests_on,
        cost=answer.cost,
        may_change=", ".join(answer.dials[:80]) + (", ..." if len(answer.dials) > 80 else ""),
    )


def _game(answer: Mend, game: GameBeside) -> dict[str, Any]:
    """One game before and after, turn by turn."""
    from simlab.engine.match import Match
    from simlab.engine.stepper import Stepper
    from simlab.registry import load_game
    from simlab.report.replay import ending, side_by_side

    before, after = (
        Stepper(Match(load_game(r.game_ref), knobs=r.knobs, tables=r.files, bots=game.bots), answer.fresh, game.game)
        for r in answer.rules
    )
    rows = [(turn, differs, plain(left, 200), plain(right, 200)) for turn, differs, left, right in
            side_by_side(before, after)]  # fmt: skip
    ends = [" ".join(text.strip() for text in ending(side.match, side.row())) for side in (before, after)]
    return {
        "why": game.why, "game": game.game, "command": game.beside or f"{game.before}\n{game.after}",
        "rows": rows[:_MOST_ROWS], "more": max(len(rows) - _MOST_ROWS, 0), "ends": [plain(end, 300) for end in ends],
    }  # fmt: skip


@charted
def front(answer: Mend, ax: Axes | None = None) -> Axes:
    """The finalists by size of the change and distance from the contract; the Pareto front is joined by a line."""
    ax = drawing.axes(ax, 3.0)
    most = max(point.amount[1] for point in answer.finalists) + 1

    def place(point: Point) -> tuple[float, float]:
        return point.amount[0] + 0.8 * point.amount[1] / most * bool(point.amount[0]), 100 * point.miss

    spots = [place(point) for point in answer.front]
    ax.plot(*zip(*spots, strict=True), color=drawing.FACE, lw=1.2, drawstyle="steps-post")
    for point in answer.finalists:
        x, y = place(point)
        if point.holds_unless_adapted:
            ax.plot([x], [y], "x", color=drawing.MUTED, ms=8)
        else:
            fill = drawing.FACE if point.word == "met" else "none"
            ax.plot([x], [y], "o", mec=drawing.FACE, mfc=fill, ms=7)
    for number, point in enumerate(answer.finalists):
        x, y = place(point)
        text = f"{number}: {drawing.label(point.changes, 40)}" if point is answer.shown else str(number)
        ax.annotate(text, (x, y), (6, 6), textcoords="offset points", fontsize=8)
    ax.set_xlim(-0.2, max(x for x, _ in map(place, answer.finalists)) + 1.2)
    top = max(y for _, y in map(place, answer.finalists))
    ax.set_ylim(-0.12 * max(top, 1), 1.2 * max(top, 1))
    ax.set_xticks(range(max(point.amount[0] for point in answer.finalists) + 1))
    ax.set_xlabel("knobs changed; to the right within each, more steps")
    ax.set_ylabel("distance from the contract, points")
    return ax


def _row(number: int, point: Point, on_front: bool) -> dict[str, Any]:
    return {
        "number": number,
        "front": on_front,
        "changes": plain(point.changes, 300),
        "knobs": point.amount[0],
        "steps": point.amount[1],
        "lines": [plain(f"{line['short']}; wanted {line['wanted']}", 300) for line in point.lines],
        "verdict": "only while nobody adapts" if point.holds_unless_adapted else point.word,
        "unadapted": [plain(line["unadapted_text"], 200) for line in point.lines],
        "best_play": [plain(text, 300) for text in point.best_play],
    }
