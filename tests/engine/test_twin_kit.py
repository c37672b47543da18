"""A second implementation beside the game: what is alike passes, and a planted error of either is found and named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab.errors import InputError
from simlab.registry import load_game, load_twin
from simlab.testing import TwinDiffers, check_twin
from simlab.twin import random_knobs

PAGE = (Path(__file__).parents[2] / "docs" / "second-implementation.md").read_text("utf-8")
CODE = re.search(r"`dash_twin.py`:\n\n```python\n(.*?)```", PAGE, re.S)
PIG = load_game("pig")


def twin(*changes: tuple[str, str]) -> Any:
    """The page's twin, with lines changed."""
    assert CODE
    text = CODE[1]
    for old, new in changes:
        assert text.count(old) >= 1
        text = text.replace(old, new, 1)
    space: dict[str, Any] = {}
    exec(text, space)
    return space["Twin"]


def test_game_and_twin_agree_and_what_is_not_compared_is_said() -> None:
    done = check_twin(PIG, twin(), games=12)
    assert done[1] == "alike: seat, legal, over, at_stake, busts, points, turn, score, turns, winner"
    assert done[2] == "not in the twin yet: won, ending, margin"
    assert int(re.findall(r"([\d,]+) decisions", done[0])[0].replace(",", "")) > 300


@pytest.mark.parametrize(
    ("right", "wrong", "why"),
    [
        (
            "            self.stake = 0\n            self.busts",
            "            self.busts",
            "roll: at_stake is 0 in the",
        ),
        (
            "return [0, 1] if self.stake else [0]",
            "return [0, 1]",
            "legal is [0] in the game, [0, 1] in",
        ),
        ('below("dice", self.knobs["die_sides"])', 'below("dice", 6)', "(knobs {"),
        ("self.turn == 400", "self.turn == 12", "in the game, True in the twin"),
        ('"busts": self.busts', '"luck": 3', "names a field 'luck', which the game does not have"),
        ('"turns": self.turn', '"turns": self.turn - 1', "turns is"),
        ("return self.end_turn()", "return self.nowhere()", "the twin fails: AttributeError"),
        ('below("dice"', 'below("dyce"', "Did you mean 'dice'?"),
    ],
)
def test_a_planted_error_is_found_and_named(right: str, wrong: str, why: str) -> None:
    with pytest.raises(TwinDiffers) as found:
        check_twin(PIG, twin((right, wrong)), games=30)
    message = str(found.value)
    assert why in message and re.match(r"pig, game \d+ of seed 1", message)
    assert "Shown by: simlab replay pig --seed 1 --game" in message


def test_an_error_of_the_game_is_found_as_well() -> None:
    """The game has another rule than the twin: a head start for nobody."""
    with pytest.raises(TwinDiffers, match=r"after the set-up: points is \[0, 5\] in the game, \[0, 0\] in the twin"):
        check_twin(PIG, twin(('knobs["head_start"]', "0")), games=1, knobs={"head_start": 5}, vary=False)


def test_knobs_that_are_drawn_fit_together() -> None:
    tricks = load_game("tricks")
    drawn = [random_knobs(tricks, np.random.default_rng(seed), {"hand_size": 3}) for seed in range(60)]
    assert all(knobs["hand_size"] == 3 and tricks.resolve_knobs(knobs) for knobs in drawn)
    assert len({knobs.get("deals") for knobs in drawn}) > 2


def test_a_file_without_a_twin_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        load_twin(tmp_path / "none.py")
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(InputError, match="defines no class Twin"):
        load_twin(tmp_path / "empty.py")
