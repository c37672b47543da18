"""Harbour: a worker-placement game for 2 to 4."""

from simlab.author import NONE, Deck, Game, Places, Row, bot, choice, knob, number, per_seat, trait

QUAY, FIELD, MARKET, BUILDER = range(4)


class Harbour(Game):
    """Send workers to earn coins and grain, and buy the buildings of the row."""

    players = (2, 4)
    turn_name = "round"
    max_turns = 60
    goal = knob(20, 10, 40, "points that end the game")
    workers = knob(2, 1, 3, "workers of each player")
    quay_coins = knob(3, 1, 6, "coins from the quay")
    field_grain = knob(2, 1, 6, "grain from the field")
    grain_price = knob(2, 1, 4, "coins for a grain at the market")
    later_coins = knob(2, 0, 4, "coins that each later seat starts with in addition")
    row_size = knob(5, 3, 5, "buildings on offer")

    deck = Deck("buildings.csv")
    row = Row(deck, 5)
    places = Places(["quay", "field", "market", "builder"])
    send = choice(places, "idle")
    buy = choice(row)
    coins = per_seat(2)
    grain = per_seat()
    points = per_seat(score=(0, 200))
    left = per_seat()
    starter = number()
    bought = number(metric="buildings bought", low=0)
    idle = number(metric="workers kept idle", low=0)

    def play(self):
        """H-1: five buildings lie in the row; each later player has more coins than the one before."""
        self.deck.shuffle()
        self.fill_row()
        for seat in self.seats:
            self.coins[seat] += self.later_coins * seat
        while True:
            self.play_round()
            self.row.slide()
            self.fill_row()
            if max(self.points) >= self.goal:
                self.end("goal")
            if self.turn == 50 or all(self.row[place] == NONE for place in range(self.row_size)):
                self.end("nothing left")
            self.turn += 1
            self.starter = self.next_seat(self.starter)

    def fill_row(self):
        for place in range(self.row_size):
            if self.row[place] == NONE:
                self.row[place] = self.deck.draw()

    def play_round(self):
        """H-2: all workers come home, and another player starts."""
        self.places.clear()
        self.left.fill(self.workers)
        for seat in self.seats:
            self.give_income(seat)
        self.seat = self.starter
        while max(self.left) > 0:
            self.send_worker()
            """H-5: players take turns until all workers are sent; then the round ends."""
            self.seat = self.next_seat()

    def give_income(self, seat):
        """H-2.1: the player with the fewest points gets a coin, and so does each tied player."""
        if self.points[seat] == min(self.points):
            self.coins[seat] += 1

    def may_send(self, option):
        """H-3.1: a place holds one worker, and the builder is for those who can pay."""
        if option == "idle":
            return True
        if not self.places.free(option):
            return False
        if option == MARKET:
            return self.grain[self.seat] > 0
        if option == BUILDER:
            return any(self.affordable(place) for place in range(self.row_size))
        return True

    def affordable(self, place):
        card = self.row[place]
        return card != NONE and self.deck.cost[card] <= self.coins[self.seat]

    def send_worker(self):
        """H-3: send a worker to the quay, the field, the market or the builder."""
        option = self.ask(self.send)
        self.left[self.seat] -= 1
        if option == "idle":
            self.idle += 1
            return
        self.places.send(self.seat, option)
        if option == QUAY:
            self.coins[self.seat] += self.quay_coins
        elif option == FIELD:
            self.grain[self.seat] += self.field_grain
        elif option == MARKET:
            self.coins[self.seat] += self.grain_price * self.grain[self.seat]
            self.grain[self.seat] = 0
        else:
            self.build()

    def may_buy(self, place):
        return self.affordable(place)

    def build(self):
        """H-4: pay the building, and take its points and what it gives."""
        card = self.row.take(self.ask(self.buy))
        self.bought += 1
        self.coins[self.seat] -= self.deck.cost[card]
        self.points[self.seat] += self.deck.points[card]
        if self.deck.gives[card] == "coin":
            self.coins[self.seat] += 2
        if self.deck.gives[card] == "grain":
            self.grain[self.seat] += 2


@bot(Harbour)
def builder(game, reserve=trait(0, 0, 10, "coins it keeps")):
    """Builds whenever it can, the dearest first; else earns coins."""
    if game.decision == game.buy:
        best, worth = 0, -1
        for place in game.options:
            if game.deck.points[game.row[place]] > worth:
                best, worth = place, game.deck.points[game.row[place]]
        return best
    if game.can(BUILDER) and game.coins[game.seat] >= reserve:
        return BUILDER
    if game.can(MARKET) and game.grain[game.seat] >= 3:
        return MARKET
    if game.can(QUAY):
        return QUAY
    if game.can(FIELD):
        return FIELD
    return "idle"


@bot(Harbour)
def saver(game):
    """Buys only what gives six points or more."""
    if game.decision == game.buy:
        for place in game.options:
            if game.deck.points[game.row[place]] >= 6:
                return place
        return max(place for place in game.options)
    rich = any(
        game.row[place] != NONE and game.deck.points[game.row[place]] >= 6 and game.affordable(place)
        for place in range(game.row_size)
    )
    if game.can(BUILDER) and rich:
        return BUILDER
    if game.can(QUAY):
        return QUAY
    if game.can(MARKET):
        return MARKET
    if game.can(FIELD):
        return FIELD
    return "idle"
