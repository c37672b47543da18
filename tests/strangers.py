"""Bots put into positions that random play led to, under knobs turned at random: legal wherever they are asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.bot_registry import bots_for
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.game import Game, Knob


def illegal_answers(game: Game, *, settings: int, seed: int = 1) -> list[str]:
    """What the bots of a game answered that was not legal; the first setting of the knobs is the printed one.

    Every bot is asked at every decision of its seats, in one random game for each setting.
    """
    luck = np.random.default_rng(seed)
    others = dict.fromkeys(game.seats, "random")
    guests = {
        seat: [Stepper(Match(game, bots={**others, seat: bot})) for bot in bots_for(game, seat)] for seat in game.seats
    }
    faults = []
    for number in range(settings):
        knobs = turned(game, luck) if number else {}
        leader = Stepper(Match(game, knobs=knobs, bots=others), seed, number)
        for guest in (guest for seat in game.seats for guest in guests[seat]):
            guest.match.knobs, guest.match.cards = leader.match.knobs, leader.match.cards
        while not leader.over:
            legal = leader.legal()
            for guest in guests[leader.seat]:
                guest.move_to(leader)
                action = guest.policy_action()
                if action not in legal:
                    bot = guest.match.bots[int(leader.state.seat)].text
                    faults.append(f"{bot}, {leader.decision.id}: {action} of {legal} under {knobs}")
            leader.apply(leader.policy_action())
    return faults


def turned(game: Game, luck: np.random.Generator) -> dict[str, Any]:
    """A third of the knobs at random values, mostly the ends of their ranges; settings that contradict are dropped."""
    while True:
        knobs = {name: value(knob, luck) for name, knob in game.knobs.items() if luck.random() < 1 / 3}
        try:
            game.resolve_knobs(knobs)
        except InputError:
            continue
        return knobs


def value(knob: Knob, luck: np.random.Generator) -> Any:
    if knob.kind == "choice":
        return str(luck.choice(knob.options))
    if knob.kind == "bool":
        return bool(luck.integers(2))
    ends = [knob.low, knob.high, luck.uniform(knob.low, knob.high)]
    number = float(luck.choice(ends))
    return number if knob.kind == "float" else round(number)
