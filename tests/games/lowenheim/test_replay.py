"""A replay of Lowenheim can be followed with the rulebook: dice, attackers, targets, groups, hexes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.games.lowenheim.rolls import _DICE, _Account
from simlab.games.lowenheim.state import (
    D_DISCARD,
    D_ORDER,
    D_WANT,
    LOST,
    N_ATTACKS,
    N_INTRUDER_ATTACKS,
    N_INTRUDER_WOUNDS,
    N_WOUNDS,
    SEATS,
    STARVED,
)
from simlab.questions.replay.film import Film, Frame
from simlab.questions.replay.narrative import game_lines
from simlab.registry import load_game

GAME = load_game("lowenheim")


@pytest.fixture(scope="module")
def match() -> Match:
    return Match(GAME, bots=dict.fromkeys(SEATS, "random"))


@pytest.fixture(scope="module")
def frames(match: Match) -> list[Frame]:
    return list(Film(match, seed=1, index=0))


def steps(frames: list[Frame]) -> Iterator[tuple[Frame, Frame]]:
    return ((frame.before, frame) for frame in frames if frame.before)


def more(before: Frame, after: Frame, counter: int, seats: int = 1) -> int:
    counts = slice(int(counter), int(counter) + seats)
    return int(after.at.state.count[counts].sum()) - int(before.at.state.count[counts].sum())


def test_the_account_of_a_part_ends_where_the_part_did(match: Match) -> None:
    stepper, compared = Stepper(match, 1, 0), 0
    knobs, cards = match.knobs.view(np.recarray)[0], match.cards.view(np.recarray)[0]
    while not stepper.over and compared < 150:
        action = stepper.policy_action()
        part, last = action, stepper.copy()
        for _ in stepper.apply_in_parts(action):
            if (last.state.stream_at[_DICE] != stepper.state.stream_at[_DICE]).any():
                played = _Account(knobs, cards).play(last.state, part, part < 0)
                # `legal` is scratch space: a rule asked for what may be done, and the answer was not cleared.
                different = [
                    name for name in GAME.state.names or ()
                    if name != "legal" and not np.array_equal(played[name], stepper.state[name])
                ]  # fmt: skip
                assert not different
                compared += 1
            last, part = stepper.copy(), -1
    assert compared > 50


def test_each_attack_has_a_line_with_its_dice_and_its_target(frames: list[Frame]) -> None:
    fights = 0
    for before, after in steps(frames):
        attacks = more(before, after, N_ATTACKS, 6) + more(before, after, N_INTRUDER_ATTACKS)
        wounds = more(before, after, N_WOUNDS, 6) + more(before, after, N_INTRUDER_WOUNDS)
        lines = [line for line in after.rolls if " attacks " in line]
        assert len(lines) == attacks
        assert sum("wounded" in line for line in lines) == wounds
        for line in lines:
            found = re.search(
                r"Fight ([\d+-]+), die (\d), makes (\d+); against Fight ([\d+-]+), die (\d), .* (\d+)[:;]", line
            )
            assert found, line
            assert sum(map(int, re.findall(r"-?\d+", found[1]))) + int(found[2]) == int(found[3])
        fights += attacks
    assert fights > 100


def test_the_dice_decide_as_the_rules_say(frames: list[Frame]) -> None:
    for line in (line for frame in frames for line in frame.rolls if " attacks " in line):
        mine, yours = (int(n) for n in re.findall(r"makes (\d+)", line))
        die, other = (int(n) for n in re.findall(r"die (\d), makes", line))
        assert (": hit" in line) == (mine > yours or (die == 6 and other != 6))
        wound = re.search(r"Strength (\d+), die (\d), against Toughness (\d+)(: no wound|; effect)", line)
        if wound:
            strength, die, tough = (int(n) for n in wound.groups()[:3])
            assert (wound[4] == "; effect") == (strength + die > tough or die == 6)


def test_a_discard_is_one_line(frames: list[Frame]) -> None:
    discards = 0
    for before, after in steps(frames):
        move = after.move
        discarding = move and move.decision is GAME.decisions[int(D_DISCARD)] and move.action
        if discarding and before.at.state.deck_len == after.at.state.deck_len:
            kind = move.label.removeprefix("discard ")
            assert after.changes() == [(f"{move.seat}'s hand", f"-1 {kind}")]
            discards += 1
    assert discards > 10


def test_orders_name_their_group(frames: list[Frame]) -> None:
    orders = [
        frame.move.label for frame in frames if frame.move and frame.move.decision is GAME.decisions[int(D_ORDER)]
    ]
    assert len(orders) > 50
    for label in orders:
        assert re.fullmatch(r".+ in \w+: (hold|stay in \w+|move towards \w+|escape through the tunnel)", label), label


def test_who_starves_does_so_under_its_own_name(frames: list[Frame]) -> None:
    starved = 0
    for before, after in steps(frames):
        now, then = (frame.at.state.status[:61] == int(STARVED) for frame in (after, before))
        for f in np.flatnonzero(now & ~then):
            owner = SEATS[int(after.at.match.cards["owner"][0][f])]
            assert after.label.endswith(f"Food: {owner}") or (after.move and after.move.seat == owner), after.label
            starved += 1
    assert starved > 10


def test_LW_WIZ_04_who_is_healed_is_named(match: Match) -> None:
    named = [line for frame in Film(match, seed=51, index=0) for line in frame.asides if " is healed " in line]
    assert len(named) >= 3
    assert all(re.fullmatch(r"(CG|PG|EL|WZ|BR|CA) .* in \w+ is healed and has \d wounds? left", line) for line in named)


def test_LW_CMD_10_a_figure_that_a_command_removes_is_named(match: Match) -> None:
    removed = 0
    for before, after in steps(list(Film(match, seed=51, index=1))):
        lost = (before.at.state.status != LOST) & (after.at.state.status == LOST)
        lines = [line for line in after.asides if line.endswith("is removed from the game")]
        assert len(lines) == int(lost.sum())
        assert all(re.match(r"(CG|PG|EL|BR|CA) [A-Z].* in \w+ is removed", line) for line in lines)
        removed += len(lines)
    assert removed >= 3


def test_LW_TRD_01_an_offer_that_the_partner_cannot_meet_is_declined_in_the_text(frames: list[Frame]) -> None:
    declined = 0
    for before, after in steps(frames):
        if after.move and after.move.decision is GAME.decisions[int(D_WANT)]:
            partner = SEATS[int(before.at.state.partner)]
            missing = after.move.action and not before.at.state.hand[before.at.state.partner, after.move.action - 1]
            assert (f"{partner} has no such card: declined" in after.asides) == bool(missing)
            declined += bool(missing)
    assert declined > 5


def test_each_hex_of_a_text_is_on_the_map(match: Match, frames: list[Frame]) -> None:
    signs = {hex_.sign for hex_ in GAME.hex_map.hexes(match.table_rows)}  # type: ignore[union-attr]
    drawn = " ".join(frames[len(frames) // 2].position()["map"])
    for frame in frames:
        for name in re.findall(r" in ([A-Z]\d|\d{2,3})\b", " ".join((frame.label, *frame.rolls))):
            assert name in signs and re.search(rf"\b{name}\b", drawn), (name, frame.label, frame.rolls)
    assert {"h24", "A1", "67", "136"} <= signs


def test_the_text_begins_with_what_its_codes_mean(match: Match) -> None:
    lines = list(game_lines(Film(match, moves=iter(()))))
    assert any("CA Blue Lotus Society" in line for line in lines) and any("burnt down" in line for line in lines)
