"""Tricks as one class."""

from simlab.author import NONE, Deck, Game, Hand, bot, choice, knob, number, per_seat, trait

RANKS = 13
PACK = Deck([f"{rank}{suit}" for suit in "cdhs" for rank in "23456789TJQKA"])


def suit(card):
    return card // RANKS


class Tricks(Game):
    """Say how many tricks you will take, and take just as many."""

    players = (3, 5)
    turn_name = "trick"
    score_range = (-50, 150)
    hand_size = knob(7, 1, 10, "cards in the first hand")
    deals = knob(7, 1, 10, "deals in a game")
    shrinking = knob(True, "each deal has a card fewer")
    trumps = knob(True, "a card is turned up for trumps")
    hook = knob(True, "the dealer's bid may not make the bids fit")
    exact_bonus = knob(10, 0, 20, "points for a bid that was met")
    trick_points = knob(1, 0, 5, "points for each trick of a bid that was met")
    miss_penalty = knob(0, 0, 5, "points lost for each trick off the bid")

    deck = PACK
    hand = Hand(deck)
    points = per_seat()
    bid = per_seat(NONE)
    taken = per_seat()
    table = per_seat(NONE)
    turned = number(NONE)
    dealer = number()
    leader = number()
    follow = number(NONE)
    dealt = number()
    deal_number = number()
    bids_met = number(metric="bids that were met, of all seats", low=0)

    def setup(self):
        """T-1.1: the first seat deals."""
        self.deal()

    def deal(self):
        """T-1.2: a hand each, and a card turned up for trumps."""
        self.dealt = self.hand_size - self.deal_number if self.shrinking else self.hand_size
        self.deck.prepare()
        self.deck.shuffle()
        for seat in self.seats:
            self.bid[seat] = NONE
            self.taken[seat] = 0
            for _ in range(self.dealt):
                self.hand.add(seat, self.deck.draw())
        self.turned = self.deck.draw()
        self.leader = self.next_seat(self.dealer)
        self.ask(self.make_bid, self.leader)

    @choice(11)
    def make_bid(self, tricks):
        """T-2.1: each says how many tricks it will take, the dealer last."""
        self.bid[self.seat] = tricks
        if self.seat == self.dealer:
            self.ask_card(self.leader)
        else:
            self.ask(self.make_bid, self.next_seat())

    def may_make_bid(self, tricks):
        """T-2.2: the dealer's bid may not make the bids fit."""
        if tricks > self.dealt:
            return False
        if not self.hook or self.seat != self.dealer:
            return True
        return tricks + sum(self.bid[seat] for seat in self.seats if seat != self.dealer) != self.dealt

    def may_play_card(self, card):
        """T-2.4: follow suit if you can."""
        return self.hand.has(self.seat, card) and (self.follow == NONE or suit(card) == self.follow)

    @choice(deck)
    def play_card(self, card):
        """T-2.3: each plays a card."""
        self.hand.remove(self.seat, card)
        self.table[self.seat] = card
        if self.next_seat() == self.leader:
            self.end_trick()
        else:
            self.ask_card(self.next_seat())

    def ask_card(self, seat):
        led = self.table[self.leader]
        self.follow = NONE
        if led != NONE and any(suit(card) == suit(led) for card in self.hand.of(seat)):
            self.follow = suit(led)
        self.ask(self.play_card, seat)

    def beats(self, card, other):
        """T-2.5: the highest trump wins, or the highest card of the suit led."""
        if suit(card) == suit(other):
            return card > other
        return self.trumps and suit(card) == suit(self.turned)

    def end_trick(self):
        best = self.leader
        seat = self.next_seat(best)
        while seat != self.leader:
            if self.beats(self.table[seat], self.table[best]):
                best = seat
            seat = self.next_seat(seat)
        self.taken[best] += 1
        self.table.fill(NONE)
        self.leader = best
        if self.hand.count(best) == 0:
            self.count_points()
        else:
            self.turn += 1
            self.ask_card(best)

    def count_points(self):
        """T-3.1: a bid that was met scores."""
        for seat in self.seats:
            if self.taken[seat] == self.bid[seat]:
                self.points[seat] += self.exact_bonus + self.trick_points * self.taken[seat]
                self.bids_met += 1
            else:
                self.points[seat] -= self.miss_penalty * abs(self.taken[seat] - self.bid[seat])
        self.deal_number += 1
        if self.deal_number == self.deals:
            self.end("last deal")
        else:
            self.turn += 1
            self.dealer = self.next_seat(self.dealer)
            self.deal()

    def score(self, seat):
        return self.points[seat]


@bot(Tricks)
def ducker(game):
    """Bids as little as it may, and plays its lowest card."""
    for option in game.options:
        return option
    return 0


@bot(Tricks)
def counter(game, ace=trait(0.8, 0.0, 1.0, "tricks that it expects of an ace")):
    """Bids its aces and trumps."""
    if game.decision == game.make_bid:
        wanted = sum(ace for card in game.hand.of(game.seat) if card % RANKS == RANKS - 1)
        wanted += sum(0.3 for card in game.hand.of(game.seat) if suit(card) == suit(game.turned))
        best = min(option for option in game.options)
        for option in game.options:
            if option <= wanted + 0.5:
                best = option
        return best
    best = 0
    for option in game.options:
        best = option
    return best
