"""Bulk play: the same games whatever the batch, thread or mode (D2 to D4, D6); faults that name the game (R3)."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.engine.tally import Tally
from simlab.errors import BotFault, InputError
from simlab.game import MAX_TRAITS, Trait, policy, trait_names
from simlab.registry import load_game

PAIRS = [("random", "random"), ("stormer", "warden"), ("planner", "steward"), ("quartermaster", "cook")]


@pytest.fixture(scope="module")
def game():
    return load_game("simple_siege")


def match(game, besieger="random", besieged="random", **more) -> Match:
    return Match(game, bots={"besieger": besieger, "besieged": besieged}, **more)


def digest(rows: np.ndarray) -> str:
    columns = b"".join(
        np.ascontiguousarray(rows[name]).tobytes() for name in ("winner", "ending", "turns", "decisions")
    )
    return hashlib.sha256(columns).hexdigest()[:16]


@pytest.mark.parametrize("pair", PAIRS)
def test_batches_threads_and_order_do_not_matter(game, pair) -> None:
    table = match(game, *pair)
    whole = table.play(3, 100, 1024)
    for size in (1, 7, 64, 1024):
        firsts = list(range(100, 100 + (1024 if size > 1 else 40), size))
        for order in (firsts, firsts[::-1]):
            parts = {first: table.play(3, first, min(size, 1124 - first)).rows for first in order}
            joined = np.concatenate([parts[first] for first in firsts])
            assert (joined == whole.rows[: joined.size]).all()
    with ThreadPoolExecutor(4) as pool:
        batches = list(pool.map(lambda first: table.play(3, first, 128), range(100, 1124, 128)))
    assert (np.concatenate([b.rows for b in batches]) == whole.rows).all()
    total = Tally.empty(game)
    for batch in batches:
        total = total + batch.tally
    assert json.dumps(total.to_dict()) == json.dumps(whole.tally.to_dict())


def test_golden_outcomes(game) -> None:
    """D2: these change when a rule, a stream or a bot changes, and never by chance."""
    golden = json.loads((Path(__file__).parent / "golden.json").read_text())
    now = {f"{a} {b}": digest(match(game, a, b).play(0, 0, 1000).rows) for a, b in PAIRS}
    assert now == golden, (
        "outcomes changed: if a rule or a bot was meant to change, write tests/engine/golden.json anew"
    )


def test_one_game_alone_is_the_game_in_the_batch(game) -> None:
    for pair in PAIRS:
        table = match(game, *pair)
        rows = table.play(9, 1_234_567_000_000, 6).rows
        for i in range(6):
            stepper = Stepper(table, 9, 1_234_567_000_000 + i)
            while not stepper.over:
                stepper.apply(stepper.policy_action())
            alone = stepper.row()
            assert all(np.array_equal(alone[name], rows[i][name]) for name in rows.dtype.names)


def test_other_luck_for_one_stream_leaves_the_rest(game) -> None:
    """The Besieger's deck is dealt anew: the Besieged's cards, and a bot that draws nothing, stay as they were."""
    table = match(game, "stormer", "warden")
    base, again = table.play(1, 0, 300), table.play(1, 0, 300, epochs={"besieger_deck": 1})
    assert (base.rows != again.rows).any()
    assert (table.play(1, 0, 300, epochs={"besieger_deck": 1}).rows == again.rows).all()
    still = table.play(1, 0, 300, epochs={"bot_besieger": 1, "bot_besieged": 1})
    assert (still.rows == base.rows).all(), "these bots draw no numbers"
    with pytest.raises(InputError, match="no stream 'dice'"):
        table.play(1, 0, 1, epochs={"dice": 1})


def test_futures_of_a_position_are_games_of_their_own(game) -> None:
    table = match(game)
    stepper = Stepper(table, 4, 2)
    for _ in range(12):
        stepper.apply(stepper.policy_action())
    before = stepper.state.tobytes()
    futures = table.play(4, 0, 400, start=stepper.state)
    assert stepper.state.tobytes() == before
    assert (table.play(4, 100, 50, start=stepper.state).rows == futures.rows[100:150]).all()
    assert (futures.rows["turns"] >= int(stepper.state.turn)).all()
    assert len(np.unique(futures.rows[["winner", "turns", "decisions"]])) > 50
    # The first decision is random among the legal ones, so each is taken about equally often in the futures.
    legal = stepper.legal()
    decision = (stepper.game.seats.index(stepper.seat), int(stepper.state.decision))
    taken = futures.tally.used_games[decision][legal]
    assert (taken > 0).all()


PLAIN = """
import json, sys
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game
pairs = json.loads(sys.argv[1])
game = load_game("simple_siege")
matches = [Match(game, bots={"besieger": a, "besieged": b}) for a, b in pairs]
print(json.dumps([[Stepper(match, 5, index).finish() for index in range(50)] for match in matches]))
"""


def test_plain_python_plays_the_same_games_as_the_compiled_code(game) -> None:
    """D6: 200 games under NUMBA_DISABLE_JIT=1."""
    run = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PLAIN, json.dumps(PAIRS)],
        env=dict(os.environ, NUMBA_DISABLE_JIT="1"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    here = [[Stepper(match(game, a, b), 5, index).finish() for index in range(50)] for a, b in PAIRS]
    assert json.loads(run.stdout) == json.loads(json.dumps(here))


def test_a_bots_own_luck_leaves_the_rules_luck_alone(game) -> None:
    """D5: a random Besieged who draws from his own stream sees the same decks as a waiter."""
    for index in range(20):
        decks = []
        for other in ("random", "raider"):
            stepper = Stepper(match(game, "waiter", other), 2, index)
            for _ in range(3):
                if not stepper.over:
                    stepper.apply(stepper.policy_action())
            decks.append([int(c) for c in stepper.state.pile[0, : int(stepper.state.pile_len[0])]][:1])
        assert decks[0] == decks[1]


def test_tallies_survive_json_and_refuse_damage(game) -> None:
    tally = match(game, "rusher", "mason").play(1, 0, 300).tally
    data = json.loads(json.dumps(tally.to_dict()))
    assert json.dumps(Tally.from_dict(data, game).to_dict()) == json.dumps(tally.to_dict())
    for spoil in (
        lambda d: d["counts"].pop("fired"),
        lambda d: d["counts"]["fired"].update(shape=[10**12]),
        lambda d: d["counts"]["fired"].update(at=[10**6] * len(d["counts"]["fired"]["at"])),
        lambda d: d["metrics"].update(x=3),
        lambda d: d.update(games="many"),
    ):
        bad = json.loads(json.dumps(data))
        spoil(bad)
        with pytest.raises(InputError, match="damaged"):
            Tally.from_dict(bad, game)


def test_tally_agrees_with_the_rows(game) -> None:
    batch = match(game, "stormer", "mason").play(4, 0, 2000)
    tally, rows = batch.tally, batch.rows
    assert tally.games == 2000 == int(tally.outcomes.sum())
    for winner in (0, 1):
        assert int(tally.outcomes[winner + 2].sum()) == int((rows["winner"] == winner).sum())
    for ending, name in enumerate(game.endings):
        assert int(tally.outcomes[:, ending].sum()) == int((rows["ending"] == ending).sum()), name
    values, counts = tally.metrics["assaults"]
    assert int((values * counts).sum()) == int(rows["assaults"].sum())
    assert int(tally.chosen.sum()) == int(rows["decisions"].sum())
    assert int(tally.tracks[1, 0].sum()) == 2000
    # A Besieger without a card loses as the turn begins, before a decision: such a turn has no track.
    turns = int(rows["turns"].sum())
    assert int(tally.fired[[r.id for r in game.rules].index("SS-TRN-01")]) == turns
    undecided = turns - int(tally.tracks[:, 0].sum())
    assert 0 <= undecided <= int((rows["ending"] == game.endings.index("abandon")).sum())
    assert (tally.used_wins <= tally.used_games).all() and (tally.used_games <= tally.chosen).all()
    assert (tally.chosen <= tally.offered).all()


BAD_BOTS = '''
from simlab.engine.streams import bot_below
from simlab.game import policy

@policy("simple_siege")
def illegal(state, knobs, cards, traits):
    """Plays action 15 from turn 3 on."""
    return 15 if state.turn >= 3 else 0

@policy("simple_siege")
def raises(state, knobs, cards, traits):
    """Raises in turn 2."""
    if state.turn == 2:
        raise ValueError("out of ideas")
    return 0

@policy("simple_siege")
def broken(state, knobs, cards, traits):
    """Does not compile."""
    return state.no_such_field

@policy("simple_siege")
def half(state, knobs, cards, traits):
    """Returns half an action."""
    if state.decision == 1:
        return state.legal[0]
    return state.n_legal / 2

@policy("simple_siege")
def peeks(state, knobs, cards, traits):
    """Looks at the other side's next cards."""
    return 1 if state.deck[1 - state.seat, 0] % 2 == 0 and state.n_legal > 1 else state.legal[0]

