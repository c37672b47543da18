"""The pages on adding a bot or a game and on verdicts, followed literally, in the order of the page."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

import simlab
from tests.cli.conftest import Shell, shell

__all__ = ["shell"]

Reader = Callable[[str], list[str]]
DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(
    r"(?:^`(?P<path>[\w./]+)`(?: \((?P<how>added|changed)\))?:\n\n)?```(?P<kind>\w+)\n(?P<text>.*?)```\n",
    re.M | re.S,
)


def run(command: str, folder: Path) -> str:
    words = shlex.split(command)
    assert words[0] == "simlab"
    done = subprocess.run(
        [sys.executable, "-m", "simlab", *words[1:]], cwd=folder, capture_output=True, text=True,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join((str(folder), str(DOCS.parent))), COLUMNS="160"),
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.fixture
def read(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """`follow` without a process for each command: for pages that change no file that a command has read."""
    monkeypatch.setenv("COLUMNS", "160")

    def here(command: str, folder: Path) -> str:
        done = shell(command)
        assert done.status == 0, f"{command}\n{done.out}\n{done.err}"
        assert "Traceback" not in done.err
        return done.out

    return lambda page: follow(page, tmp_path, here)


def follow(page: str, folder: Path, run: Callable[[str, Path], str] = run) -> list[str]:
    """Does what the page says; returns what its commands printed."""
    printed = []
    changing: Path | None = None
    old = ""
    for block in BLOCK.finditer((DOCS / page).read_text()):
        text = block["text"]
        if block["kind"] == "console":
            printed += [run(line.removeprefix("$ "), folder) for line in text.splitlines() if line.startswith("$ ")]
        elif changing is not None:
            whole = changing.read_text()
            # A page may show a piece with less indentation than the file: the piece must be there once.
            place = re.search("\n".join(rf"[ ]*{re.escape(line.strip())}" for line in old.splitlines()), whole)
            assert place, f"{page}: {changing.name} does not hold\n{old}"
            indent = len(place[0]) - len(place[0].lstrip())
            shown = len(old) - len(old.lstrip())
            new = "\n".join(
                (" " * (indent - shown) + line if indent >= shown else line[shown - indent :])
                for line in text.splitlines()
            )
            changing.write_text(whole.replace(place[0], new, 1))
            changing = None
        elif block["how"] == "changed":
            changing, old = folder / block["path"], text
        elif block["how"] == "added":
            path = folder / block["path"]
            path.write_text(path.read_text().rstrip() + "\n\n" + text)
        elif block["path"]:
            (folder / block["path"]).parent.mkdir(parents=True, exist_ok=True)
            (folder / block["path"]).write_text(text)
    return printed


@pytest.mark.long
def test_add_a_bot(tmp_path: Path) -> None:
    printed = follow("add-a-bot.md", tmp_path)
    assert len(printed) == 8
    assert "peek" in printed[0]
    assert "patient_miner" in printed[1] and "Construct Mine" in printed[4]
    assert "noisy(rusher:0.1)" in printed[5] and "rusher" in printed[7]
    assert "differently" in printed[6]  # a heading, which may be broken into lines


def test_add_a_game(tmp_path: Path) -> None:
    printed = follow("add-a-game.md", tmp_path)
    assert len(printed) == 7
    assert "R-2.6" in printed[4] and "mercy" in printed[5]
    assert (tmp_path / "dash.py").read_text().count("forgiven") == 3


@pytest.mark.long
def test_rule_bots(tmp_path: Path) -> None:
    printed = follow("rule-bots.md", tmp_path)
    assert len(printed) == 5
    assert "does not peek" in printed[0] and "rule: choose market, quay, field" in printed[2]


@pytest.mark.long
def test_kernels(tmp_path: Path) -> None:
    printed = follow("kernels.md", tmp_path)
    assert len(printed) == 7
    assert "R-2.5" in printed[4]
    assert (tmp_path / "dash" / "rules.py").read_text().count("busts_of_second") == 2


@pytest.mark.long
def test_add_a_metric(tmp_path: Path) -> None:
    printed = follow("add-a-metric.md", tmp_path)
    assert len(printed) == 5
    assert "fine: longest_lull: " in printed[0] and "fine: most_options_besieger: 13 to 13" in printed[0]
    assert "cards left" in printed[1] and "walls_start = 7" in printed[1]
    assert "mean of longest lull" in printed[2] and "most options besieged" in printed[2]
    assert "cards_left +" in printed[3]
    lulls = (tmp_path / "lulls.csv").read_text().splitlines()
    place = lulls[0].split(",").index("longest_lull")
    assert lulls[1:] and all(int(line.split(",")[place]) > 4 for line in lulls[1:])


@pytest.mark.long
def test_verdicts(read: Reader) -> None:
    printed = read("verdicts.md")
    assert len(printed) == 8
    assert "walls_start 5 → 6" in printed[0] and "compared with walls_start=6" in printed[1]
    assert printed[2].startswith("The contract of simple_siege_first_move: met.")
    assert printed[4].startswith("identical: 0 of ")
    assert printed[7].startswith("identical: ")


@pytest.mark.parametrize("page", sorted(p.name for p in DOCS.glob("*.md")))
def test_a_page_names_only_files_that_are_there(page: str) -> None:
    text = (DOCS / page).read_text()
    made = {block["path"] for block in BLOCK.finditer(text)}  # the page has its reader write them
    for path in re.findall(r"`((?:simlab|policies|experiments|tests|docs)/[\w./]+\.(?:py|md|toml|csv))`", text):
        assert path in made or (DOCS.parent / path).exists(), f"{page} names {path}"


@pytest.mark.parametrize("page", sorted([*DOCS.glob("*.md"), DOCS.parent / "README.md"]), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """To a page that is there, and to a heading that it has."""
    text = BLOCK.sub("", page.read_text())
    for target, anchor in re.findall(r"\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)", text):
        path = page.parent / target if target else page
        assert path.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
            slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, f"{page.name} links to {target}#{anchor}"


@pytest.mark.long
def test_the_site_is_built_from_all_pages(tmp_path: Path) -> None:
    """Without the guide's pictures: its commands are another test. A broken link ends the build."""
    for part in ("docs", "simlab", "policies", "experiments"):
        shutil.copytree(DOCS.parent / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(DOCS.parent / "mkdocs.yml", tmp_path)
    build = [sys.executable, "docs/build_site.py", "--quick"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {"index" if page.stem == "guide" else page.stem for page in DOCS.glob("*.md")}
    site = tmp_path / "build/site"
    assert pages | {"commands", "api"} <= {page.stem for page in site.glob("*.html")}
    menu = (site / "index.html").read_text()
    assert not [page for page in pages if f'href="{page}.html' not in menu], "pages that the menu lacks"
    assert "simlab.run" in (site / "api.html").read_text()
    listed = (site / "commands.html").read_text()
    assert "simlab diff" in listed
    assert "...</li>" not in listed, "a command's line in the list is cut short"
    assert not [page for page in pages if ">$ </span>" in (site / f"{page}.html").read_text()], "copied with its $"
    (tmp_path / "docs/guide.md").write_text("[nowhere](nowhere.md)")
    broken = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert broken.returncode and "nowhere.md" in broken.stdout + broken.stderr


@pytest.mark.long
def test_add_a_statistic(tmp_path: Path) -> None:
    for part in ("simlab", "policies", "experiments"):
        shutil.copytree(DOCS.parent / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    follow("add-a-statistic.md", tmp_path)
    (page,) = (tmp_path / "results").glob("*/report.html")
    assert "Busy turns" in page.read_text() and "decisions in a turn" in page.read_text()
    for sidecar in (page.parent / "cells").glob("*/*.json"):
        counts = json.loads(sidecar.read_text())["tally"]["counts"]
        busy, chosen = counts["busy"], counts["chosen"]
        assert sum(n * times for n, times in zip(busy["at"], busy["count"], strict=True)) == sum(chosen["count"]) > 0


@pytest.mark.long
def test_add_a_question(tmp_path: Path) -> None:
    """One folder gives a command, JSON, a schema and a section of the report."""
    for part in ("simlab", "policies", "experiments"):
        shutil.copytree(DOCS.parent / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    text, answer, schema, _, shown = follow("add-a-question.md", tmp_path)
    share = json.loads(answer)["share"]
    assert 0 < share["low"] <= share["estimate"] <= share["high"] <= 1
    assert f"{100 * share['estimate']:.0f}" in text and "over within 5 turns" in text
    jsonschema.validate(json.loads(answer), json.loads(schema))
    page = (tmp_path / "results/early/report.html").read_text()
    assert '<section id="early">' in page and "Early ends</a>" in page, "a section, and the menu leads to it"
    assert "over within 5 turns" in shown


@pytest.mark.long
def test_card_tables(tmp_path: Path) -> None:
    printed = follow("card-tables.md", tmp_path)
    assert "Card tables of dash" in printed[2] and "faces" in printed[2]
    printed_turns, turns = (
        simlab.load(tmp_path / "results" / run).games["turns"].mean() for run in ("printed", "twelve")
    )
    assert turns < printed_turns, "a six is worth more, so the goal is reached sooner"


@pytest.mark.long
def test_strong_play(read: Reader) -> None:
    printed = read("strong-play.md")
    assert "walls = 12 instead of 7" in printed[0] and "besieged_warden.toml" in printed[1]
    assert "cook" in printed[2] and printed[2].count("simlab replay") == 3


@pytest.mark.long
def test_small_games(read: Reader, tmp_path: Path) -> None:
    printed = read("small-games.md")
    large, _, small = printed[0].partition("Small known games")
    assert "simple_siege" in large and not re.search("pig|tricks", large)
    assert all(slug in small for slug in ("pig", "kuhn_poker", "connect_four", "tricks"))
    assert "class MyBluff(Game):" in (tmp_path / "my_bluff.py").read_text()


@pytest.mark.long
def test_second_implementation(tmp_path: Path) -> None:
    printed = follow("second-implementation.md", tmp_path)
    assert "not in the twin yet: seat, legal, over" in printed[2]
    assert "alike: seat, legal, over, at_stake, busts, points, turn, score, turns, winner" in printed[3]
    rules = tmp_path / "dash.py"  # the error that the page plants, in plain Python
    lines = "        self.busts += 1\n        self.at_stake = 0\n"
    assert lines in rules.read_text()
    rules.write_text(rules.read_text().replace(lines, "        self.busts += 1\n"))
    done = subprocess.run(
        [sys.executable, "-m", "simlab", "dev", "check-game", "./dash.py", "--twin", "./dash_twin.py"], cwd=tmp_path,
        capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    shown = re.search(r"^simlab: (dash, .*) in the twin", (DOCS / "second-implementation.md").read_text(), re.M)
    assert shown and shown[1] in " ".join(done.stderr.split())


@pytest.mark.long
def test_playtests(read: Reader) -> None:
    printed = read("playtests.md")
    assert printed[0].startswith("winner,ending,turns,player_besieger")
    assert "games of people" in printed[1] and "only 6 games" in printed[1] and "Ann" in printed[1]


@pytest.mark.long
def test_look_ahead(read: Reader) -> None:
    """Its commands run, and its table of traits names all that the bots have, with their defaults."""
    from simlab.engine.search import KINDS

    printed = read("look-ahead.md")
    assert "lookahead:iterations=60:playout=stormer+warden" in printed[0]
    table = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", (DOCS / "look-ahead.md").read_text(), re.M))
    traits = {name: trait for _, names in KINDS.values() for name, trait in names._declared.items()}
    assert {name: float(text) for name, text in table.items()} == {name: t.default for name, t in traits.items()}


@pytest.mark.long
def test_learned_players(read: Reader) -> None:
    """The file that its first command trains plays in the others."""
    printed = read("learned-players.md")
    assert "besieger: the learned player wins" in printed[0] and "Saved as siege.npz" in printed[0]
    assert "siege.npz" in printed[1] and "lookahead:iterations=60:playout=siege.npz" in printed[2]
    assert "against warden. In the same games" in printed[3] and "storm.toml v warden" in printed[4]
    assert "Saved as kuhn.npz" in printed[5]


@pytest.mark.long
def test_worth(read: Reader) -> None:
    """A ban changes what it should, and both analyses print what the page says they do."""
    printed = read("worth.md")
    assert "changed" in printed[0] and "ban" in printed[0]
    assert "assault" in printed[1] and "besieged:mine" in printed[1]
    assert "Assault and throw 3 are partners" in printed[2]
    assert "cathedral costs 9" in printed[3]
    (choices,) = (text for text in printed if "Most depends on these decisions" in text)
    assert "if always" in choices


@pytest.mark.long
def test_guide(read: Reader, tmp_path: Path) -> None:
    """What the page tells its reader to see is there."""
    printed = read("guide.md")
    assert "overwhelmingly favoured" in printed[0]
    assert "no detectable change" in printed[4].lower()
    assert "Perhaps fair (50 %) at walls_start = 9." in printed[5]
    assert "simple_siege_walls_start, stormer v warden" in printed[5]
    assert "stormer v warden: one change at a time" in " ".join(printed[6].split())
    assert (tmp_path / "results/simple_siege_walls_start/report.html").exists()
    assert printed[-1].startswith("The contract of my_siege: met.")
