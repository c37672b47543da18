"""Methods that call themselves, directly or through others, run in plain Python: compiled, they ended the process.

The right values and where they come from are in the README of each case.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from simlab.author.kernels import program_of
from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.errors import BotFault, InputError
from simlab.registry import load_game

CASES = Path(__file__).parents[1] / "cases"

#: case -> (circle of calls, metric, its least value for a win, probability of a win).
RECURSIVE = {
    "recursion_longest_road/road.py": ("reach() -> reach()", "longest", 5, 0.15625),
    "recursion_chain_reaction/chain.py": ("add() -> add()", "bursts", 2, 0.375),
    "recursion_chain_reaction/chain_mutual.py": ("add() -> burst() -> add()", "bursts", 2, 0.375),
    "recursion_mutual/flag.py": ("depth() -> depth()", "seen", 3, 0.6),
    "recursion_mutual/mutual.py": ("up() -> down() -> up()", "seen", 3, 0.4),
    "recursion_mutual/held_self.py": ("depth() -> depth()", "depth_seen", 3, 0.4),
    "recursion_mutual/held_mutual.py": ("infect() -> outbreak() -> infect()", "outbreaks", 3, 0.97797),
}


def match(case: str) -> Match:
    game = load_game(str(CASES / case))
    return Match(game, bots=dict.fromkeys(game.seats, "random"))


@pytest.mark.parametrize("case", RECURSIVE)
def test_the_circle_of_calls_is_named_and_nothing_else_is_plain(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    game = load_game(str(CASES / case))
    circle = RECURSIVE[case][0]
    said = capfd.readouterr().err or " ".join(why for *_, why in program_of(game.owner).plain.values())
    assert circle in said and f"{Path(case).name}, line " in said
    assert {method for _, method, _ in program_of(game.owner).plain.values()} == {
        part.removesuffix("()") for part in circle.split(" -> ")
    }


def check_of(case: str, games: int) -> None:
    _, metric, least, chance = RECURSIVE[case]
    own = match(case)
    assert compare(own, 1, 10) == 10
    rows = own.play(1, 0, games).rows
    wins = float((rows[metric] >= least).mean())
    assert abs(wins - chance) < 4.5 * (chance * (1 - chance) / games) ** 0.5
    assert ((rows["winners"] == 1) == (rows[metric] >= least)).all()


@pytest.mark.parametrize("case", ["recursion_chain_reaction/chain_mutual.py", "recursion_mutual/flag.py"])
def test_games_with_recursion_have_their_exact_probabilities(case: str) -> None:
    check_of(case, 1_000)


@pytest.mark.long
@pytest.mark.parametrize("case", RECURSIVE)
def test_many_games_with_recursion_have_their_exact_probabilities(case: str) -> None:
    check_of(case, 10_000)


def test_a_chain_without_an_end_is_an_error_with_the_rule_and_the_game(capfd: pytest.CaptureFixture[str]) -> None:
    own = match("recursion_chain_reaction/endless.py")
    with pytest.raises((InputError, BotFault), match=r"line \d+: RecursionError.*game \d+ of seed 1") as caught:
        own.play(1, 0, 200)
    assert "endless.py" in str(caught.value)
    assert "Traceback" not in capfd.readouterr().err
