"""The map of hexes in the report: what it adds up, how it is drawn, what it says."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simlab.engine.counts import hexes as counted
from simlab.errors import InputError
from simlab.game import Hex, HexMark
from simlab.questions.maps import analysis, words
from simlab.questions.maps.analysis import Maps, Mark
from simlab.report import figures
from simlab.report.html import render
from simlab.runs.view import View
from simlab.testing import ConformanceError, check_map
from tests.report.fake import HOSTILE, TURNS, results

GAMES = 200
MARKS = [
    {"name": "held", "help": "held by the enemy", "happens": False},
    {"name": "losses", "help": "figures lost", "happens": True},
]
#: two hexes of a yard, a street beside them, a wall and a canal
HEXES: list[dict[str, Any]] = [
    {"q": 0, "r": 0, "name": "Y1", "number": 0, "label": "Y", "area": "yard", "ground": "open"},
    {"q": 1, "r": 0, "name": "Y2", "number": 1, "label": "", "area": "yard", "ground": "open"},
    {"q": 2, "r": 0, "name": "street", "number": 2, "label": "", "area": "", "ground": "open"},
    {"q": 0, "r": 1, "name": "wall", "number": -1, "label": "", "area": "", "ground": "blocked"},
    {"q": 1, "r": 1, "name": "canal", "number": -1, "label": "", "area": "", "ground": "water"},
]


def with_map(hostile: str = "") -> Any:
    """Results of 200 games that reach turn 10, and half of them turn 20: Y1 is held in half of these, Y2 lost a figure
    in turn 3 of each game."""
    made = results(games=GAMES)
    made.manifest["names"] |= {
        "n_hexes": 4,
        "hex_marks": [{**mark, "help": mark["help"] + hostile} for mark in MARKS],
        "hexes": [
            {**h, "name": h["name"] + hostile, "area": (h["area"] + hostile) if h["area"] else ""} for h in HEXES
        ],
    }
    games = np.zeros(TURNS + 1, np.uint64)
    games[1:11], games[11:21] = GAMES, GAMES // 2
    sums = np.zeros((TURNS + 1, 2, 4), np.int64)
    sums[11:21, 0, 0] = GAMES // 4
    sums[3, 1, 1] = GAMES
    squares = np.zeros((2, 4), np.int64)
    squares[0, 0] = GAMES // 4 * 10**2
    squares[1, 1] = GAMES
    made.cells[0].tally.counts |= {"hex_games": games, "hex_sums": sums, "hex_squares": squares}
    return made


def answer() -> Maps:
    return analysis.of_run(View(with_map()))


def held() -> Mark:
    return answer().marks[0]


def lost() -> Mark:
    return answer().marks[1]


def test_a_turn_counts_the_games_that_reached_its_end() -> None:
    by_turn = {turn: list(values.values()) for turn, values in held().by_turn.items()}
    assert by_turn[16] == [0.5, 0, 0] and by_turn[5] == [0, 0, 0]
    assert lost().peak is not None and (lost().peak.turn, lost().peak.value) == (3, 1)


def test_a_game_counts_turns_or_what_happened() -> None:
    assert [one.value for one in held().per_game.values()] == [2.5, 0, 0]
    assert [one.value for one in lost().per_game.values()] == [0, 1, 0]


def test_the_interval_is_that_of_a_mean_over_games() -> None:
    found = held().per_game[0]  # 10 turns in a quarter of the games
    half = 1.97196 * (18.75 / (GAMES - 1)) ** 0.5  # Student, 199 degrees of freedom
    assert found.value == 2.5 and found.high == pytest.approx(2.5 + half, rel=1e-3)
    same = lost().per_game[1]
    assert same.value == 1 and same.low == pytest.approx(0.025 ** (1 / GAMES)) and same.full == "1 (in each game)"
    never = lost().per_game[0]  # it never happened: no interval of 0 to 0
    assert never.value == 0 and np.isnan([never.low, never.high]).all()


def test_it_reports_where_and_when() -> None:
    first, second = words.sentences(held(), answer())
    assert re.match(r"Held by the enemy: most on Y1 \(yard\), 2\.5 \(.*?\) turns per game", first), first
    assert "turn 11" in second and "50 %" in second
    assert "By place: yard 1; elsewhere 0; 1 per game in all." in list(words.sentences(lost(), answer()))


def test_a_set_up_that_counts_is_named() -> None:
    """Else a game of five rounds shows 5.2 rounds a game."""
    assert not held().set_up
    source = with_map()
    source.cells[0].tally.counts["hex_sums"][0] = 1
    made = analysis.of_run(View(source))
    assert made.marks[0].set_up and "(the set-up counts as one)" in next(words.sentences(made.marks[0], made))
    assert not made.marks[1].set_up


def test_the_turns_drawn_are_spread_from_the_first_to_the_last() -> None:
    shown = list(held().by_turn)
    assert len(shown) == analysis.PANELS and shown[0] == 1 and shown[-1] == 20 and shown == sorted(set(shown))


def test_a_line_runs_around_an_area_and_not_through_it() -> None:
    lines = words.borders(View(with_map()).hexes)
    assert len(lines) == 10  # two hexes have 12 sides, one of them shared
    left, right = words.center(View(with_map()).hexes[0])[0], words.center(View(with_map()).hexes[1])[0]
    middle = (left + right) / 2
    assert not any(a[0] == pytest.approx(middle) == b[0] for a, b in lines)


@pytest.mark.parametrize(
    ("most", "step"), [(0.37, 0.08), (3.0, 0.6), (1.0, 0.2), (4.9, 1.0), (0.0, 1.0), (1234.0, 250)]
)
def test_levels_are_short_numbers_and_reach_the_top(most: float, step: float) -> None:
    assert words.step_of(most, 5) == pytest.approx(step)
    assert words.level_of(most, words.step_of(most, 5)) <= 5 and words.level_of(0.0, step) == 0


def test_the_page_has_the_maps_in_colours_of_the_page() -> None:
    page = render(with_map())
    section = page[page.index('<section id="map">') : page.index('<section id="actions">')]
    assert section.count("<svg") == 4 and "var(--level-5)" in section and "var(--blocked)" in section
    assert not re.search(r"#fee8cb|#e8743b|#c3c9d3", section)
    assert "Y yard." in section and 'href="#map"' in page
    style = page[: page.index("</style>")]
    for name in ("--level-1", "--level-5", "--blocked", "--water"):
        assert style.count(f"{name}:") == 2  # light and dark


def test_a_game_without_a_map_has_no_such_section() -> None:
    assert 'id="map"' not in render(results())
    with pytest.raises(InputError, match="no map of hexes"):
        figures.hex_map(results())


def test_a_mark_that_is_not_there_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(InputError, match="losses"):
        figures.hex_map(with_map(), "loses")


def test_names_of_strangers_are_text() -> None:
    assert "<script" not in render(with_map(HOSTILE)).lower()


def test_the_loop_counts_states_and_what_was_added_in_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games on two hexes: hex 0 is held from turn 2 on, on hex 1 two figures fall in turn 1 and one in turn 2."""

    def hex_values(state: Any, knobs: Any, cards: Any, values: Any) -> None:
        values[0, 0] = state.held
        values[1, 1] = state.fallen

    monkeypatch.setattr(counted, "hex_values", hex_values)
    monkeypatch.setattr(counted, "HEX_HAPPENS", np.array([False, True]))
    sizes = {"turns": 5, "hex_marks": 2, "hexes": 2}
    counts = SimpleNamespace(
        **{c.name: np.zeros([sizes[str(axis)] for axis in c.axes], c.kind) for c in counted.counts()}
    )
    scratch = np.zeros(1, np.dtype(counted.scratch(sizes))).view(np.recarray)[0]
    for last in (2, 3):
        for turn in range(1, last + 1):
            counted.at_turn(
                counts, scratch, SimpleNamespace(turn=turn, held=turn > 2, fallen=min(turn - 1, 1) * 2), 0, 0
            )
        counted.at_end(counts, scratch, SimpleNamespace(turn=last, held=1, fallen=3), 0, 0, 0)
    assert counts.hex_games.tolist() == [0, 2, 2, 1, 0]
    assert counts.hex_sums[:, 0, 0].tolist() == [0, 0, 2, 1, 0]
    assert counts.hex_sums[:, 1, 1].tolist() == [0, 4, 1, 1, 0]
    assert counts.hex_squares.tolist() == [[1 + 4, 0], [0, 9 + 9]]


