"""Tricks: bid how many tricks you will take, and take exactly that many. For 3 to 5 players, with an ordinary pack.

Source: the game that card books call Oh Hell, known in England and New York since about 1930, which nobody owns. These
    are its common rules in our words.
"""

from simlab.author import NONE, Deck, Game, Hand, Trick, bot, choice, knob, number, per_seat, trait

RANKS = 13
MOST_HAND = MOST_DEALS = 10


def suit(card):
    return card // RANKS


class Tricks(Game):
    """A trick-taking game for 3 to 5: bid how many tricks you will take, and take exactly that many."""

    players = (3, 5)
    default_players = 4
    turn_name = "trick"
    hand_size = knob(7, 1, MOST_HAND, "cards dealt to each in the first deal", unit="cards")
    deals = knob(7, 1, MOST_DEALS, "deals in a game; no more than hand_size if hands shrink", unit="deals")
    shrinking = knob(True, "whether each deal has a card fewer than the one before")
    trumps = knob(True, "whether the suit of the card turned up is trumps")
    hook = knob(True, "whether the dealer's bid may not make the bids add up to the tricks")
    exact_bonus = knob(10, 0, 20, "points for taking exactly what was bid", unit="points")
    trick_points = knob(1, 0, 5, "points for each trick of a bid that was met", unit="points")
    miss_penalty = knob(0, 0, 5, "points lost for each trick too many or too few", unit="points")

    pack = Deck([rank + suit for suit in "CDHS" for rank in (*map(str, range(2, 11)), "J", "Q", "K", "A")])
    hand = Hand(pack)
    trick = Trick(hand, RANKS)
    points = per_seat(score=(-500, 700))
    bid = per_seat(NONE)
    taken = per_seat()
    lacks = per_seat(each=4)
    turned = number(NONE, names=pack)
    dealer = number()
    dealt = number()
    deal_number = number()
    make_bid = choice(MOST_HAND + 1)
    play_card = choice(pack)
    bids_met = number(metric="bids that were met, of all seats", low=0, high=50)
    tricks_bid = number(metric="tricks bid in all", low=0, high=500)
    sharing = number(metric="seats that share the win", low=1, high=5)

    def check_knobs(self):
        more = f"deals = {self.deals} is more than hand_size = {self.hand_size}"
        fault = f"{more}, and each deal has a card fewer (T-1.3)."
        return fault if self.shrinking and self.deals > self.hand_size else ""

    def play(self):
        """T-1.1: the first seat deals first; after each deal the next seat is the dealer. Scores start at 0."""
        while True:
            self.deal()
            self.bid_tricks()
            self.play_tricks()
            self.count_points()
            self.deal_number += 1
            if self.deal_number == self.deals:
                self.finish()
            self.turn += 1
            self.dealer = self.next_seat(self.dealer)

    def deal(self):
        """T-1.2: seven cards are dealt to each from a shuffled pack of 52."""
        self.dealt = self.hand_size
        if self.shrinking and self.deal_number > 0:
            self.shrink()
        self.pack.prepare()
        self.pack.shuffle()
        for seat in self.seats:
            self.bid[seat] = NONE
            self.taken[seat] = 0
            for kind in range(4):
                self.lacks[seat, kind] = 0
            for _ in range(self.dealt):
                self.hand.add(seat, self.pack.draw())
        self.turned = self.pack.draw()
        if self.trumps:
            """T-1.4: the next card is turned up: its suit is trumps."""
        self.trick.start(self.next_seat(self.dealer))

    def shrink(self):
        """T-1.3: each deal has a card fewer than the one before, down to one."""
        self.dealt = self.hand_size - self.deal_number

    def could_hold(self, seat, card):
        """Nobody can hold a suit that they failed to follow."""
        return self.lacks[seat, suit(card)] == 0

    def may_make_bid(self, tricks):
        """T-2.2: the dealer may not bid the number that makes all bids add up to the number of tricks."""
        if tricks > self.dealt:
            return False
        if not self.hook or self.seat != self.dealer:
            return True
        return tricks + sum(self.bid[seat] for seat in self.seats if seat != self.dealer) != self.dealt

    def bid_tricks(self):
        self.seat = self.trick.leader
        for _ in self.seats:
            """T-2.1: each player bids once, starting to the dealer's left: any number of tricks from none to all."""
            tricks = self.ask(self.make_bid)
            self.bid[self.seat] = tricks
            self.tricks_bid += tricks
            self.seat = self.next_seat()

    def may_play_card(self, card):
        return self.trick.allows(self.seat, card)

    def play_tricks(self):
        for played in range(self.dealt):
            if played > 0:
                self.turn += 1
            self.play_trick()

    def play_trick(self):
        self.seat = self.trick.leader
        for _ in self.seats:
            card = self.ask(self.play_card)
            if self.seat == self.trick.leader:
                """
                T-2.3: the player to the dealer's left leads the first trick, the winner of a trick the next, with any
                card.
                """
            elif suit(card) != self.trick.led():
                """T-2.4: follow the suit that was led if you can; if you cannot, play any card."""
                self.lacks[self.seat, self.trick.led()] = 1
            self.trick.play(self.seat, card)
            self.seat = self.next_seat()
        """T-2.5: the highest trump takes the trick, without one the highest card of the suit led. Aces are high."""
        taker = self.trick.taker(self.trump())
        self.taken[taker] += 1
        self.trick.start(taker)

    def trump(self):
        return suit(self.turned) if self.trumps else NONE

    def count_points(self):
        """T-3.1: a bid that was met scores ten points and one more per trick; all others score nothing."""
        for seat in self.seats:
            off = abs(self.taken[seat] - self.bid[seat])
            if off == 0:
                self.bids_met += 1
                self.points[seat] += self.exact_bonus + self.trick_points * self.taken[seat]
            else:
                self.points[seat] -= self.miss_penalty * off

    def finish(self):
        """T-3.2: after the last deal the most points win; tied players share the win."""
        self.sharing = sum(1 for seat in self.seats if self.points[seat] == max(self.points))
        if self.sharing == 1:
            self.end("alone")
        self.end("shared")


