"""Restricted play: what is banned is not offered, in every game and to every kind of bot."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import simlab
from simlab.author.same import compare
from simlab.bot_registry import bots_for
from simlab.engine.match import Match
from simlab.engine.restricted_play import allowed
from simlab.engine.rollouts import Rollouts
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.game import Game
from simlab.questions.statistics.analysis import of_run
from simlab.registry import load_game
from simlab.spec.bans import by_name, cards_named, name_of, names_of, read_ban, word
from simlab.spec.contract import Decision
from simlab.spec.design import read_range
from tests.box import LARGE

BAZAAR = str(Path(__file__).parents[1] / "studies" / "bazaar.py")


def match(game: Game, ban: str, **bots: str) -> Match:
    return Match(game, knobs={"ban": ban}, bots={seat: bots.get(seat, game.default_bot) for seat in game.seats})


def most_taken(game: Game, seat: int) -> tuple[int, int]:
    """Kind and action that a seat takes most of those that it often has a choice about."""
    counts = match(game, "none").play(3, 0, 60).tally.counts
    often = np.minimum(counts["chosen"], counts["offered"] - counts["chosen"])[seat]
    kind, action = np.unravel_index(int(often.argmax()), often.shape)
    return int(kind), int(action)


@pytest.mark.parametrize("slug", LARGE)
def test_a_banned_option_is_offered_only_where_nothing_else_is_legal(slug: str) -> None:
    game = load_game(slug)
    kind, action = most_taken(game, 0)
    text = f"{game.seats[0]}:{game.decisions[kind].id}/{action}"
    banned, plain = match(game, text), match(game, "none")
    offered = 0
    for index in range(20):
        stepper, free = Stepper(banned, 3, index), Stepper(plain, 3, index)
        while not stepper.over:
            legal = stepper.legal()
            if int(stepper.state.decision) == kind and int(stepper.state.seat) == 0:
                free._work[0] = stepper._work[0]
                all_legal = free.legal()
                offered += action in all_legal
                assert legal == ([a for a in all_legal if a != action] or [action])
                assert legal == allowed(game, stepper.state, banned.knobs[0], all_legal)
            stepper.apply(stepper.policy_action())
        if offered > 3:
            break
    assert offered
    counts = match(game, text).play(3, 0, 60).tally.counts
    assert counts["chosen"][0, kind, action] == counts["offered"][0, kind, action]  # only where it had to stay
    assert match(game, "none").play(3, 0, 60).tally.counts["chosen"][0, kind, action] > 0


def test_other_seats_keep_what_one_may_not_take() -> None:
    game = load_game("pig")
    first = game.seats[0]
    counts = match(game, f"{first}:hold").play(1, 0, 200).tally.counts["chosen"]
    assert counts[0, 0, 1] == 0 and counts[1, 0, 1] > 0


def test_an_option_that_is_the_only_one_stays() -> None:
    """All but `pass` is banned in Bazaar: nothing can be bought but rags, and then what is banned after all."""
    game = load_game(BAZAAR)
    goods = "+".join(f"ann:{word(name)}" for name in names_of(game, 0) if name != "rags")
    stepper = Stepper(match(game, goods), 1, 0)
    seen = []
    while not stepper.over:
        if stepper.seat == "ann":
            seen.append([stepper.label(action) for action in stepper.legal()])
        stepper.apply(stepper.policy_action())
    assert [len(labels) for labels in seen[:1]] == [1] and "rags" in seen[0][0]
    assert len(seen[1]) > 1 and not any("rags" in label for label in seen[1])


def test_chance_decides_a_kind_of_decision_that_is_banned() -> None:
    """Kuhn poker: `bet` where pass and bet are legal is taken in half of the cases, whatever the bot."""
    game = load_game("kuhn_poker")
    (kind,) = {game.decisions[0].id}
    bot = next(name for name in bots_for(game, game.seats[0]) if name != "random")
    made = match(game, f"{game.seats[0]}:{kind}", **{game.seats[0]: bot})
    counts = made.play(7, 0, 40_000).tally.counts
    chosen, offered = counts["chosen"][0, 0], counts["offered"][0, 0]
    assert chosen.sum() == offered[0]
    assert abs(chosen[1] / offered[1] - 0.5) < 4 * 0.5 / np.sqrt(offered[1])
    assert counts["overruled"][0] > 0 and counts["overruled"][1] == 0


def test_a_bot_that_wants_what_is_banned_is_overruled_and_counted() -> None:
    game = load_game(BAZAAR)
    made = match(game, "ann:sword", ann="shopper", bob="shopper")
    counts = made.play(5, 0, 500).tally.counts
    assert counts["chosen"][0, 0, 1] == 0 and counts["chosen"][1, 0, 1] == 500
    assert not counts["overruled"].any()  # the shopper asks what it can take
    siege = load_game("simple_siege")
    made = match(siege, "besieger:draw 0", besieger="stormer", besieged="warden")
    batch = made.play(5, 0, 50)
    overruled = 0
    for index in range(50):
        stepper = Stepper(made, 5, index)
        while not stepper.over:
            own = int(made.compiled.players[int(stepper.state.seat)](  # the bot's own answer, at a copy
                stepper.copy()._work.view(np.ndarray).view(siege.state)[0], made.knobs[0], made.cards[0],
                made.traits[int(stepper.state.seat)],
            )) if stepper.legal() else -1  # fmt: skip
            taken = stepper.policy_action()
            overruled += own != taken
            stepper.apply(taken)
        row = stepper.row()
        assert row["turns"] == batch.rows["turns"][index] and row["winners"] == batch.rows["winners"][index]
    assert overruled == batch.tally.counts["overruled"].sum() > 0


def test_a_report_shows_how_often_bots_were_overruled(tmp_path: Path) -> None:
    bots = {"besieger": "stormer", "besieged": "warden"}
    knobs = {"ban": "besieger:draw 0"}
    run = simlab.run("simple_siege", bots, 60, knobs=knobs, out=tmp_path / "run", backend="threads")
    (table,) = (one for one in of_run(run).statistics if one.name == "overruled")
    assert [line.name for line in table.lines] == ["besieger", "besieged"]


@pytest.mark.parametrize("bot", ["lookahead:iterations=20:playout=random", "ismcts:iterations=20:playout=random"])
def test_bots_that_look_ahead_know_of_the_ban(bot: str) -> None:
    """Without `hold` all points of Pig come from rolling on; a bot that looks ahead is never overruled."""
    game = load_game("simple_siege")
    made = match(game, "assault", besieger=bot, besieged="warden")
    counts = made.play(2, 0, 6).tally.counts
    assert not counts["overruled"].any()
    names = names_of(game, 0)
    assert counts["chosen"][0, 0, list(names["Assault"])].sum() == 0


def test_a_class_under_a_ban_still_plays_as_plain_python() -> None:
    """The first games of a match are compared with plain Python (simlab.author.same), banned options left out."""
    game = load_game("harbour")
    counts = match(game, "idle").play(1, 0, 50).tally.counts
    assert counts["chosen"].sum() > 0


def test_values_are_read_by_name_kind_or_number() -> None:
    game = load_game("simple_siege")
    knob = game.knobs["ban"]
    assert knob.parse("Besieger:Assault".replace("Besieger", "besieger")) == "besieger:assault"
    assert knob.parse("SS-D-01/Assault + besieged:SS-D-05/2+none") == "besieged:ss-d-05/2+ss-d-01/assault"
    assert knob.parse("none") == "none"
    assert knob.parse("Construct Ladders") == "construct-ladders"
    packed = game.pack_knobs(game.resolve_knobs({"ban": "besieged:ss-d-05/2"}))
    assert packed["ban_any"][0] == 1 and packed["ban_actions"][0, 4, 2] == 2 and packed["ban_actions"].sum() == 2
    values = read_range(knob, "*", "--vary")
    assert values[0] == "none" and "ss-d-01/assault" in values
    for value in values:
        assert knob.parse(value) == value


def test_options_without_fixed_names_are_known_by_what_they_are_called() -> None:
    game = load_game("westphalia")
    packed = game.pack_knobs(game.resolve_knobs({"ban": "offensive"}))
    kinds, actions = np.nonzero(packed["ban_actions"][0])
    assert {game.decisions[kind].name for kind in kinds} == {"Doctrine"} and list(actions) == [2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("besieger:asault", "Did you mean 'assault'"),
        ("attacker:assault", "no seat 'attacker'"),
        ("SS-D-99/assault", "no decision 'SS-D-99'"),
        ("SS-D-01/999", "numbered 0"),
        ("", "no option"),
        (":assault", "no seat before ':'. Name one, such as besieger:assault, or leave ':' out"),
    ],
)
def test_a_wrong_ban_is_refused_with_what_is_right(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        load_game("simple_siege").resolve_knobs({"ban": text})


def test_the_options_of_a_class_over_cards_are_all_known_and_copies_are_banned_together() -> None:
    """Caravan: random play hardly ever settles a silk lord, of which there are three copies."""
    game = load_game("caravan")
    cards = [str(row["name"]) for row in game.own_tables["cards"]]
    settle = names_of(game, 0)
    assert list(settle) == [*(f"settle {card}" for card in cards), "none"]
    for text in ("settle-silk-lord", "ann:D-1/silk-lord"):
        packed = game.pack_knobs(game.resolve_knobs({"ban": text}))
        banned = np.flatnonzero(packed["ban_actions"][0, 0])
        assert tuple(banned) == settle["settle silk lord"] and len(banned) == 3
    assert "d-1/settle-silk-lord" in (game.knobs["ban"].every() or ())
    table = [{**row, "copies": 2} for row in game.own_tables["cards"]]
    assert {len(numbers) for numbers in names_of(game, 0, {"cards": table}).values()} == {1, 2}


def test_a_card_that_a_designer_adds_to_a_table_can_be_banned() -> None:
    game = load_game("harbour")
    rows = game.own_tables["buildings"]
    tables = {**game.own_tables, "buildings": [*rows, {**rows[0], "name": "anchor"}]}
    assert game.resolve_knobs({"ban": "ann:anchor"}, tables)["ban"] == "ann:anchor"
    with pytest.raises(InputError, match="no option 'anchor'"):
        game.resolve_knobs({"ban": "ann:anchor"})


def test_options_are_named_as_a_replay_labels_them() -> None:
    """Caravan's hands hold copies, which a replay numbers; Fens chooses among regions and routes."""
    for slug in ("caravan", "fens", "tricks"):
        game = load_game(slug)
        known = [
            {n: name for name, numbers in names_of(game, k).items() for n in numbers}
            for k in range(len(game.decisions))
        ]
        stepper = Stepper(Match(game.plain or game, bots=dict.fromkeys(game.seats, "random")), 3, 0)
        for _ in range(40):
            kind = int(stepper.state.decision)
            for action in () if game.decisions[kind].slots else stepper.legal():
                assert re.sub(r" \(\d+\)$", "", stepper.label(action)) == known[kind][action]
            stepper.apply(stepper.legal()[-1])


