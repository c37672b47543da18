"""What breaks the contract is said with file, line, name and what to do (docs/kernels.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlab.engine.loop import FINE
from simlab.engine.match import Match
from simlab.engine.stepper import fault_of_offer
from simlab.errors import BotFault, InputError
from simlab.game import Game, read_knobs, read_ledger
from simlab.registry import load_game
from simlab.testing import ConformanceError, check_game
from tests.engine import high_card


def match(folder: Path) -> Match:
    game = load_game(str(folder))
    return Match(game, bots=dict.fromkeys(game.seats, "random"))


MISSPELT = {
    "a field, written": ("state.stake = action", "state.steak = action", "`state` has no field 'steak'", "stake"),
    "a field, read": ("row.staked = state.stake", "row.staked = state.hant[0]", "`state` has no field 'hant'", "hand"),
    "a column of the row": ("row.staked", "row.stakd", "`row` has no field 'stakd'", "staked"),
    "a knob": ("range(knobs.deck_size)", "range(knobs.deck)", "`knobs` has no field 'deck'", "deck_size"),
    "a rule": ("rule.H_2", "rule.H_22", "rule.H_22: there is no such name", "H_2"),
    "a constant": ("below(state, DEAL,", "below(state, DEEL,", "the name 'DEEL' is not defined", "DEAL"),
}


@pytest.mark.parametrize("what", MISSPELT)
def test_a_misspelt_name_in_a_kernel_is_shown_with_file_line_and_the_right_name(tmp_path: Path, what: str) -> None:
    old, new, message, right = MISSPELT[what]
    folder = high_card.write(tmp_path, ("rules.py", old, new))
    line = (folder / "rules.py").read_text().split(new)[0].count("\n") + 1
    with pytest.raises(InputError) as mistake:
        match(folder).compile()
    assert f"{folder / 'rules.py'}, line {line}: {message}. Did you mean '{right}'?" in str(mistake.value)


def test_a_misspelt_field_in_a_bot_is_shown_with_file_and_line(tmp_path: Path) -> None:
    folder = high_card.write(tmp_path)
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from simlab.game import policy\n\n@policy('high_card')\ndef mine(state, knobs, cards, traits):\n"
        '    """Looks at its card."""\n    return 1 + state.hands[0] // 5\n'
    )
    game = load_game(str(folder))
    broken = Match(game, bots={"first": f"{bot}:mine", "second": "random"})
    with pytest.raises(InputError, match=r"bot\.py, line 6: `state` has no field 'hands'\. Did you mean 'hand'\?"):
        _ = broken.compiled.players


def test_a_fault_while_a_game_is_imported_names_file_and_line(tmp_path: Path) -> None:
    folder = high_card.write(tmp_path, ("state.py", "SEATS = (", "SEATS = seats = NAMES + ("))
    with pytest.raises(InputError, match=r"state\.py, line 5: cannot be imported: NameError: name 'NAMES'"):
        load_game(str(folder))


KNOB = '[deck_size]\ndefault = 9\nrange = [4, 9]\nrules = ["H-1"]\nhelp = "cards in the deck"\n'
BAD_KNOBS = {
    "range = [1]": ("range = [4, 9]", "range = [1]", "range = [1] is not allowed: a range is two numbers, as [1, 6]"),
    "range of texts": ("range = [4, 9]", 'range = ["4", 9]', "range = ['4', 9] is not allowed"),
    "range downwards": ("range = [4, 9]", "range = [9, 4]", "range = [9, 4] is not allowed"),
    "range = 9": ("range = [4, 9]", "range = 9", "range = 9 is not allowed"),
    "options empty": ("range = [4, 9]", "options = []", "options = [] is not allowed"),
    "option twice": ("range = [4, 9]", 'options = ["a", "b", "a"]', "options name 'a' twice"),
    "range and options": ("help", 'options = ["9"]\nhelp', "has range and options"),
    "rules no list": ('["H-1"]', '"H-1"', "rules = H-1 is not allowed"),
    "help no text": ('"cards in the deck"', "1", "help = 1 is not allowed"),
    "key unknown": ("help", "hepl", "unknown key 'hepl'. Did you mean 'help'?"),
    "default of no table": ("= 9\n", '= {table = "decks", row = "a", column = "n"}\n', "there is no table 'decks'"),
    "default half a cell": ("default = 9", 'default = {table = "decks"}', "default takes a value, or {table"),
    "no table": ("[deck_size]\n", "deck_size = 9\n[other]\n", "[deck_size]: is not a table"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_KNOBS)
def test_a_knob_of_another_form_is_named_with_what_is_allowed(tmp_path: Path, what: str) -> None:
    old, new, message = BAD_KNOBS[what]
    assert old in KNOB
    path = tmp_path / "knobs.toml"
    path.write_text(KNOB.replace(old, new))
    with pytest.raises(InputError) as mistake:
        read_knobs(path)
    assert str(mistake.value).startswith(f"{path} [")
    assert message in str(mistake.value)


RULE = '[[rule]]\nid = "H-1"\ntext = "Deal."\nwhere = "p.1"\nstatus = "exact"\n'
BAD_LEDGERS = {
    "an ID twice": (RULE + RULE.replace("Deal", "Play"), "rule H-1: it is in the ledger already"),
    "a name in code twice": (RULE + RULE.replace("H-1", "H_1"), "rule H_1: H-1 has the same name in code"),
    "an ID that is a number": (RULE.replace('"H-1"', "1"), "rule 1: id = 1 is not allowed: it is a text"),
    "one rule without its brackets": (RULE.replace("[[rule]]", "[rule]"), "Begin each with [[rule]]"),
    "knobs no list": (RULE + 'knobs = "goal"\n', "rule H-1: knobs = goal is not allowed"),
}


@pytest.mark.parametrize("what", BAD_LEDGERS)
def test_a_rule_of_another_form_is_named(tmp_path: Path, what: str) -> None:
    text, message = BAD_LEDGERS[what]
    path = tmp_path / "ledger.toml"
    path.write_text(text)
    with pytest.raises(InputError) as mistake:
        read_ledger(path)
    assert str(mistake.value).startswith(str(path))
    assert message in str(mistake.value)


BAD_ROWS = {
    "a winner who is no seat": ({"winner": 5}, "winner = 5, but seats are numbered 0..1; -1 if nobody wins"),
    "a winner who is not among the winners": ({"winner": 1}, "winner = 1 and winners = 0b1."),
    "several winners, and one of them named": ({"winners": 3}, "is the only one, -2 if several win, -1 if none does"),
    "a winner, and nobody among the winners": ({"winners": 0}, "winner = 0 and winners = 0b0."),
    "a seat that is not there": ({"winners": 4, "winner": -2}, "a bit for each seat that wins, of 0..1;"),
    "an ending that is none": ({"ending": 2}, "ending = 2, but endings are numbered 0..1"),
    "a length below 0": ({"turns": -1}, "turns = -1"),
}  # fmt: skip


def row(game: Game, **columns: int) -> np.ndarray:
    rows = np.zeros(1, game.row_type)
    for name, value in ({"winner": 0, "winners": 1, "turns": 1, "game": 7} | columns).items():
        rows[name] = value
    return rows


@pytest.mark.parametrize("what", BAD_ROWS)
def test_a_row_that_contradicts_itself_is_refused(tmp_path: Path, what: str) -> None:
    table = match(high_card.write(tmp_path))
    columns, message = BAD_ROWS[what]
    with pytest.raises(
        BotFault, match=r"high_card, game 7 of seed 3: outcome .*rules.py, line \d+\) writes a row that"
    ) as fault:
        table._check_winners(3, row(table.game, **columns))
    assert message in str(fault.value)
    assert "simlab replay" in str(fault.value)


@pytest.mark.parametrize("columns", [{}, {"winner": -2, "winners": 3}, {"winner": -1, "winners": 0}])
def test_one_winner_several_and_none_are_all_possible(tmp_path: Path, columns: dict[str, int]) -> None:
    table = match(high_card.write(tmp_path))
    table._check_winners(3, row(table.game, **columns))


def test_play_refuses_rows_that_contradict_themselves(tmp_path: Path) -> None:
    table = match(high_card.write(tmp_path))

    def play_games(*arguments: Any) -> int:
        rows = next(a for a in arguments if isinstance(a, np.ndarray) and a.dtype == table.game.row_type)
        rows["winner"] = 5
        return FINE

    table.compiled.ready = (play_games, ())
    with pytest.raises(BotFault, match="winner = 5"):
        table.play(1, 2, 3)


BAD_OFFERS = {
    "beyond the last": (
        [1, 3],
        2,
        "action 3 is offered, but actions are numbered 0..2, since max_actions = 3. Raise it",
    ),
    "below 0": ([-1, 1], 2, "action -1 is offered, but actions are numbered 0..2"),
    "too many": ([0, 1, 2], 4, "offers 4 actions, but there is room for max_actions = 3"),
    "none": ([], 0, "offers nothing, but the game is not over"),
}


@pytest.mark.parametrize("what", BAD_OFFERS)
def test_offered_actions_are_held_against_max_actions(tmp_path: Path, what: str) -> None:
    legal, count, message = BAD_OFFERS[what]
    assert message in fault_of_offer(load_game(str(high_card.write(tmp_path))), legal, count)


def test_actions_must_be_offered_in_ascending_order(tmp_path: Path) -> None:
    offers = "    offer(state, 1)\n    offer(state, 2)\n"
    folder = high_card.write(tmp_path, ("rules.py", offers, "    offer(state, 2)\n    offer(state, 1)\n"))
    with pytest.raises(ConformanceError, match=r"legal actions \[2, 1\] must be ascending, each once") as it:
        check_game(load_game(str(folder)), games=3)
    assert "\nPosition: " in str(it.value) and "\nReplay it: simlab replay " in str(it.value)


def test_an_index_out_of_range_is_found_with_game_file_and_line(tmp_path: Path) -> None:
    """A wrong index that plays on in silence: it writes into the field behind."""
    folder = high_card.write(
        tmp_path,
        (
            "rules.py",
            "        state.ending = action - 1",
            "        state.hand[action] = 0\n        state.ending = action - 1",
        ),
    )
    line = (folder / "rules.py").read_text().split("state.hand[action]")[0].count("\n") + 1
    with pytest.raises(ConformanceError) as fault:
        check_game(load_game(str(folder)), games=3, bounds=True)
    assert (
        f"{folder / 'rules.py'}, line {line}, in apply_action (state.hand[action] = 0): index 2 is out of bounds"
        in str(fault.value)
    )
    assert re.search(r"in game \d+ of seed 1\.", str(fault.value))