def expected_tricks(game, ace, king, trump):
    """How many tricks the hand of the seat to act should take: chances of its aces, kings and trumps, added up."""
    total = 0.0
    for card in game.hand.of(game.seat):
        rank = card % RANKS
        if suit(card) == game.trump():
            total += trump + (1 - trump) * rank / (RANKS - 1)
        elif rank == RANKS - 1:
            total += ace
        elif rank == RANKS - 2:
            total += king
    return total


def nearest_bid(game, wanted):
    """The legal bid nearest to a number of tricks."""
    best = NONE
    for tricks in game.options:
        if best == NONE or abs(tricks - wanted) < abs(best - wanted):
            best = tricks
    return best


def card_for(game, takes):
    """The lowest card that takes the trick or, if the seat wants to lose it, the highest card that does not.

    If no card does that, the lowest card. A leader plays its highest card to take the trick, else its lowest.
    """
    best, most = NONE, -1000
    trump = game.trump()
    taker = game.trick.taker(trump)
    for card in game.options:
        worth = card % RANKS + (RANKS if suit(card) == trump else 0)
        if taker == NONE:
            worth = worth if takes else -worth
        elif game.trick.beats(card, game.trick[taker], trump) != takes:
            worth = -100 - worth
        elif takes:
            worth = -worth
        if worth > most:
            best, most = card, worth
    return best


def wants_more(game):
    """Whether the seat to act has taken fewer tricks than it bid."""
    return game.taken[game.seat] < game.bid[game.seat]


@bot(Tricks)
def counter(
    game,
    ace=trait(0.8, 0.0, 1.0, "tricks that it expects of a plain ace"),
    king=trait(0.4, 0.0, 1.0, "tricks that it expects of a plain king"),
    trump=trait(0.3, 0.0, 1.0, "tricks that it expects of the lowest trump; the ace of trumps is one"),
):
    """Bids what its high cards and trumps should take; takes tricks cheaply until it has them, then ducks."""
    if game.decision == game.make_bid:
        return nearest_bid(game, expected_tricks(game, ace, king, trump))
    return card_for(game, wants_more(game))


@bot(Tricks)
def ducker(game):
    """Bids as little as it may, and ducks once it has taken that many."""
    if game.decision == game.make_bid:
        return min(option for option in game.options)
    return card_for(game, wants_more(game))


@bot(Tricks)
def grabber(game):
    """Bids as the counter does, and takes every trick that it can, whatever it bid."""
    if game.decision == game.make_bid:
        return nearest_bid(game, expected_tricks(game, 0.8, 0.4, 0.3))
    return card_for(game, True)
