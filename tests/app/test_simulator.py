"""What is played at an app, and the figures of it: those of `simlab run`, the printed rules once, changes in pairs."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simlab
from simlab.app import live_summary
from simlab.app.form import FormState
from simlab.app.live_summary import LEVEL, LiveSummary, headline, summarize
from simlab.app.session import Session
from simlab.app.simulator import Play, Player
from simlab.cli.main import main
from simlab.engine.compile_helper import compile_apart
from simlab.engine.match import Match
from simlab.engine.outcome import figures_of, won
from simlab.errors import InputError
from simlab.present.estimate import Difference

GAMES = 600


def ended(player: Player, number: int, seconds: float = 120) -> Play:
    """The play of a request, once it has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        play = player.play
        if play.request == number and play.phase in ("done", "wrong"):
            return play
        time.sleep(0.005)
    raise AssertionError(f"not ended: {player.play}")


@pytest.fixture(scope="module")
def form(tmp_path_factory: pytest.TempPathFactory) -> FormState:
    form = FormState("simple_siege", tmp_path_factory.mktemp("files"))
    form.put_number("games", GAMES)
    form.put_number("seed", 3)
    form.put_knob("walls_start", 7)
    form.put_cell("fate", 0, "copies", "9")
    assert not form.faults
    return form


@pytest.fixture(scope="module")
def play(form: FormState) -> Play:
    goals = {"besieger_win": {"min": 0.99}}
    player = Player(lambda play, done: summarize(play, goals, all_numbers=done))
    try:
        return ended(player, player.ask(form.recipe(printed=True), form.recipe(), form.seed, form.games))
    finally:
        player.close()


def test_the_figures_are_those_of_simlab_run(form: FormState, play: Play, tmp_path: Path) -> None:
    results = simlab.run(form.save(tmp_path, replace=True), out=tmp_path / "results", backend="threads")
    assert play.phase == "done" and play.tweak is not None
    (cell,) = results.cells
    assert cell.tally.to_dict() == play.tweak.tally.to_dict()
    summary: LiveSummary = play.summary
    assert summary.wins[0].tweak is not None
    assert summary.wins[0].tweak.value == int(cell.tally.wins[0]) / GAMES


def test_every_figure_has_the_interval_that_holds_while_one_watches(play: Play) -> None:
    assert play.printed is not None and play.tweak is not None
    figures = figures_of(play.printed.match.game)
    for line in (*play.summary.wins, *play.summary.endings, *play.summary.numbers):
        for side, estimate in ((play.printed, line.printed), (play.tweak, line.tweak)):
            expected = line.figure.sequence(side.tally, LEVEL)
            assert (estimate.value, estimate.low, estimate.high) == pytest.approx(tuple(expected), abs=1e-9)
    assert {line.figure.name for line in play.summary.wins} >= {figure.name for figure in figures.wins}


def test_changes_are_those_of_games_with_the_same_luck(play: Play) -> None:
    assert play.printed is not None and play.tweak is not None
    before, after = play.printed.table(), play.tweak.table()
    assert np.array_equal(before["game"], after["game"])
    first = play.summary.wins[0]
    gap = won(after, 0).mean() - won(before, 0).mean()
    assert first.change.value == pytest.approx(gap)
    assert first.change.low < gap < first.change.high
    low, high = first.figure.change(won(before, 0), won(after, 0), LEVEL, sequential=True)
    assert (first.change.low, first.change.high) == pytest.approx((low, high), abs=1e-8)
    length = play.summary.numbers[0]
    assert length.change.value == pytest.approx(after["turns"].mean() - before["turns"].mean())
    assert play.summary.flipped == int((before["winners"] != after["winners"]).sum())


