"""The kernel's attacks agree with the separately written plain-Python ones (reference.py) on random positions."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from simlab.games.montsegur.state import CODES
from tests.games.montsegur import reference
from tests.games.montsegur.table import Table, edge, scene

SWITCHES: list[dict[str, object]] = [
    {}, {"flank_then_bonus": "keep_bonus"}, {"surplus_conquerors": "lost"}, {"trebuchet_needs_crest": True},
]  # fmt: skip


def random_board(luck: random.Random, switches: dict[str, object]) -> reference.Board:
    soldiers: dict[str, dict[str, int]] = {reference.CATHAR: {}, reference.CRUSADER: {}}
    for code in CODES:
        owner = luck.choice((reference.CATHAR, reference.CRUSADER, None))
        if code == "MC":
            owner = luck.choice((reference.CATHAR, None))
        if code == "CC":
            owner = luck.choice((reference.CRUSADER, None))
        if owner:
            soldiers[owner][code] = luck.randint(1, reference.ROOM.get(code, 9))
    caves = {side for side in soldiers if luck.random() < 0.3}
    return reference.Board(soldiers, caves=caves, trebuchets=luck.randint(0, 3), switches=switches)


def same_position(board: reference.Board, side: str, card: str) -> Table:
    table = scene(
        side, hand=[card, "S01"], **board.switches,  # type: ignore[arg-type]
        set_={"trebuchets": board.trebuchets, "caves": tuple(int(s in board.caves) for s in reference.CENTRE)},
    )  # fmt: skip
    for owner, name in enumerate((reference.CATHAR, reference.CRUSADER)):
        for at, code in enumerate(CODES):
            table.state.soldiers[owner, at] = board.soldiers[name].get(code, 0)
    return table


def pairs(edges: list[int]) -> set[tuple[str, str]]:
    known = {edge(a, b): (a, b) for a, b in ((b, a) for a, b in reference.BONUS)}
    return {known[e] for e in edges if e < 32}


def agree(table: Table, board: reference.Board, surrendered: str | None) -> bool:
    mine = [{c: n for c, n in board.soldiers[name].items() if n} for name in (reference.CATHAR, reference.CRUSADER)]
    field = (board.battlefield[reference.CATHAR], board.battlefield[reference.CRUSADER])
    loser = {None: -1, reference.CATHAR: 0, reference.CRUSADER: 1}[surrendered]
    if loser < 0:
        return (table.cathars, table.crusaders, table.battlefield) == (mine[0], mine[1], field)
    return int(table.state.surrendered) == loser and (table.cathars, table.crusaders) == (mine[0], mine[1])


@pytest.mark.parametrize("block", range(4))
def test_MS_ATK_attacks_agree_on_random_positions(block: int) -> None:
    luck = random.Random(block)
    done = 0
    while done < 250:
        board = random_board(luck, SWITCHES[block])
        side = luck.choice((reference.CATHAR, reference.CRUSADER))
        card, less, bare = luck.choice((("S08", 0, False), ("S51", 1, False), ("W34", 0, True), ("", 0, False)))
        if (card in ("S51", "W34") and side == reference.CATHAR) or (card == "W34" and True):
            card, less, bare = "S08", 0, False
        table = same_position(board, side, card or "S08")
        wanted = board.attacks(side)
        if not wanted:
            table.spend("S01")
            assert 0 not in table.legal()
            continue
        if card:
            table.event(card)
            assert pairs(table.legal()) == wanted
            most = 4
        else:
            table.command("Attack")
            most = 5
            if len(wanted) > 1:
                assert pairs(table.legal()) == wanted
        base, place = luck.choice(sorted(wanted))
        force = luck.randint(1, min(most, board.soldiers[side][reference.CENTRE[side]]))
        table.attack(base, place, force)
        surrendered = board.attack(side, base, place, force, less, bare)
        assert agree(table, board, surrendered), (board, base, place, force)
        done += 1


def test_the_reference_knows_the_same_map() -> None:
    table = scene()
    assert len(reference.BONUS) == 32
    for place, base in reference.BONUS:
        assert int(table.state.bonus[edge(base, place)]) == reference.BONUS[place, base]
    assert all(a != b for a, b in pairwise(CODES))
