"""What the bot gatekeeper of Lowenheim does about the gate and about Food."""

from __future__ import annotations

import numpy as np

from policies.lowenheim import gatekeeper as bot
from simlab.games.lowenheim import state as s
from tests.games.lowenheim.scene import Scene

KEPT = np.int64(1)  # Attack cards


def city() -> Scene:
    return Scene()


def order(scene: Scene, seat: str, figure: int) -> int:
    scene.state.queue[0], scene.state.group_at, scene.state.group_end = figure, 0, 1
    scene.state.seat = s.SEATS.index(seat)
    return int(bot.gate_order(scene.state, scene.cards, np.int64(10)))


def test_the_captain_goes_to_the_gate_and_stays() -> None:
    scene = city().put("A1", 0)
    gate = int(bot.gate(scene.cards))
    assert order(scene, "CG", 0) == gate
    assert order(city().put("M1", 0), "CG", 0) == scene.cards.n_hexes  # hold


def test_others_come_when_the_gate_is_weakly_held() -> None:
    scene = city().put("M3", 46)
    assert order(scene, "CA", 46) == -1  # nobody threatens it
    scene.skaven("M1", 2)
    assert order(scene, "CA", 46) == int(bot.gate(scene.cards))
    scene.put("M1", 6, 7, 8)
    assert order(scene, "CA", 46) == -1


def test_food_stays_and_makes_the_others_go() -> None:
    scene = city().hand("PG", F=4, W=1, A=1)
    scene.ask("PG", s.D_DISCARD)
    assert bot.drawn_through(scene.state, s.PG, KEPT) == s.WATER + 1
    scene.hand("PG", F=5, A=1).ask("PG", s.D_DISCARD)
    assert bot.drawn_through(scene.state, s.PG, KEPT) == 0


def test_spare_food_goes_to_the_seat_with_the_fewest_cards() -> None:
    scene = city().hand("PG", F=4).hand("CG", A=5).hand("EL", A=2).hand("WZ").hand("BR", A=3).hand("CA", A=4)
    scene.ask("PG", s.D_PARTNER)
    assert bot.shares(scene.state, scene.knobs, s.PG, s.D_PARTNER) == 2  # CG, then EL
    scene.hand("PG", F=2).ask("PG", s.D_PARTNER)
    assert bot.shares(scene.state, scene.knobs, s.PG, s.D_PARTNER) == 0
