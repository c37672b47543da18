"""A class plays as the plain Python that its author wrote; if it does not, no result is given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab.author.same import compare, compare_some
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper, too_long
from simlab.errors import BotFault, GameTruncated, InputError, RangeFault
from simlab.registry import load_game
from simlab.runs.crash_recovery import in_words
from simlab.testing import check_game, check_policy

DASH = '''
from simlab.author import Game, bot, choice, knob, number, numbers, per_seat, trait

LOSS = 0  # a test changes it once the class is compiled: plain Python then plays differently
BOLD = 0
ROOM = 400


class Dash(Game):
    """Throw one die as often as you dare; a one loses the points of the turn."""

    players = 2
    max_turns = 300
    goal = knob(100, 10, 190, "points that win")
    points = per_seat(score=(0, 200))
    at_stake = number()
    rolled = numbers(4)
    throw = choice("roll", "hold")

    def play(self):
        """R-1: nobody has points."""
        while True:
            self.take_turn()
            """R-5: the other seat is next."""
            self.at_stake = 0
            self.turn += 1
            self.seat = self.next_seat()

    def take_turn(self):
        """R-2: roll the die, or keep the points of this turn."""
        while self.ask(self.throw) == "roll":
            pips = self.roll(6)
            if pips == 1:
                """R-3: a one loses the points of the turn."""
                return
            self.at_stake += pips
            self.rolled[self.at_stake // ROOM] += 1
            if self.at_stake >= 40:
                self.at_stake -= LOSS
        """R-4: the points are safe."""
        self.points[self.seat] += self.at_stake
        if self.points[self.seat] >= self.goal:
            self.end("goal", self.seat)


@bot(Dash)
def hold_at(game, stop=trait(45, 1, 60, "points at which it holds")):
    """Holds once a number of points is at stake."""
    return "hold" if game.at_stake >= stop else "roll"


@bot(Dash)
def racer(game):
    """Holds at fifteen, now and then."""
    return "hold" if game.at_stake >= 15 + BOLD + game.below(3) else "roll"
'''


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("dash") / "dash.py"
    file.write_text(DASH)
    return file


@pytest.fixture
def dash(path: Path) -> Any:
    return load_game(str(path))


@pytest.fixture
def names(dash: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets names of the author's file, which compiled code no longer reads."""
    playing(dash, "racer").compile()
    return lambda name, value: monkeypatch.setitem(vars(sys.modules[dash.owner.__module__]), name, value)


def playing(game: Any, bot: str, **more: Any) -> Match:
    return Match(game, bots=dict.fromkeys(game.seats, bot), **more)


def test_a_game_that_plays_as_written_is_compared_in_silence(dash: Any, names: Any) -> None:
    assert compare(playing(dash, "racer"), 1, 5, bots=True) > 100
    assert compare(playing(dash, "hold_at:stop=20"), 1, 5, bots=True) > 100


def test_a_rule_that_only_the_bots_of_the_match_reach_is_compared(dash: Any, names: Any) -> None:
    """Random play holds long before 40 points are at stake."""
    names("LOSS", 20)
    assert compare(playing(dash, "random"), 1, 20) > 100
    match = playing(dash, "hold_at")
    with pytest.raises(InputError) as caught:
        match.play(1, 0, 100)
    said = str(caught.value)
    assert said.startswith(f"{dash.file}: compiled and plain play differ in game 0 of seed 1, decision ")
    assert ": roll': at_stake: compiled 4" in said
    assert said.endswith(f"Replay it: {match.replay_command(1, 0)}")


def test_a_bot_that_chooses_differently_in_plain_python_gives_no_result(dash: Any, names: Any) -> None:
    names("BOLD", 9)
    with pytest.raises(InputError) as caught:
        playing(dash, "racer").play(1, 0, 100)
    said = str(caught.value)
    assert f"{dash.file}, line {1 + DASH[: DASH.index('@bot(Dash)' + chr(10) + 'def racer')].count(chr(10))}" in said
    assert "bot 'racer' (bob) plays differently when compiled, in game 0 of seed 1, decision " in said
    assert "compiled it chooses 'hold', and in plain Python 'roll'" in said
    assert "Replay it: simlab replay" in said


def test_the_checks_of_games_and_of_bots_compare_bots(dash: Any, names: Any) -> None:
    done = check_game(dash, games=4)
    assert any("of 1 game of racer are the same in plain Python" in line for line in done)
    done = check_policy(dash, "ann", "racer", games=3, opponents="racer")
    assert any("decisions of 3 games are the same in plain Python" in line for line in done)
    names("LOSS", 20)
    with pytest.raises(InputError, match="compiled and plain play differ"):
        check_game(dash, games=4)
    names("LOSS", 0)
    names("BOLD", 9)
    with pytest.raises(InputError, match="bot 'racer'"):
        check_policy(dash, "ann", "racer", games=3, opponents="racer")


