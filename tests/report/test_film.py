"""A game as a film: the same game as a replay, whichever way one steps through it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from simlab.cli.main import main
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.questions.notable_games.analysis import of_match
from simlab.questions.replay.analysis import replay
from simlab.questions.replay.film import Film
from simlab.questions.replay.narrative import game_lines
from simlab.questions.replay.page import Reel, film_page
from simlab.registry import load_game
from tests.cli.forms import hold_to_form

SIEGE = {"besieger": "random", "besieged": "random"}


@pytest.fixture(scope="module")
def match() -> Match:
    return Match(load_game("simple_siege"), bots=SIEGE)


@pytest.fixture
def film(match: Match) -> Film:
    return Film(match, 1, 3)


def scenes(film: Film, seat: int | None = None) -> list[dict]:
    """All that the page knows of each frame, texts in place of numbers left as they are."""
    reel = Reel(film, seat)
    return [reel.head(), reel.piece()]


def test_a_film_is_the_game_that_a_run_plays(match: Match, film: Film) -> None:
    decided = [frame for frame in film if frame.open]
    stepper = Stepper(match, 1, 3)
    for frame in decided:
        stepper.legal()
        assert frame.at.copy().legal() == stepper.legal()
        assert frame.at.decisions == stepper.decisions
        stepper.apply(stepper.policy_action())
    assert film.frames[-1].row() == stepper.row() == bulk_row(match)
    assert film.frames[-1].over


def test_a_bot_that_fails_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "boom.py"
    bot.write_text(
        'from simlab.game import policy\n\n\n@policy("simple_siege", seats=["besieger"])\n'
        'def boom(state, knobs, cards, traits):\n    """Fails."""\n    return 1 // (state.turn - state.turn)\n'
    )
    with pytest.raises(SystemExit, match="4"):
        main(["replay", "simple_siege", "--bot", f"besieger={bot}:boom", "--bot", "besieged=warden"])
    said = capsys.readouterr().err
    assert re.search(r"decision \d+: bot '\S+boom' \(besieger\) raised ZeroDivisionError", said)
    assert said.count("raised") == 1


def bulk_row(match: Match) -> dict:
    """The row as bulk play has it."""
    row = match.play(1, 3, 1).rows[0]
    return {name: row[name].tolist() for name in match.game.row_type.names or ()}


def test_a_replay_tells_what_the_film_shows(match: Match, film: Film) -> None:
    lines = list(game_lines(Film(match, 1, 3)))
    labels = [f"  {frame.label}" for frame in film if frame.move]
    assert [line for line in lines if line in labels] == labels
    fired = [line for line in lines if line.startswith("    rules: ")]
    assert len(fired) == sum(bool(frame.fired) for frame in film)
    total = sum(n for frame in film for rule, n in frame.fired if rule.id == "SS-CON-04")
    assert total == int(film.frames[-1].at.state.fired[[r.id for r in match.game.rules].index("SS-CON-04")])


def test_back_and_forward_shows_the_same_frames(match: Match, film: Film) -> None:
    once = scenes(film)
    back = Film(match, 1, 3)
    for number in (12, 3, 40, 0, 7):
        assert back[number].position() == film[number].position()
        assert back[number].changes() == film[number].changes()
    assert scenes(back) == scenes(film) == once


def test_another_line_begins_at_the_choice_and_the_same_choice_changes_nothing(film: Film) -> None:
    whole = scenes(film)[1]
    number = film.of_decision(9)
    assert number is not None
    asked, chosen = film[number].asked, film.chosen(number)
    assert asked is not None and chosen is not None
    assert scenes(film.branch(number, chosen.action))[1] == whole
    other = next(action for action in asked.actions if action != chosen.action)
    line = film.branch(number, other)
    assert scenes(line)[1]["frames"][:number] == whole["frames"][:number]
    assert line[number + 1].move is not None and line[number + 1].move.instead == chosen.label
    again = Film(film.match, 1, 3, line.choices)  # a line is known by its choices alone
    assert scenes(again) == scenes(line)
    assert list(line.branch(number, chosen.action))[-1].row() == film.frames[-1].row()  # and taken back


def test_mistakes_in_a_branch(film: Film) -> None:
    with pytest.raises(InputError, match="is not legal"):
        film.branch(0, 9_999)
    last = len(list(film)) - 1
    with pytest.raises(InputError, match="nothing is decided"):
        film.branch(last, 0)


def positions(pieces: list[dict]) -> list[dict[str, object]]:
    """The positions as film.js makes them of the data."""
    values = [value for piece in pieces for value in piece["values"]]

    def shown(number: int) -> object:
        value = values[number]
        return tuple(map(shown, value)) if isinstance(value, tuple) else value

    frames = [frame for piece in pieces for frame in piece["frames"]]
    return [{shown(name): shown(value) for name, value in frame["pos"]} for frame in frames]


def test_the_data_hold_every_position_also_of_another_line(film: Film) -> None:
    reel = Reel(film)
    pieces = [reel.piece(7), reel.piece()]
    assert positions(pieces) == [frame.position() for frame in film]
    number = film.of_decision(9)
    assert number is not None
    asked, chosen = film[number].asked, film.chosen(number)
    assert asked is not None and chosen is not None
    line = film.branch(number, next(action for action in asked.actions if action != chosen.action))
    reel.go_over_to(line, number)
    further = reel.piece()
    before = [
        {**piece, "frames": [f for f, n in zip(piece["frames"], range(start, 999)) if n < number]}  # noqa: B905
        for piece, start in zip(pieces, (0, 7), strict=True)
    ]
    assert positions([*before, further]) == [frame.position() for frame in line]


def test_chances_are_those_of_the_futures(film: Film) -> None:
    last = len(list(film)) - 1
    won = film.frames[-1].row()["winner"]
    assert [chance.value for chance in film.chances(last).values()] == [float(seat == won) for seat in range(2)]
    start = film.chances(0, futures=50)
    assert sum(chance.value for chance in start.values()) == pytest.approx(1)
    assert all(chance.low < chance.value < chance.high for chance in start.values() if 0 < chance.value < 1)
    assert film.chances(0, futures=50) == start
    assert sum(chance.value for chance in film.chances(0, futures=20, seat=0).values()) == pytest.approx(1)


def test_one_seat_sees_only_its_own_cards(match: Match) -> None:
    """What a seat sees of a frame is the same after what it cannot see was drawn anew."""
    secret = False
    for frame in Film(match, 1, 3):
        for seat in range(2):
            twin = frame.at.copy()
            twin.redraw(seat)
            assert twin.describe(seat) == frame.position(seat)
            if frame.asked and frame.asked.place == seat:
                assert tuple(twin.label(action) for action in twin.legal()) == frame.asked.labels
            secret |= frame.hidden_from(seat)
    assert secret
    film = Film(match, 1, 3)
    page = json.dumps(scenes(film, seat=1))
    own = {label for frame in film if frame.asked and frame.asked.place == 1 for label in frame.asked.labels}
    orders = {frame.move.label for frame in film if frame.hidden_from(1) and frame.move} - own
    assert orders and not any(label in page for label in orders)
    printed = "\n".join(game_lines(Film(match, 1, 3), brief=True, seat=1))
    assert "decides in secret" in printed and not any(label in printed for label in orders)
    data = replay(Film(match, 1, 3), seat=1).to_json()
    assert data["frames"][-1]["number"] == film.frames[-1].number and data["end"]["winners"]
    hidden = [frame["move"] for frame in data["frames"] if frame["move"] and frame["move"]["action"] is None]
    assert hidden and all(move["code"] is move["options"] is move["instead"] is None for move in hidden)
    played = json.dumps(data["frames"], ensure_ascii=False)
    assert not any(label in played for label in orders)
    hold_to_form(data)
    shown = replay(Film(match, 1, 3)).to_json()
    assert any(label in json.dumps(shown, ensure_ascii=False) for label in orders)
    assert [f["move"]["code"] for f in shown["frames"] if f["move"]] == [f.move.action for f in film if f.move]


def test_the_page_is_one_safe_file(film: Film) -> None:
    page = film_page(film)
    assert len(page) < 150_000
    assert not re.search(r"(?:src|href)=|https?://(?!www\.w3\.org/2000/svg)", page.replace("data-src", ""))
    data = re.search(r'id="film-data">(.*?)</script>', page, re.S)
    assert data and "<" not in data[1]
    known = json.loads(data[1])
    assert len(known["pieces"][0]["frames"]) == len(film.frames)
    assert "script-src 'sha256-" in page


def test_a_line_is_told_by_its_command(film: Film, capsys: pytest.CaptureFixture[str]) -> None:
    asked, chosen = film[0].asked, film.chosen(0)
    assert asked is not None and chosen is not None
    other = next(action for action in asked.actions if action != chosen.action)
    line = film.branch(0, other)
    words = shlex.split(line.command)
    assert words[0] == "simlab" and words[-2:] == ["--choose", f"1={other}"]
    with pytest.raises(SystemExit, match="0"):
        main([*words[1:], "--brief", "-q"])
    printed = capsys.readouterr().out.splitlines()
    assert [text for text in printed if text.startswith("turn ")] == [
        f"turn {frame.move.turn:>3}  {frame.label}" for frame in line if frame.move
    ]
    for wrong in ("1", "0=3", "a=b", "1=999"):
        with pytest.raises(SystemExit, match="2"):
            main([*words[1:-1], wrong, "-q"])
        assert "999 is not legal" in (fault := capsys.readouterr().err) or "as in --choose 12=3" in fault


def test_notable_games_match_their_rows(match: Match) -> None:
    rows = match.play(1, 0, 60).rows
    found = of_match(match, 1, 60, sample=2).games
    notable = {one.kind: one for one in found}
    assert rows["turns"][notable["longest"].game] == rows["turns"].max() == notable["longest"].turns
    assert rows["turns"][notable["shortest"].game] == rows["turns"].min()
    ended = [one for one in found if one.kind == "ending"]
    assert ended and all(match.game.endings[int(rows["ending"][one.game])] == one.ending for one in ended)
    assert notable["biggest upset"].game < 2 and notable["largest swing"].game < 2


OTHERS = """
import json
import numpy as np
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.questions.notable_games.analysis import of_match
from simlab.registry import at_table, load_game
from simlab.questions.replay.film import Film, hex_contents
from simlab.questions.replay.page import Reel