@policy("simple_siege")
def meddles(state, knobs, cards, traits):
    """Moves the walls."""
    state.walls = 5
    state.walls = state.walls - 1
    return state.legal[0]

@policy("simple_siege")
def fickle(state, knobs, cards, traits):
    """Draws from the deck's stream."""
    from_deck = bot_below(state, 2)
    state.stream_at[4] += 1
    return state.legal[0] + 0 * from_deck
'''


@pytest.fixture
def bad_bots(tmp_path: Path) -> Path:
    path = tmp_path / "bad_bots.py"
    path.write_text(BAD_BOTS)
    return path


def test_an_illegal_action_names_bot_seat_game_seed_and_the_replay(game, bad_bots) -> None:
    table = match(game, f"{bad_bots}:illegal", "waiter", knobs={"walls_start": 6})
    with pytest.raises(BotFault) as caught:
        table.play(21, 40, 10)
    fault = caught.value
    assert (fault.index, fault.seed, fault.seat, fault.action) == (40, 21, "besieger", 15)
    for part in (
        "illegal", "besieger", "game 40", "seed 21", "action 15", "turn 3", "SS-D-01", "simlab replay simple_siege",
        "--game 40", "--set walls_start=6",
    ):  # fmt: skip
        assert part in str(fault)
    assert pickle.loads(pickle.dumps(fault)).index == 40


def test_a_bot_that_raises_is_named(game, bad_bots) -> None:
    with pytest.raises(BotFault, match=r"(?s)raises.*ValueError: out of ideas.*game 5 of seed 1, turn 2, besieged"):
        match(game, "waiter", f"{bad_bots}:raises").play(1, 5, 10)


def test_a_bot_that_does_not_compile_is_named(game, bad_bots) -> None:
    with pytest.raises(InputError, match=r"(?s)broken.*does not compile.*no_such_field"):
        match(game, f"{bad_bots}:broken").play(1, 0, 10)


def test_a_bot_that_returns_a_number_with_decimals_is_refused(game, bad_bots) -> None:
    with pytest.raises(InputError, match=r"(?s)half.*does not compile: .*, line \d+: returns a number with decimals"):
        match(game, f"{bad_bots}:half").play(1, 0, 10)


@pytest.mark.parametrize("seed", [-1, 1 << 63])
def test_a_seed_out_of_range_is_refused(game, seed) -> None:
    with pytest.raises(InputError, match="seed"):
        match(game).play(seed, 0, 1)


@pytest.mark.parametrize(
    ("bots", "complaint"),
    [
        ({"besieger": "random"}, "no bot for besieged"),
        ({"besieger": "random", "besieged": "random", "king": "random"}, "no seat 'king'"),
        ({"besieger": "rushe", "besieged": "random"}, "Did you mean 'rusher'"),
        ({"besieger": "mason", "besieged": "random"}, "plays besieged, not besieger"),
        ({"besieger": "rusher:treshold=0.5", "besieged": "random"}, "Did you mean 'threshold'"),
        ({"besieger": "rusher:threshold=2", "besieged": "random"}, r"outside 0\.\.1"),
        ({"besieger": "rusher:threshold=nan", "besieged": "random"}, r"outside 0\.\.1"),
        ({"besieger": "rusher:0.5", "besieged": "random"}, "not a setting"),
        ({"besieger": "./nowhere.py:bot", "besieged": "random"}, "no file"),
        ({"besieger": "", "besieged": "random"}, "write a name"),
    ],
)
def test_bots_that_are_not_there_are_refused_with_a_hint(game, bots, complaint) -> None:
    with pytest.raises(InputError, match=complaint):
        Match(game, bots=bots)


def test_traits_change_how_a_bot_plays(game) -> None:
    eager = match(game, "rusher:threshold=0:keep=40", "mason").play(1, 0, 500).rows
    plain = match(game, "rusher", "mason").play(1, 0, 500).rows
    assert eager["turns"].mean() < plain["turns"].mean()


MANY_TRAITS = """
from simlab.game import Trait, policy, trait_names
from simlab.games.simple_siege.state import BESIEGE, BESIEGER_ACTS, BOMBARD_ENEMY

T = trait_names(
    **{f"spare_{i}": Trait(0, 0, 1, "nothing") for i in range(19)},
    shoots=Trait(0, 0, 1, "bombards the enemy"),
)

@policy("simple_siege", seats=["besieger"], traits=T)
def gunner(state, knobs, cards, traits):
    \"\"\"Waits, or bombards the enemy.\"\"\"
    if state.decision != BESIEGER_ACTS:
        return state.legal[0]
    return BOMBARD_ENEMY if traits[T.shoots] > 0 else BESIEGE
"""


def test_traits_are_read_by_name_and_may_be_many(game, tmp_path) -> None:
    path = tmp_path / "many.py"
    path.write_text(MANY_TRAITS)
    waits, shoots = (f"{path}:gunner{setting}" for setting in ("", ":shoots=1"))
    actions = [match(game, bot, "waiter").play(1, 0, 20).tally.chosen[0, 0] for bot in (waits, shoots)]
    assert actions[0][0] > 0 and actions[0][3] == 0
    assert actions[1][0] == 0 and actions[1][3] > 0
    many = {f"t{i}": Trait(0, 0, 1, "nothing") for i in range(MAX_TRAITS + 1)}
    with pytest.raises(ValueError, match=f"at most {MAX_TRAITS} traits"):
        policy("simple_siege", traits=trait_names(**many))


def test_forced_draws_load_the_fate_deck(game) -> None:
    table = match(game, "waiter", "waiter")
    red_court, red_joker = 0, 12
    for place, kind in ((red_court, 0), (red_joker, 2)):
        stepper = Stepper(table, 1, 0, forced={"fate": [place]})
        for _ in range(2):
            stepper.apply(stepper.policy_action())
        assert int(stepper.state.fate[13]) == kind
    with pytest.raises(InputError, match="no stream 'fates'"):
        Stepper(table, forced={"fates": [1]})
