"""Stall: a toy whose wares have known prices, for the tests of `simlab analyze prices`."""

from simlab.author import NONE, Deck, Game, Row, bot, choice, number, per_seat


class Stall(Game):
    """One ware after the other is offered: buy it, which costs points and brings some, or pass."""

    players = (2, 2)
    score_range = (-400, 400)
    deck = Deck("wares.csv")
    row = Row(deck, 1)
    points = per_seat()
    offered = number()

    def setup(self):
        """S-1: a ware is offered to ann."""
        self.deck.shuffle()
        self.row[0] = self.deck.draw()
        self.ask(self.buy, 0)

    def may_buy(self, option):
        return True

    @choice(row, "pass")
    def buy(self, option):
        """S-2: a die is worth points to all; a ware its points less its cost; another ware is offered."""
        self.points[self.seat] += self.below(6)
        card = self.row.take(0)
        if option != "pass":
            self.points[self.seat] += self.deck.points[card] - self.deck.cost[card]
        self.row[0] = self.deck.draw()
        self.offered += 1
        if self.offered == 12 or self.row[0] == NONE:
            self.end("closed")
        else:
            self.ask(self.buy, 1 - self.seat)

    def score(self, seat):
        return self.points[seat]


@bot(Stall)
def buyer(game):
    """Buys whatever is offered."""
    return 0 if game.can(0) else 1
