"""Caravan: a deck builder for 2 to 4."""

from simlab.author import NONE, Deck, Game, OwnDecks, Row, bot, choice, knob, number, numbers, per_seat, trait

TRADES = ("spice", "silk", "salt", "none")


class Caravan(Game):
    """Build a caravan of companions that earn coins, and settle them in the city for points."""

    players = (2, 4)
    turn_name = "round"
    max_turns = 30
    score_range = (0, 200)
    goal = knob(25, 10, 50, "points that end the game")
    hand_size = knob(5, 4, 7, "cards of a hand")
    quarter_points = knob(4, 0, 10, "points of a quarter")
    quarter_cards = knob(2, 1, 4, "settled cards of a trade that take its quarter")
    purse_step = knob(1, 0, 3, "coins in the purse for each place behind the first player")
    change = knob(True, "whether the leftmost card leaves the row after each round")

    deck = Deck("cards.csv")
    row = Row(deck, 5)
    own = OwnDecks(deck)
    settle = choice(deck, "none")
    buy = choice(row, "done")
    coins = number()
    purse = per_seat()
    points = per_seat()
    traders = per_seat(each=3)
    quarter = numbers(3, start=NONE)
    bought = number(metric="cards bought", low=0)
    settled = number(metric="cards settled", low=0)

    def play(self):
        """C-1: each player has a deck of six mules and two pilgrims; five cards lie in the row."""
        dealt = 0
        for card in range(self.deck.size):
            if self.deck.start[card]:
                self.deck.take(card)
                if dealt % 4 < len(self.seats):
                    self.own.gain(dealt % 4, card)
                dealt += 1
        self.deck.shuffle()
        self.row.refill()
        for seat in self.seats:
            self.purse[seat] = seat * self.purse_step
            self.draw_hand(seat)
        while True:
            for self.seat in self.seats:
                self.take_turn()
            self.end_round()
            self.turn += 1

    def take_turn(self):
        option = self.ask(self.settle)
        if option != "none":
            self.let_go(option)
        self.coins = sum(self.deck.coins[card] for card in self.own.of(self.seat))
        while True:
            place = self.ask(self.buy)
            if place == "done":
                break
            self.pay(place)
        """C-5: the rest of the hand is discarded, and a new hand drawn. C-4.2: coins that are left are lost."""
        self.coins = 0
        self.own.discard_hand(self.seat)
        self.draw_hand(self.seat)

    def draw_hand(self, seat):
        """C-1.1: a hand is five cards, and guides and scholars add to it."""
        wanted = self.hand_size
        while wanted > 0:
            if self.own.left[seat] == 0 and self.own.discards[seat] > 0:
                self.reshuffle(seat)
            card = self.own.draw(seat)
            if card == NONE:
                return
            wanted += self.deck.extra[card] - 1

    def reshuffle(self, seat):
        """C-1.2: an empty draw pile is made of the discard pile."""
        self.own.shuffle(seat)

    def may_settle(self, option):
        if option == "none":
            return True
        return self.own.has(self.seat, option) and not any(
            self.deck.name[card] == self.deck.name[option] for card in self.own.of(self.seat) if card < option
        )

    def let_go(self, card):
        """C-3: a settled card leaves the deck for good and scores its points."""
        self.settled += 1
        self.own.remove(self.seat, card)
        self.points[self.seat] += self.deck.points[card]
        if self.deck.trade[card] != "none":
            self.add_trader(TRADES.index(self.deck.trade[card]))

    def in_open_quarter(self, card):
        return self.deck.trade[card] != "none" and self.quarter[TRADES.index(self.deck.trade[card])] == NONE

    def is_earner(self, card):
        return self.deck.trade[card] == "none" and not self.deck.start[card]

    def add_trader(self, trade):
        self.traders[self.seat, trade] += 1
        if self.traders[self.seat, trade] == self.quarter_cards and self.quarter[trade] == NONE:
            self.take_quarter(trade)

    def take_quarter(self, trade):
        """C-3.1: the first with two settled cards of a trade takes its quarter."""
        self.quarter[trade] = self.seat
        self.points[self.seat] += self.quarter_points

    def may_buy(self, option):
        if option == "done":
            return True
        return self.row[option] != NONE and self.deck.cost[self.row[option]] <= self.coins + self.purse[self.seat]

    def pay(self, place):
        """C-4: cards of the row are bought with the coins of the hand."""
        card = self.row[place]
        self.bought += 1
        self.own.gain(self.seat, card)
        self.coins -= self.deck.cost[card]
        if self.coins < 0:
            self.open_purse()
        self.close_gap(place)

    def open_purse(self):
        """C-1.3: the purse pays for what the hand cannot."""
        self.purse[self.seat] += self.coins
        self.coins = 0

    def close_gap(self, place):
        """C-4.1: the cards to the right move up, and a new card is laid at the right end."""
        for other in range(place, 4):
            self.row[other] = self.row[other + 1]
        self.row[4] = self.deck.draw()

    def end_round(self):
        """C-7: the game ends at 25 points, with a gap in the row, or after 30 rounds."""
        if max(self.points) >= self.goal:
            self.end("goal")
        if self.row[4] == NONE:
            self.end("market empty")
        if self.turn == 30:
            self.end("last round")
        if self.change:
            self.drop_oldest()

    def drop_oldest(self):
        """C-6: after each round, the leftmost card of the row goes out of the game."""
        self.close_gap(0)

    def score(self, seat):
        """C-7.1: points of settled cards and quarters."""
        return self.points[seat]


