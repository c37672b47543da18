"""Metrics of a designer's own, of Harvest (tests/games_of_many)."""

import numpy as np

import simlab


@simlab.kernel
def held(state, seat):
    """Cards that a seat has sown."""
    count = 0
    for rank in range(state.sown.shape[1]):
        count += state.sown[seat, rank]
    return count


@simlab.metric("spread of the scores", unit="points", low=0)
def spread(state, knobs, cards, row):
    best, least = row.score[0], row.score[0]
    for seat in range(row.score.size):
        best, least = max(best, row.score[seat]), min(least, row.score[seat])
    return best - least


@simlab.metric("turns, and the cards that the first seat held at their starts", low=0)
class turns_seen:  # noqa: N801
    turns = 0
    seen = 100
    held = np.zeros(8)

    def on_turn(self, state, knobs, cards):
        self.held[state.turn] = held(state, 0)
        self.turns += 1

    def at_end(self, state, knobs, cards, row):
        total = 0.0
        for turn in range(self.held.size):
            total += self.held[turn]
        return self.seen * self.turns + total


@simlab.metric("options of all decisions of the seat", by_seat=True, low=0, high=25)
class options:  # noqa: N801
    total = 0.0

    def on_decision(self, state, knobs, cards, action, seat):
        if state.seat == seat:
            self.total += state.n_legal

    def at_end(self, state, knobs, cards, row, seat):
        return self.total


@simlab.metric("whether the seat shares the win", by_seat=True, codes={0: "no", 1: "yes"})
def shares(state, knobs, cards, row, seat):
    return row.winner == -2 and (row.winners >> seat) & 1 == 1
