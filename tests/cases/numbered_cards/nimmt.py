"""Cards with numbers: all choose in secret, the lowest number is laid first."""

from simlab.author import NONE, Deck, Game, Hand, choice, number, per_seat


class Nimmt(Game):
    """Three seats with one card each of ten; the lowest takes the heads of all."""

    players = 3
    deck = Deck("cards.csv")
    hand = Hand(deck)
    laid = per_seat(NONE, low=0, high=9, seen_by="owner")
    heads = per_seat(score=(0, 9))
    low = number(metric="card that was the lowest, from 1", low=0, high=12)
    lay = choice(deck, secret=True)

    def play(self):
        """N-1: one card each."""
        self.deck.shuffle()
        self.hand.deal(1)
        """N-2: all lay a card face down; then the lowest number takes the heads of all."""
        for seat in self.seats:
            self.laid[seat] = self.ask(self.lay, seat)
            self.hand.remove(seat, self.laid[seat])
        lowest = 0
        for seat in self.seats:
            if self.deck.number[self.laid[seat]] < self.deck.number[self.laid[lowest]]:
                lowest = seat
        self.heads[lowest] = sum(self.deck.heads[self.laid[seat]] for seat in self.seats)
        self.low = self.laid[lowest] + 1
        self.end("laid")

    def may_lay(self, card):
        return self.hand.has(self.seat, card)
