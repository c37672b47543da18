"""Each figure of a report names the games behind it: the command shows as many as the figure counts."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import simlab
from simlab.errors import InputError
from simlab.report.html import render
from simlab.runs.query import command, exported
from tests.cli.conftest import Shell, shell  # noqa: F401 - a fixture

MANY = Path(__file__).parents[1] / "games_of_many"
RUNS: dict[str, dict[str, Any]] = {
    "simple_siege": {"bots": {"besieger": ["rusher", "random"], "besieged": "random"}, "vary": {"walls_start": [3, 7]}},
    "pig": {"bots": {"first": ["hold_at", "random"], "second": ["hold_at", "racer"]}},
    "harvest": {"vary": {"head_start": [0, 6]}},
    "keep": {},
    "dyke": {},
}


def links(page: str) -> list[tuple[int, list[str]]]:
    """(games, words of the command) of each link of a report."""
    found = re.findall(r'<code data-games="(\d+)">(.*?)</code>', page, re.S)
    return [(int(games), shlex.split(html.unescape(text))) for games, text in found]


def count(words: list[str]) -> int:
    """Games that an export shows."""
    assert words[:2] == ["simlab", "report"]
    options = dict(zip(words[3::2], words[4::2], strict=True))
    assert options.pop("--format") == "csv" and options.keys() <= {"--cell", "--where"}
    frames = exported(simlab.load(words[2]), options.get("--where"), options.get("--cell"))
    return sum(frame.height for frame in frames)


@pytest.mark.sample("simple_siege", "dyke")
@pytest.mark.parametrize("game", RUNS)
def test_every_link_shows_as_many_games_as_its_figure_counts(game: str, tmp_path: Path) -> None:
    path = str(MANY / game) if (MANY / game).is_dir() else game
    results = simlab.run(path, games=120, out=tmp_path / "a run", workers=1, **RUNS[game])
    page = render(results)
    shown = links(page)
    assert len(shown) > 8
    charts = re.findall(r"<figure.*?</figure>", page, re.S)
    assert charts and all("data-games" in chart for chart in charts), "each chart has the games behind it"
    for name in ("actions", "rules"):
        section = page[page.index(f'<section id="{name}">') :]
        assert "made during play" in section and "simlab replay --table --from" in section
    distinct = {tuple(words): games for games, words in shown}
    assert all(count(list(words)) == games for words, games in distinct.items())
    assert len(set(distinct.values())) > 3


@pytest.mark.long
def test_tables_of_bots_and_knobs_have_links_too(tmp_path: Path) -> None:
    knobs = {"walls_start": [3, 7], "mod_mine": [2, 3]}
    results = simlab.run("simple_siege", games=120, out=tmp_path / "run", workers=1, vary=knobs)
    page = render(results)
    tables = re.findall(r"<h3>Against .*?</table>", page, re.S)
    assert len(tables) == 2 and all("data-games" in table for table in tables)
    shown = {tuple(words) for _, words in links(page)}
    assert any(words[-1] == "walls_start IN (5, 3)" or words[-1] == "walls_start IN (3, 7)" for words in shown)
    assert all(count(list(words)) == games for games, words in links(page))


def test_a_link_runs_as_it_stands_and_so_do_events_and_replay(
    tmp_path: Path, shell: Shell  # noqa: F811
) -> None:  # fmt: skip
    simlab.run("simple_siege", games=60, out=tmp_path / "run", workers=1)
    results = simlab.load(Path("run"))
    games, words = next(pair for pair in links(render(results)) if "ending" in " ".join(pair[1]))
    done = shell(shlex.join(words))
    assert done.status == 0 and len(done.out.splitlines()) == games + 1
    long = results.where("turns > 12 and winner = 'besieger'")
    assert long.height and (long["turns"] > 12).all()
    where = "--where \"turns > 12 and winner = 'besieger'\""
    replay = shell(f"simlab replay --from run {where} --brief --quiet")
    assert (
        replay.out.startswith(f"The first of {long.height} such games.") and "The stored row is the same" in replay.out
    )
    moves = shell(f"simlab replay --from run --table {where} -n 2 --quiet").out.splitlines()
    assert {line.split(",")[1] for line in moves[1:]} == {str(game) for game in long["game"][:2]}
    for where, why in (
        ("turns >", "unable to parse"),
        ("winner > 3", "cannot compare"),
        ("turn > 3", "unknown column 'turn'.*Columns: game, cell"),
        ("turns", "is not a condition"),
        ("winner = 'besiger'", "winner is never 'besiger'. Did you mean 'besieger'"),
        ("turns > 1; drop table x", "cannot read ';"),
        ("turns > 400", "holds for no game"),
    ):
        fault = shell(f'simlab replay --from run --where "{where}" --quiet')
        assert fault.status == 2 and re.search(why, fault.err), fault.err
    assert "give one of them" in shell('simlab replay --from run -g 3 --where "turns > 2"').err
    assert "--cell and --where go with --from" in shell('simlab replay simple_siege --where "turns > 2"').err


def test_cells_and_conditions_go_together() -> None:
    class Folder:
        folder = Path("my run")

    assert command(Folder, "", None) == "simlab report 'my run' --format csv"
    assert (
        command(Folder, "a = 1", ["12345678"]) == "simlab report 'my run' --format csv --cell 12345678 --where 'a = 1'"
    )
    assert shlex.split(command(Folder, "a = 1 or b = 2", ["1", "2"]))[-1] == ("(a = 1 or b = 2) and cell IN ('1', '2')")


def test_a_column_that_is_not_there_is_named_in_python_too(tmp_path: Path) -> None:
    results = simlab.run("simple_siege", games=20, out=tmp_path / "run", workers=1)
    with pytest.raises(InputError, match="Columns: game, cell"):
        results.where("tuns > 3")