def test_it_is_shown_in_words_and_as_a_page(play: Play) -> None:
    summary: LiveSummary = play.summary
    assert summary.headline.startswith("The win rate of the besieger falls by ") and "turns longer" in summary.headline
    page = live_summary.figures(summary)
    assert page.count("data-figure=") == len(summary.wins) + len(summary.endings) + len(summary.numbers)
    assert "however long you watch" in page
    assert "fair share" in page and 'class="fair"' in page
    assert summary.clauses[0].verdict == "broken" and "broken" in live_summary.contract(
        (clause.verdict, clause.sentence) for clause in summary.clauses
    )
    assert all(spread.printed.sum() == pytest.approx(1) for spread in summary.spreads)


def test_names_of_a_game_are_shown_as_text(play: Play) -> None:
    line = play.summary.wins[0]
    figure = replace(line.figure, about="<script>alert(1)</script>")
    assert "<script>" not in live_summary.figures(replace(play.summary, wins=(replace(line, figure=figure),)))


def test_printed_rules_are_played_once(form: FormState, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[tuple[str, int, int]] = []
    plain = Match.play

    def spied(self: Match, seed: int, first: int, count: int, *rest: Any, **more: Any) -> Any:
        played.append((self.key, first, count))
        return plain(self, seed, first, count, *rest, **more)

    monkeypatch.setattr(Match, "play", spied)
    player = Player()
    printed = form.recipe(printed=True)
    try:
        for height in (6, 7, 8, 7):
            tweak = lambda height=height: Match(form.loaded, knobs={"walls_start": height}, bots=form.bots)  # noqa: E731
            ended(player, player.ask(printed, tweak, 1, GAMES))
    finally:
        player.close()
    keys = {key for key, _, _ in played}
    assert len(keys) == 4  # printed, 6, 7 and 8
    for key in keys:
        pieces = sorted((first, count) for other, first, count in played if other == key)
        assert sum(count for _, count in pieces) == GAMES
        assert len({first for first, _ in pieces}) == len(pieces)


def test_what_is_asked_anew_ends_what_is_under_way(form: FormState) -> None:
    player = Player()
    printed = form.recipe(printed=True)
    try:
        first = player.ask(printed, None, 1, 900_000)
        while player.play.request != first or player.play.phase != "playing":
            time.sleep(0.002)
        second = player.ask(printed, None, 2, GAMES)
        play = ended(player, second)
        assert play.printed is not None and play.printed.key[1] == 2
        assert play.printed.games == GAMES
    finally:
        player.close()


def test_a_fault_is_told_and_the_next_question_is_played(form: FormState) -> None:
    def wrong() -> Match:
        raise InputError("no such bot")

    player = Player()
    try:
        play = ended(player, player.ask(wrong, None, 1, GAMES))
        assert (play.phase, play.note) == ("wrong", "no such bot")
        assert ended(player, player.ask(form.recipe(printed=True), None, 1, GAMES)).phase == "done"
    finally:
        player.close()


def test_the_command_to_copy_gives_the_same_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    form = FormState("simple_siege", tmp_path / "files")
    form.put_number("games", 200)
    form.put_knob("walls_start", 6)
    session = Session(form, tmp_path / "files", tmp_path)
    try:
        session.replay()
        play = ended(session.player, 1)
        with pytest.raises(SystemExit) as left:
            main([*shlex.split(session.command())[1:], "--quiet", "--backend", "threads"])
        assert not left.value.code
        (cell,) = simlab.load(next((tmp_path / "results").iterdir())).cells
        assert play.tweak is not None
        assert cell.tally.to_dict() == play.tweak.tally.to_dict()
        session.change(lambda: form.put_cell("fate", 0, "copies", "9"))
        ended(session.player, 2)
        with pytest.raises(InputError, match="save"):
            session.command()
        path = session.save(replace=False)
        assert session.command() == f"simlab run {path.name}"
    finally:
        session.close()
    assert not (tmp_path / "files").exists()


def test_numbers_keep_the_rules_that_they_were_played_with_while_a_field_is_wrong(tmp_path: Path) -> None:
    form = FormState("simple_siege", tmp_path / "files")
    form.put_number("games", 200)
    form.put_knob("walls_start", 7)
    form.put_cell("fate", 0, "copies", "9")
    session = Session(form, tmp_path / "files", tmp_path)
    try:
        session.replay()
        ended(session.player, 1)
        played = ["walls_start 5 → 7", "fate: your table"]
        assert session.shown.changes() == played
        session.change(lambda: form.put_cell("fate", 0, "copies", "nine"))
        assert session.shown.changes() == played
        with pytest.raises(InputError, match="save"):  # the numbers are those of an edited table
            session.command()
        session.change(lambda: form.put_knob("walls_start", 5))
        assert form.changes() == []  # what can be read of what is form for now
        assert session.shown.changes() == played
        with pytest.raises(InputError, match="'nine' is not allowed"):
            session.save(replace=False)
        session.change(lambda: form.put_table("fate", None))
        ended(session.player, 2)
        assert session.shown.changes() == []
        assert "walls_start" not in session.command()
    finally:
        session.close()


def test_a_saved_file_is_named_for_the_numbers_that_it_gives(tmp_path: Path) -> None:
    form = FormState("simple_siege", tmp_path / "files")
    form.put_number("games", 200)
    form.put_cell("fate", 0, "copies", "9")
    session = Session(form, tmp_path / "files", tmp_path)
    try:
        session.replay()
        ended(session.player, 1)
        path = session.save(replace=False)
        session.change(lambda: form.put_cell("fate", 0, "copies", "nine"))
        assert session.command() == f"simlab run {path.name}"  # the numbers are still those of the file
        session.change(lambda: form.put_cell("fate", 0, "copies", "8"))
        ended(session.player, 2)
        with pytest.raises(InputError, match="save"):
            session.command()
    finally:
        session.close()


def test_a_table_of_many(tmp_path: Path) -> None:
    """Of many seats the headline is about the one whose wins moved most for certain."""
    form = FormState(str(Path(__file__).parents[1] / "games_of_many" / "harvest"), tmp_path)
    form.put_number("games", 2_000)
    for seat in form.loaded.seats:
        form.put_bot(seat, "random")
    player = Player(lambda play, done: summarize(play, {}, all_numbers=done))
    try:
        alone = ended(player, player.ask(form.recipe(printed=True), None, 1, 2_000)).summary
    finally:
        player.close()
    seats = len(form.loaded.seats)
    assert [line.fair is not None for line in alone.wins[:seats]] == [True] * seats
    assert len(alone.spreads) == seats  # each one's score; the length is the same in all games
    assert alone.headline.startswith(f"Of {seats} seats ")
    certain = Difference(0.07, 0.05, 0.09)
    doubtful = Difference(0.2, -0.05, 0.45)
    changes = [doubtful, certain, *[Difference(0.005, 0.002, 0.008)] * (len(alone.wins) - 2)]
    wins = [replace(line, tweak=line.printed, change=change) for line, change in zip(alone.wins, changes, strict=True)]
    assert headline(replace(alone, wins=tuple(wins)), form.loaded).startswith(
        f"The win rate of {wins[1].name} rises by 7.0"
    )


def test_a_bot_that_must_be_compiled_is_compiled_in_another_process(tmp_path: Path) -> None:
    """What it compiles is there for this process."""
    lines = ["import simlab", '@simlab.policy("simple_siege")', "def mine(state, knobs, cards, traits):"]
    bot = tmp_path / "my_bot.py"
    bot.write_text("\n".join([*lines, '    """First."""', f"    return state.legal[0]  # {time.time_ns()}"]))
    form = FormState("simple_siege", tmp_path / "files")
    form.put_bot("besieged", f"{bot}:mine")
    match = form.recipe(printed=True)()
    assert not match.compiled.known
    parts: list[str] = []
    compile_apart(match, lambda what, done, total: parts.append(what), lambda process: None)
    assert parts and match.compiled.known
