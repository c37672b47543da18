"""Bazaar: a toy whose things have known worths, for the tests of `simlab analyze worth`.

Sword and pebble are worth points on their own; flag and drum are partners; the two shields are rivals; the crown is
worth nothing and only the leader may have it.
"""

from simlab.author import Game, bot, choice, knob, per_seat

GOODS = ("pebble", "sword", "flag", "drum", "red shield", "blue shield", "crown", "rags")
PEBBLE, SWORD, FLAG, DRUM, RED, BLUE, CROWN, RAGS = range(8)


class Bazaar(Game):
    """Buy goods, and have more points."""

    players = (2, 2)
    score_range = (0, 200)
    gone = knob(0, 0, 255, "goods that ann cannot buy, as bits")
    points = per_seat()
    owned = per_seat()
    buy = choice(*GOODS)

    def play(self):
        """B-1: ann begins."""
        for bought in range(14):
            self.seat = bought % 2
            self.pay_out(self.ask(self.buy))
        self.end("closed")

    def may_buy(self, option):
        """B-2: each good but the pebble once, and the crown for who leads by three."""
        if option == PEBBLE:
            return True
        if (self.seat == 0 and (self.gone >> option) & 1) or (self.owned[self.seat] >> option) & 1:
            return False
        return option != CROWN or self.points[self.seat] >= self.points[1 - self.seat] + 3

    def pay_out(self, option):
        """B-3: the good is worth its points, and a die more."""
        self.owned[self.seat] += 1 << option if option != PEBBLE else 0
        self.points[self.seat] += self.below(6)
        if option == SWORD:
            self.points[self.seat] += 5
        elif option == PEBBLE:
            self.points[self.seat] += 1
        owned = self.owned[self.seat]
        if (option == FLAG or option == DRUM) and (owned >> FLAG) & 1 and (owned >> DRUM) & 1:
            self.points[self.seat] += 8
        if (option == RED and not (owned >> BLUE) & 1) or (option == BLUE and not (owned >> RED) & 1):
            self.points[self.seat] += 6

    def score(self, seat):
        return self.points[seat]


@bot(Bazaar)
def shopper(game):
    """Buys all that there is in one order, the crown as soon as it can."""
    if game.can(CROWN):
        return CROWN
    for option in (FLAG, SWORD, RED, DRUM, BLUE):
        if game.can(option):
            return option
    return PEBBLE
