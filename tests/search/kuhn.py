"""Kuhn poker solved by hand, apart from the game's own code: what any way of playing is worth, and loses at most."""

from __future__ import annotations

import itertools
from fractions import Fraction

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game

PASS, BET = range(2)
HANDS = [(a, b) for a in range(3) for b in range(3) if a != b]
Play = dict[tuple[int, tuple[int, ...]], Fraction]  # (card, actions so far) -> how often it bets


def payoff(hand: tuple[int, int], actions: tuple[int, ...]) -> int | None:
    """What the first player gains; None while the game goes on."""
    higher = 1 if hand[0] > hand[1] else -1
    ends = {(0, 0): higher, (1, 0): 1, (1, 1): 2 * higher, (0, 1, 0): -1, (0, 1, 1): 2 * higher}
    return ends.get(actions)


def value(play: Play, best: int | None = None) -> Fraction:
    """What the first player gains on average; `best`: the player who plays not `play` but the best answer to it."""
    if best is not None:
        cards = [(card, actions) for card in range(3) for actions in (((), (0, 1)) if best == 0 else ((0,), (1,)))]
        answers = itertools.product((Fraction(0), Fraction(1)), repeat=len(cards))
        values = [value(play | dict(zip(cards, answer, strict=True))) for answer in answers]
        return max(values) if best == 0 else min(values)
    total = Fraction(0)
    for hand in HANDS:
        waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
        while waiting:
            actions, chance = waiting.pop()
            gain = payoff(hand, actions)
            if gain is not None:
                total += chance * gain
                continue
            bets = play[hand[len(actions) % 2], actions]
            waiting += [((*actions, BET), chance * bets), ((*actions, PASS), chance * (1 - bets))]
    return total / len(HANDS)


def exploitability(play: Play) -> Fraction:
    """How much both players together lose to best answers; 0 for an equilibrium."""
    return value(play, best=0) - value(play, best=1)


def average_play(kind: str, samples: int) -> Play:
    """How often the bot bets with each card after each course of actions, over seeds of its own."""
    game = load_game("kuhn_poker")
    match = Match(game, bots=dict.fromkeys(game.seats, kind))
    play: Play = {}
    for card, actions in itertools.product(range(3), [(), (0,), (1,), (0, 1)]):
        bets = 0
        for number in range(samples):
            stepper = Stepper(match, 7, number)
            stepper.state.card[len(actions) % 2] = card
            stepper.state.card[1 - len(actions) % 2] = (card + 1) % 3
            for action in actions:
                stepper.apply(action)
            bets += stepper.policy_action()
        play[card, actions] = Fraction(bets, samples)
    return play
