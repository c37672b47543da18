"""A page written for one seat's eyes holds nothing that this seat cannot know: every game that hides something."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOOKS = """
import json, re
from itertools import islice
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import at_table, find_games, load_game
from simlab.questions.replay.film import Film, Frame, bots_moves
from simlab.questions.replay.page import Reel

BEGIN = {"westphalia": 150}  # decisions before the film begins: its first ones hide little
FRAMES = {"westphalia": 20, "lowenheim": 40, "montsegur": 40, "mighty_fortress": 20, "simple_siege": 40, "tricks": 40}

def shown_of(film, frames, seat):
    # All that a page would hold of some frames.
    some = Film(film.frames[0].at.copy(), moves=iter(()))
    some.frames, some._coming, some.chosen = frames, iter(()), film.chosen
    return Reel(some, seat).piece()

def frames_of(film, most, every, redrawn_for=None):
    # Frames of a film, one of so many; with what a seat cannot see drawn anew in each of them.
    frames = []
    for frame in list(islice(film, most))[::every]:
        at = frame.at
        if redrawn_for is not None:
            at = frame.at.copy()
            at.legal()
            at.redraw(redrawn_for)
            at.state.stream_at[:] = frame.at.state.stream_at  # the redraw's own luck is none of the game's
        frames.append(Frame(frame.number, at, frames[-1] if frames else None, frame.move, frame.part, frame.asides,
                            frame.last, frame.rolls))
    return frames

def look(name, players, most, every):
    game = load_game(name, players)
    stepper = Stepper(Match(game, bots=dict.fromkeys(game.seats, "random")), 1, 3)
    for _ in range(BEGIN.get(name, 0)):
        stepper.apply(stepper.policy_action())
    film = Film(stepper)
    hides = secrets = 0
    for seat in range(len(game.seats)):
        plain, redrawn = frames_of(film, most, every), frames_of(film, most, every, seat)
        hides += any(a.at.describe() != b.at.describe() for a, b in zip(plain, redrawn))
        assert shown_of(film, plain, seat) == shown_of(film, redrawn, seat), (name, game.seats[seat])
        for number, frame in enumerate(shown_of(film, film.frames[:most], seat)["frames"]):
            asked, move = frame.get("asks"), film[number].move
            assert asked is None or (asked[0] == seat) == (len(asked) > 2), "options are for whoever is asked"
            if move and move.decision.secret and move.place != seat:
                assert frame["did"][4] == 1 and not {"rules", "luck", "asides", "instead"} & set(frame)
                secrets += 1
    return hides, secrets

def names_kept(name, players, most, entry):
    # Cards that another seat has held since the set-up are named nowhere in the page.
    game = load_game(name, players)
    film = Film(Match(game, bots=dict.fromkeys(game.seats, "random")), 1, 3)
    frames, kept = list(islice(film, most)), 0
    for seat, own in enumerate(game.seats):
        page = json.dumps(Reel(film, seat).piece(len(frames)), ensure_ascii=False)
        for other in game.seats:
            held = [set(re.findall(entry, str(frame.position()[where]))) for frame in frames
                    for where in (f"{other}'s hand", f"{other}'s card") if where in frame.position()]
            for card in set.intersection(*held):
                known = re.search(rf"(?<!\\\\w){re.escape(card)}(?!\\\\w)", page)
                assert bool(known) == (other == own), (name, own, other, card)
                kept += other != own
    assert kept, name

for name, entry in find_games().items():
    if entry.source != "simlab":
        continue
    least = entry.load().players[0]
    print(name, *look(name, least or None, FRAMES.get(name, 30), 10 if name in FRAMES else 1))
for folder in ("harvest", "keep"):
    print(folder, *look(f"./tests/games_of_many/{folder}", None, 60, 1))
names_kept("kuhn_poker", None, 9, "jack|queen|king")
names_kept("tricks", 5, 20, "(?:10|[2-9AJQK])[CDHS]")
names_kept("montsegur", None, 9, r"S\\d\\d [\\w ,']+")
"""
#: Games whose positions hide nothing; the last one hides what the others have chosen so far, which no position shows.
OPEN = {"pig", "connect_four", "fens", "harbour", "mighty_fortress", "keep"}


@pytest.mark.long
def test_a_page_for_one_seat_is_the_same_whatever_it_cannot_see() -> None:
    """In plain Python, which compiles nothing: positions, options, map, changes and texts, for every seat's eyes."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKS], env=dict(os.environ, NUMBA_DISABLE_JIT="1"), capture_output=True, text=True,
        cwd=Path(__file__).parents[2], timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    seen = {name: (int(hides), int(secrets)) for name, hides, secrets in map(str.split, done.stdout.splitlines())}
    assert {name for name, (hides, _) in seen.items() if not hides} == OPEN
    assert all(seen[name][1] for name in ("harvest", "keep", "westphalia", "lowenheim", "simple_siege"))