def test_a_name_that_did_not_come_up_in_the_sample_is_not_said_not_to_exist() -> None:
    """A game that does not list its options: the names are those of a few games, and the error says so."""
    game = SimpleNamespace(
        slug="toy", reference="toy", seats=("ann",), default_bot="random", decisions=[Decision("D-1", "move")],
        derived={"labels": {(0, 1): {"go north"}}}, own_tables={}, dice=(), option_names=lambda kind, tables: None,
        max_actions=4,
    )  # fmt: skip
    with pytest.raises(InputError, match="no option 'go south' came up in 4 games of random") as wrong:
        list(read_ban(game, "go south"))
    assert "has no option" not in str(wrong.value) and "D-1/0" in str(wrong.value)
    assert [ban.action for ban in read_ban(game, "D-1/3")] == [3]


@pytest.mark.parametrize("slug", ["harbour", "caravan"])
def test_a_banned_card_is_offered_to_others_and_not_to_the_seat(slug: str) -> None:
    """Plain Python and compiled code offer the same, wherever in the row the card lies."""
    game = load_game(slug)
    kind = next(number for number, decision in enumerate(game.decisions) if decision.slots)
    first = Stepper(match(game, "none"), 5, 0).state[game.decisions[kind].slots].tolist()  # in the row at the start
    name, copies = next(item for item in cards_named(game, kind).items() if first[0] in item[1])
    banned = match(game, f"{game.seats[0]}:{word(name)}")
    lay = dict.fromkeys(game.seats, 0)
    offered = dict(lay)
    for index in range(60):
        stepper = Stepper(banned, 5, index)
        while not stepper.over:
            if int(stepper.state.decision) == kind:
                row = stepper.state[game.decisions[kind].slots].tolist()
                legal = stepper.legal()
                places = [place for place, card in enumerate(row) if card in copies]
                lay[stepper.seat] += bool(places)
                offered[stepper.seat] += any(place in legal for place in places) and len(legal) > 1
            stepper.apply(stepper.policy_action())
    assert compare(banned, 5, 10) > 0
    assert min(lay.values()) > 5
    assert offered[game.seats[0]] == 0 and offered[game.seats[1]] > 0