@bot(Caravan)
def trader(game, build=trait(5, 0, 20, "rounds of building"), keep=trait(8, 0, 8, "starting cards it keeps")):
    """Builds a deck of earners first, then buys and settles the cards with most points."""
    building = game.turn <= build
    best, worth = -1, 0
    if game.decision == game.settle:
        starters = sum(game.deck.start[card] for card in game.own.owned(game.seat))
        for option in game.options:
            if option != "none":
                value = 2 * game.deck.points[option] - 4 * game.deck.extra[option]
                if building:
                    value -= 6 * game.deck.coins[option]
                if game.deck.start[option] and starters > keep:
                    value = 1
                if value > worth:
                    best, worth = option, value
        return best if best >= 0 else "none"
    for option in game.options:
        if option != "done":
            card = game.row[option]
            value = game.deck.points[card]
            if building:
                value += 4 * game.deck.coins[card] + 6 * game.deck.extra[card]
            if value > worth:
                best, worth = option, value
    return best if best >= 0 else "done"


@bot(Caravan)
def settler(game, least=trait(1, 1, 5, "points from which it settles a card")):
    """Buys the card with most points, and settles at once the best card of its hand."""
    best, worth = -1, 0
    if game.decision == game.settle:
        for option in game.options:
            if option != "none" and game.deck.points[option] >= max(worth + 1, least):
                best, worth = option, game.deck.points[option]
        return best if best >= 0 else "none"
    for option in game.options:
        if option != "done" and game.deck.points[game.row[option]] > worth:
            best, worth = option, game.deck.points[game.row[option]]
    return best if best >= 0 else "done"


@bot(Caravan)
def broker(game, earners=trait(3, 0, 8, "earners that it buys before traders")):
    """Buys a few earners, then the traders of open quarters, which it takes before the others."""
    best, worth = -1, 0
    if game.decision == game.settle:
        for option in game.options:
            if option != "none":
                value = 2 * game.deck.points[option] - game.deck.coins[option] - 4 * game.deck.extra[option]
                if game.in_open_quarter(option):
                    value += game.quarter_points
                if value > worth:
                    best, worth = option, value
        return best if best >= 0 else "none"
    owned = sum(1 for card in game.own.owned(game.seat) if game.is_earner(card))
    for option in game.options:
        if option != "done":
            card = game.row[option]
            value = 2 * game.deck.points[card]
            if game.in_open_quarter(card):
                value += game.quarter_points
            if owned < earners:
                value += 6 * game.deck.coins[card] + 9 * game.deck.extra[card]
            if value > worth:
                best, worth = option, value
    return best if best >= 0 else "done"
