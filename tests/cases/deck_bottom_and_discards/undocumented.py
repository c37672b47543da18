"""With self.below for the shuffle, and the deck's fields."""

from simlab.author import NONE, Deck, Game, Pile, choice, number, numbers


class NaturalThree(Game):
    """Nine cities: three come up, then an epidemic, then two more."""

    players = 1
    deck = Deck(9)
    discard = Pile(deck)
    hits = numbers(9)
    bottom_again = number(metric="again", low=0, high=1)
    go_on = choice("go on")

    def play(self):
        """E-1: three cities come up."""
        self.deck.shuffle()
        for _ in range(3):
            self.infect()
        self.ask(self.go_on)
        """E-2: epidemic."""
        bottom = self.deck.order[0]
        self.deck.take(bottom)
        self.hits[bottom] += 1
        self.discard.add(bottom)
        for last in range(self.discard.count - 1, 0, -1):
            other = self.below(last + 1)
            card = self.discard.order[last]
            self.discard.order[last] = self.discard.order[other]
            self.discard.order[other] = card
        self.discard.return_to_deck()
        for _ in range(2):
            self.infect()
        if self.hits[bottom] == 2:
            self.bottom_again = 1
            self.end("outbreak", 0)
        self.end("calm", NONE)

    def infect(self):
        card = self.deck.draw()
        self.hits[card] += 1
        self.discard.add(card)
