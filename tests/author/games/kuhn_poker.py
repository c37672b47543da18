"""Kuhn poker as one class."""

from simlab.author import Deck, Game, Hand, bot, choice, flag, knob, number, per_seat, trait


class KuhnPoker(Game):
    """Kuhn poker: three cards, one bet, and a bluff."""

    players = 2
    seat_names = ("first", "second")
    turn_name = "action"
    score_range = (-20, 20)
    ante = knob(1, 1, 10, "what each player pays to play")
    bet = knob(1, 1, 10, "what a bet adds")

    deck = Deck(["jack", "queen", "king"])
    hand = Hand(deck)
    paid = per_seat()
    passes = number()
    bluffed = flag(metric="the winner held the lower card")

    def setup(self):
        """K-1.1: both pay the ante and get a card."""
        for seat in self.seats:
            self.paid[seat] = self.ante
        self.deck.shuffle()
        self.hand.deal(1)
        self.ask(self.act, 0)

    @choice("pass", "bet")
    def act(self, option):
        """K-2.1: pass, or bet; a bet is met by another."""
        me, other = self.seat, 1 - self.seat
        if option == "bet":
            self.paid[me] += self.bet
        else:
            self.passes += 1
        if option == "pass" and self.paid[other] > self.paid[me]:
            self.fold(other)
        elif self.passes == 2 or (option == "bet" and self.paid[other] == self.paid[me]):
            self.show_down()
        else:
            self.turn += 1
            self.ask(self.act, other)

    def fold(self, winner):
        """K-3.1: a bet that is not met wins."""
        self.bluffed = self.card(winner) < self.card(1 - winner)
        self.end("fold", winner)

    def show_down(self):
        """K-3.2: the higher card wins."""
        self.end("showdown", 0 if self.card(0) > self.card(1) else 1)

    def card(self, seat):
        """The seat's only card."""
        return max(card for card in self.hand.of(seat))

    def score(self, seat):
        """K-3.3: the winner gains what the other has paid."""
        if not self.over:
            return 0
        return self.paid[1 - seat] if self.won >> seat & 1 else -self.paid[seat]


@bot(KuhnPoker)
def honest(game):
    """Bets the king, calls with the king, folds the jack."""
    return "bet" if game.card(game.seat) == 2 else "pass"


@bot(KuhnPoker)
def bluffer(game, bluff=trait(0.33, 0.0, 1.0, "how often it bets the jack")):
    """Bets the king, and now and then the jack."""
    card = game.card(game.seat)
    if card == 2 or (card == 0 and game.below(1000) < 1000 * bluff and game.turn < 2):
        return "bet"
    return "pass"