def test_the_games_of_a_run_that_are_compared_are_spread_and_always_the_same(dash: Any, names: Any) -> None:
    seen: list[int] = []

    class Marks:
        def __setitem__(self, place: int, value: int) -> None:
            if place == 0 and (not seen or seen[-1] != value):
                seen.append(value)

    match, marks = playing(dash, "racer"), Marks()
    first = compare_some(match, 1, 0, 80_000, marks=marks)  # type: ignore[arg-type]
    games = list(seen)
    assert games[:3] == [0, 10_000, 20_000] and games[-1] == 32_768
    seen.clear()
    assert compare_some(match, 1, 0, 80_000, skip={10_000}, marks=marks) != first  # type: ignore[arg-type]
    assert 10_000 not in seen and seen[0] == 0
    seen.clear()
    compare_some(match, 1, 500, 100, marks=marks)  # type: ignore[arg-type]
    assert seen and all(500 <= game < 600 for game in seen)


def test_an_index_out_of_range_gives_its_line_and_no_numbers(path: Path) -> None:
    """Compiled code without checks would add to another field."""
    small = path.with_name("small.py")
    small.write_text(DASH.replace("ROOM = 400", "ROOM = 9"))
    match = playing(load_game(str(small)), "hold_at")
    line = DASH[: DASH.index("self.rolled[")].count("\n") + 1
    with pytest.raises(
        BotFault, match=rf"small.py, line {line}: IndexError: list index out of range in `self.rolled\["
    ):
        match.play(1, 0, 100, progress=np.zeros(4, np.int64))


@pytest.fixture(scope="module")
def tight(path: Path) -> Any:
    """The game with a range of scores that its games break."""
    file = path.with_name("tight.py")
    file.write_text(DASH.replace("score=(0, 200)", "score=(0, 90)"))
    return load_game(str(file))


def test_a_game_longer_than_max_turns_has_no_result(path: Path) -> None:
    file = path.with_name("short.py")
    file.write_text(DASH.replace("max_turns = 300", "max_turns = 60"))
    match = playing(load_game(str(file)), "hold_at:stop=1", knobs={"goal": 190})
    with pytest.raises(GameTruncated, match="the game did not end within 60 turns; raise max_turns") as caught:
        match.play(1, 0, 100)
    assert f"--game {caught.value.index} " in str(caught.value)
    with pytest.raises(GameTruncated, match="did not end within 60 turns"):
        Stepper(match, 1, caught.value.index).finish()


def test_a_score_outside_its_declared_range_is_an_error_where_it_is_set(tight: Any) -> None:
    line = DASH[: DASH.index("        self.points[self.seat] += self.at_stake")].count("\n") + 1
    why = rf"tight.py, line {line}: ValueError: points holds 0 to 90, and was set to \d+ "
    with pytest.raises((InputError, BotFault), match=why):
        playing(tight, "racer").play(1, 0, 20)


def test_a_computed_score_outside_its_declared_range_has_no_result(path: Path) -> None:
    file = path.with_name("computed.py")
    computed = "    def score(self, seat):\n        return self.points[seat]\n\n"
    at = DASH.index("    def play(self):")
    text = DASH[:at] + computed + DASH[at:]
    file.write_text(text.replace("per_seat(score=(0, 200))", "per_seat()\n    score_range = (0, 90)"))
    with pytest.raises(
        RangeFault, match=r"computed.py, game \d+ of seed 1: score_\w+ is \d+, but the game declares 0..90"
    ):
        playing(load_game(str(file)), "racer").play(1, 0, 20)


def test_a_rule_that_does_not_end_is_named_with_its_line(path: Path) -> None:
    file = path.with_name("endless.py")
    loops = "        while self.points[0] == 0:\n            self.at_stake = 1\n"
    at = DASH.index("        self.points[self.seat] += self.at_stake")
    file.write_text(DASH[:at] + loops + DASH[at:])
    match = playing(load_game(str(file)), "racer")
    match.prepare_comparison()
    line = DASH[:at].count("\n") + 2
    with pytest.raises(
        InputError, match=rf"endless.py, line ({line - 1}|{line}): in plain Python, it did not end within"
    ):
        compare(match, 1, [0], bots=True, limit=0.5)


def test_a_game_that_is_truncated_names_its_last_decision(dash: Any) -> None:
    said = too_long(dash, {"turn": 7, "decision": 0, "seat": 1})
    assert "did not end within 20,000 decisions; the last was throw of bob, in turn 7" in said
    assert "neither asks nor ends the game leaves the same decision to the same seat" in said


def test_a_check_of_knobs_that_raises_is_named_with_its_line(path: Path) -> None:
    file = path.with_name("knobs.py")
    check = "    def check_knobs(self):\n        return 1 // (self.goal - self.goal)\n\n"
    at = DASH.index("    def play(self):")
    file.write_text(DASH[:at] + check + DASH[at:])
    line = DASH[:at].count("\n") + 2
    with pytest.raises(
        InputError, match=rf"knobs.py, line {line}: check_knobs\(\) raises ZeroDivisionError: .* It returns"
    ):
        playing(load_game(str(file)), "random")


def test_failed_games_of_one_line_are_listed_together() -> None:
    about = {"cell": "a" * 16, "label": "racer v racer", "seed": 1, "replay": "simlab replay dash.py --seed 1 --game 0"}
    why = "dash.py, line 40: ValueError: no (game {0} of seed 1, turn 3, ann, D-1 throw)"
    faults = [about | {"first": game, "last": game, "why": why.format(game)} for game in range(20)]
    said = in_words(Path("results"), faults)
    assert "game 0 and 19 more pieces of seed 1 (racer v racer): dash.py, line 40: ValueError: no (game 0" in said
    assert len(said) < 400
