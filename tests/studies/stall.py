"""Stall: a toy whose wares have known prices, for the tests of `simlab analyze prices`."""

from simlab.author import NONE, Deck, Game, Row, bot, choice, per_seat


class Stall(Game):
    """One ware after the other is offered: buy it, which costs points and brings some, or pass."""

    players = (2, 2)
    score_range = (-400, 400)
    deck = Deck("wares.csv")
    row = Row(deck, 1)
    points = per_seat()
    buy = choice(row, "pass")

    def play(self):
        """S-1: a ware is offered to ann."""
        self.deck.shuffle()
        self.row[0] = self.deck.draw()
        for offered in range(12):
            self.seat = offered % 2
            option = self.ask(self.buy)
            """S-2: a die is worth points to all; a ware its points less its cost; another ware is offered."""
            self.points[self.seat] += self.below(6)
            card = self.row.take(0)
            if option != "pass":
                self.points[self.seat] += self.deck.points[card] - self.deck.cost[card]
            self.row[0] = self.deck.draw()
            if self.row[0] == NONE:
                break
        self.end("closed")

    def score(self, seat):
        return self.points[seat]


@bot(Stall)
def buyer(game):
    """Buys whatever is offered."""
    return 0 if game.can(0) else 1
