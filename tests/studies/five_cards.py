"""A game whose win chances are known exactly: five cards decide it, one each round, and nobody chooses anything."""

from math import comb

from simlab.author import NONE, Deck, Game, choice, knob, number, per_seat


class FiveCards(Game):
    """Ten cards, five of each colour. A card is drawn each round; who has more cards of the colour after five wins."""

    players = 2
    turn_name = "round"
    dealt = knob(0, 0, 4, "cards that are drawn in the set-up instead of a round")
    secret_wins = knob(False, "whether a secret number decides instead of the cards")
    deck = Deck(10)
    points = per_seat(score=(0, 5))
    secret = number(NONE, low=0, high=3, seen_by="nobody")
    draw = choice("draw")

    def play(self):
        """C-1: the deck is shuffled, and a secret number drawn."""
        self.deck.shuffle()
        self.secret = self.below(4)
        for _ in range(self.dealt):
            self.turn_up()
        while True:
            self.ask(self.draw)
            """C-2: a card is drawn each round."""
            self.turn_up()
            if self.points[0] + self.points[1] == 5:
                if self.secret_wins:
                    self.end("secret", self.secret % 2)
                self.end("five cards")
            self.turn += 1

    def turn_up(self):
        """C-3: a card below 5 is a point for ann, another for bob."""
        if self.deck.draw() < 5:
            self.points[0] += 1
        else:
            self.points[1] += 1


def chance(anns: int, bobs: int) -> float:
    """The chance that ann wins when she has `anns` cards and bob `bobs`: the hypergeometric distribution."""
    left, of_ann, of_bob = 5 - anns - bobs, 5 - anns, 5 - bobs
    ways = [comb(of_ann, more) * comb(of_bob, left - more) for more in range(left + 1)]
    return sum(way for more, way in enumerate(ways) if anns + more >= 3) / sum(ways)
