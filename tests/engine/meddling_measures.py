"""Metrics that write to what they may only read, or read what is not there."""

import simlab


@simlab.metric("gives the first seat a point at each of its decisions")
class generous:  # noqa: N801
    seen = 0

    def on_decision(self, state, knobs, cards, action):
        if state.turn > 2:
            state.points[0] += 1
        self.seen += 1

    def at_end(self, state, knobs, cards, row):
        return self.seen


@simlab.metric("changes who has won")
def crowning(state, knobs, cards, row):
    row.winner = 0
    row.winners = 1
    return 1


@simlab.metric("looks far beyond the list of actions")
def astray(state, knobs, cards, row):
    return state.legal[10**9 if row.turns > 0 else 0]


@simlab.kernel
def far(state, place):
    return state.legal[place]


@simlab.metric("looks beyond the list of actions by way of a helper")
def led_astray(state, knobs, cards, row):
    return far(state, 10**9 if row.turns > 0 else 0)