def same(one, other):
    return all(np.array_equal(one.state[name], other.state[name]) for name in one.game.state.names)

game = load_game("tests/search/tic_tac_toe")
bots = dict.fromkeys(game.seats, "lookahead:iterations=16:caution=0")
film, looked = Film(Match(game, bots=bots), 1, 0), 0
for frame in film:
    tried, chosen = [row for row in frame.considered() if row.visits], film.chosen(frame.number)
    if chosen and len(tried) > 1:  # the search shown is the one that chose, not one with other luck
        best = max((row.visits, row.value) for row in tried)
        assert chosen.action in [row.action for row in tried if (row.visits, row.value) == best]
        looked += 1
assert looked > 3

for slug, players in (("montsegur", None), ("mighty_fortress", None), ("westphalia", 5), ("lowenheim", None)):
    game = load_game(slug, players)
    match = Match(game, bots=dict.fromkeys(game.seats, "random"))
    film, stepper, redrawn = Film(match, 1, 3), Stepper(match, 1, 3), 0
    for frame in film:
        if frame.number >= 60:
            break
        if frame.open:
            stepper.legal()
            twin = frame.at.copy()
            twin.legal()
            assert same(twin, stepper), (slug, frame.number)
            stepper.apply(stepper.policy_action())
        if frame.open and frame.number % 20 == 0:
            for seat in range(0, len(game.seats), 2):
                twin = frame.at.copy()
                twin.redraw(seat)
                assert twin.describe(seat) == frame.position(seat), (slug, frame.number, seat)
                redrawn += 1
    number = max(n for n in range(55) if film[n].open)
    line = film.branch(number, film.chosen(number).action)
    assert all(same(line[n].at, film[n].at) for n in range(60))
    piece = Reel(film).piece(30)
    assert len(json.dumps(piece)) < 400_000
    numbers = {h.number for h in game.hex_map.hexes(match.table_rows)} if game.hex_map else set()
    lying = hex_contents(film[50])
    assert set(lying) <= numbers and bool(lying) == bool(numbers)
    assert all(len(hex_.text) <= 6 and hex_.owner in ("", "enemy", *game.seats) for hex_ in lying.values())
    if slug == "lowenheim":  # the steps of its turn, and what the dice settled
        steps = {frame.part: frame.asides for frame in film.frames if frame.move is None}
        assert {"Special event card", "Enemy movement", "Enemy combat"} <= set(steps)
        event = film.frames[59].position()["cards of this turn"]
        assert steps["Special event card"] == (f"event: {event}",)
        assert any("attacks, " in text for text in steps["Enemy combat"])
    print(slug, redrawn)
"""


def test_films_of_the_large_games_in_plain_python() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OTHERS], env=dict(os.environ, NUMBA_DISABLE_JIT="1"), capture_output=True, text=True,
        cwd=Path(__file__).parents[2], timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "montsegur", "mighty_fortress", "westphalia", "lowenheim",
    ]  # fmt: skip
