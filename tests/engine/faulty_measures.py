"""Metrics that go wrong, by the index of the game: 1 NaN, 2 a half, 3 a division by zero, 4 too much, 5 too low."""

import simlab


@simlab.metric("goes wrong", low=0)
def wrong(state, knobs, cards, row):
    game = row.game
    zero = game - game
    if game == 1:
        return 1e308 * 10.0 * (zero + 0.0)
    if game == 2:
        return 0.5
    if game == 3:
        return 1.0 * (game // zero)
    if game == 4:
        return 3e9
    if game == 5:
        return -1.0
    return 7.0


@simlab.metric("reads a field that is not there")
def misspelt(state, knobs, cards, row):
    return row.scoer[0]


@simlab.metric("remembers what it has no field for")
class forgetful:  # noqa: N801
    count = 0

    def on_turn(self, state, knobs, cards):
        self.turns = 1

    def at_end(self, state, knobs, cards, row):
        return self.count


@simlab.metric("returns nothing in some games")
def silent(state, knobs, cards, row):
    if row.turns > 3:
        return 1
    return None


@simlab.metric("has the name of a column of the game")
def sharing(state, knobs, cards, row):
    return 1


@simlab.metric("has the name of a figure")
def ann_win(state, knobs, cards, row):
    return 1
