"""Metrics with decimals, for tests."""

import simlab


@simlab.metric("share of all points that the first seat has", decimals=3, low=0, high=1)
def share(state, knobs, cards, row):
    total = 0
    for seat in range(row.score.size):
        total += row.score[seat]
    return row.score[0] / max(total, 1)


@simlab.metric("options at a decision of the seat, on average", decimals=2, low=0, never=-0.5, by_seat=True)
class breadth:  # noqa: N801
    options, asked = 0, 0

    def on_decision(self, state, knobs, cards, action, seat):
        if state.seat == seat:
            self.options += state.n_legal
            self.asked += 1

    def at_end(self, state, knobs, cards, row, seat):
        if seat == 3:
            return -0.5
        return self.options / max(self.asked, 1)
