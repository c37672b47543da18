"""A replay of Westphalia can be followed: every roll, card and change of hands has its line, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from simlab.engine.match import Stepper
from simlab.questions.replay.film import Film, Frame, hex_contents
from simlab.questions.replay.page import Reel
from simlab.questions.replay.position import position
from tests.games.westphalia.table import match_of

BOTS = ("politique", "condottiere", "drifter")


@pytest.fixture(scope="module", params=[0, 3])
def played(request: pytest.FixtureRequest) -> tuple[list[Frame], dict[str, Any]]:
    film = Film(match_of(6, {}, *BOTS), 2, request.param)
    frames = list(film)
    return frames, frames[-1].row()


def lines(frames: Sequence[Frame], pattern: str) -> list[re.Match[str]]:
    found = (re.search(pattern, text) for frame in frames for text in frame.asides)
    return [match for match in found if match]


def number(text: str) -> int:
    return 0 if text == "no" else int(text)


def test_every_round_begins_with_its_upheaval(played: tuple[list[Frame], dict[str, Any]]) -> None:
    frames, row = played
    begins = [frame for frame in frames if frame.part == "Religious Upheaval" and frame.move is None]
    assert [frame.turn for frame in begins] == list(range(1, row["turns"] + 1))
    turned = lines(begins, r"^cards drawn: (.*) becomes? (?:Protestant|Catholic)$")
    cards = sum(len(re.split(", | and ", match[1])) for match in turned)
    assert cards == row["turned_early"] + row["turned_late"]
    assert len(lines(begins, "^Initiative Order: ")) == row["turns"]


def test_every_roll_of_faith_dice_has_a_line(played: tuple[list[Frame], dict[str, Any]]) -> None:
    frames, row = played
    rolls = lines(frames, r" rolls (\d+) Faith di(?:e|ce).*: (no|\d+) cr")
    assert sum(int(roll[1]) for roll in rolls) == row["dice"]
    assert sum(number(roll[2]) for roll in rolls) == row["successes"]


def test_every_clash_names_both_cards_the_forced_ones_too(played: tuple[list[Frame], dict[str, Any]]) -> None:
    frames, row = played
    clashes = lines(frames, r"^clash: \w+ plays (?:a )?(\w+), \w+ (?:a )?(\w+): ")
    assert len(clashes) == row["clashes"] > 0
    cards = [match[n] for match in clashes for n in (1, 2)]
    early, late = (sum(row[f"{kind}_{when}"] for when in ("early", "late")) for kind in ("musketeers", "cavalry"))
    assert (cards.count("Musketeer"), cards.count("Cavalry")) == (early, late)


def test_gestures_and_treaties_have_their_lines(played: tuple[list[Frame], dict[str, Any]]) -> None:
    frames, row = played
    games = lines(frames, r"(thumbs up|finger gun) and \w+ (thumbs up|finger gun): influence gained")
    assert sum(match[n] == "finger gun" for match in games for n in (1, 2)) == row["guns"]
    assert len(lines(frames, "influence lost (on allies|by the war)")) > 0
    assert len(lines(frames, "^test of a Catholic victory, (met|not met): ")) == max(row["turns"] - 3, 0)


def test_successes_are_shown_after_the_roll_alone(played: tuple[list[Frame], dict[str, Any]]) -> None:
    for frame in played[0]:
        if frame.asked and frame.asked.decision.id == "D11":
            assert "successes to place" not in frame.position() and "Faith dice to roll" in frame.position()


def test_texts_are_words_and_no_codes(played: tuple[list[Frame], dict[str, Any]]) -> None:
    for frame in played[0]:
        options = frame.asked.labels if frame.asked else ()
        for text in [frame.label, *frame.asides, *options, *position(frame.position())]:
            assert not re.search(r"swap\(|\bDI\b|\bIP\b|\bM\d|\d\d\*| -> ", text), text


def test_hexes_have_the_numbers_of_the_map_and_its_land_is_coloured(
    played: tuple[list[Frame], dict[str, Any]],
) -> None:
    frames, _ = played
    shown = {name for _, _, _, name, *_ in Reel(Film(frames[0].at.match, 2, 0)).head()["map"]["hexes"]}  # type: ignore[arg-type]
    for frame in frames:
        for text in [frame.label, *frame.asides]:
            assert set(re.findall(r"\d+/\d+", text)) <= shown
    for hex_ in hex_contents(frames[-1]).values():
        assert bool(hex_.owner) != bool(hex_.fill)


def test_played_in_parts_the_game_is_the_same() -> None:
    """Phase 1 is a step of its own: whoever plays without parts gets the same game."""
    match = match_of(6, {}, *BOTS)
    film, plain = Film(match, 2, 1), Stepper(match, 2, 1)
    while not plain.over:
        plain.apply(plain.policy_action())
    assert list(film)[-1].row() == plain.row()