def checked(hexes_: tuple[Hex, ...], sums: list[int]) -> str:
    """What check_map says of a map whose marks sum up so on hex 0, in one turn that 10 games reached."""
    marks = (HexMark("held", "held"), HexMark("losses", "losses", happens=True))
    map_ = SimpleNamespace(hexes=lambda tables: hexes_)
    game: Any = SimpleNamespace(slug="yard", hex_map=map_, own_tables={}, n_hexes=2, hex_marks=marks)
    counts = {"hex_games": np.array([10], np.uint64), "hex_sums": np.array([[[n, 0] for n in sums]])}
    return check_map(game, counts)


@pytest.mark.parametrize(
    ("second", "sums", "fault"),
    [
        (Hex(0, 0, "b", 1), [0, 0], "a and b have one place"),
        (Hex(1, 0, "b", 0), [0, 0], "a and b have one place or one number"),
        (Hex(1, 0, "b", 2), [0, 0], "number 2, outside"),
        (Hex(1, 0, "b", 1), [11, 0], "mark held of which each is 0 or 1"),
        (Hex(1, 0, "b", 1), [10, -1], "mark losses of which each never falls"),
    ],
)
def test_a_map_that_is_not_sound_is_named(second: Hex, sums: list[int], fault: str) -> None:
    with pytest.raises(ConformanceError, match=fault):
        checked((Hex(0, 0, "a", 0), second), sums)


def test_a_sound_map_passes() -> None:
    said = checked((Hex(0, 0, "a", 0), Hex(1, 0, "b", 1), Hex(2, 0, "wall"), Hex(3, 0, "wall")), [10, 30])
    assert said.startswith("4 hexes on the map")