def test_futures_follow_the_game_that_was_played_where_chance_decides() -> None:
    game = load_game("pig")
    banned = match(game, f"{game.seats[0]}:{game.decisions[0].id}")
    rows, futures = banned.play(1, 0, 8).rows, Rollouts(banned, 1, 1)
    for index in range(8):
        row = futures.row(futures.game(index)[-1:])
        assert (row["turns"][0], row["winners"][0]) == (rows["turns"][index], rows["winners"][index])


def test_an_option_whose_name_changes_is_called_by_the_words_that_stay() -> None:
    labels = {
        (0, 1): {"3 Guards in A2: move towards M1", "Captain: stay in M1"},
        (0, 2): {"pass"},
        (0, 3): {"one thing", "another matter"},
        (0, 4): {"offer to ann", "offer to bob"},
        (0, 5): {"go", "go now"},
        (0, 6): {"draw"},
        (0, 7): {"draw"},
    }
    game = SimpleNamespace(
        decisions=[Decision("D-1", "act", ())], derived={"labels": labels}, own_tables={},
        option_names=lambda kind, tables: None,
    )  # fmt: skip
    assert [name_of(game, 0, action) for action in range(1, 9)] == [
        "… M1 (action 1)", "pass", "action 3", "offer to … (action 4)", "go … (action 5)",
        "draw", "draw", "action 8",
    ]  # fmt: skip


def test_copies_of_a_card_are_one_card_of_a_deck() -> None:
    assert by_name(("oil 1_1", "oil 1_2", "S23", "round_1")) == {
        "oil 1": ("oil 1_1", "oil 1_2"), "S23": ("S23",), "round_1": ("round_1",),
    }  # fmt: skip
