"""Relics: an auction game for 3 to 5, with one round of bids, sealed bids and a shared defence."""

from simlab.author import NONE, Auction, Deck, Game, Row, SealedBids, bot, choice, knob, number, per_seat, trait

KINDS = ("relic", "grain", "wine", "iron")
RELIC, GRAIN, WINE, IRON = range(4)


class Relics(Game):
    """Buy the treasures of a town under siege, and pay for its walls."""

    players = (3, 5)
    turn_name = "lot"
    max_turns = 24
    score_range = (0, 200)
    start_silver = knob(15, 5, 30, "silver of each player at the start")
    lots = knob(20, 12, 24, "lots in the deck")
    lots_between = knob(4, 2, 6, "lots between assaults")
    strength_each = knob(6, 2, 12, "strength of an assault per player")
    pay = knob(6, 0, 12, "silver for each player after an assault")
    breaches_to_fall = knob(3, 1, 4, "breaches with which the town falls")
    medal_points = knob(3, 0, 8, "points of a medal")
    grain_points = knob(3, 1, 6, "points of a grain")
    wine_points = knob(7, 0, 15, "points for the most wine")
    set_points = knob(5, 0, 12, "points of a set of four kinds")
    silver_per_point = knob(5, 1, 20, "silver that makes a point")

    deck = Deck("lots.csv")
    lot = Row(deck, 1)
    auction = Auction(20)
    sealed = SealedBids(20)
    call = choice(auction)
    write = choice(sealed, secret=True)
    give = choice(sealed, secret=True)
    lots_left = number()
    sold = number()
    bailiff = number()
    silver = per_seat()
    goods = per_seat(each=4)
    medals = per_seat()
    chest = number()
    strength = number()
    burnt = number(metric="lots burnt", low=0)
    breaches = number(metric="breaches", low=0)
    spent = number(metric="silver paid for lots", low=0)
    given = number(metric="silver given to the defence", low=0)

    def play(self):
        """D-1: a deck of 20 lots, 15 silver for each player, and a random bailiff."""
        self.deck.shuffle()
        self.silver.fill(self.start_silver)
        self.lots_left = self.lots
        self.bailiff = self.below(len(self.seats))
        while True:
            self.sell_lot()
            if self.sold % self.lots_between == 0:
                self.assault()
            """D-3: the player to the left becomes the bailiff."""
            if self.lots_left == 0:
                """D-5: the game ends when the deck is empty."""
                self.end("deck")
            self.turn += 1
            self.bailiff = self.next_seat(self.bailiff)

    def sell_lot(self):
        """D-2: the bailiff turns up a lot, which is sold as its card says."""
        self.lot.refill()
        self.lots_left -= 1
        self.auction.start()
        self.sealed.start()
        self.seat = self.next_seat(self.bailiff)
        if self.deck.sale[self.lot[0]] == "round":
            for _ in self.seats:
                """D-2.1: from the left of the bailiff, each player passes or bids more."""
                self.auction.bid(self.seat, self.ask(self.call))
                self.seat = self.next_seat()
            self.sell(self.auction.leader, self.auction.best)
        else:
            for _ in self.seats:
                """
                D-2.2: all bid in secret. The highest bid wins; of tied players the first from the left of the bailiff.
                """
                self.sealed.put(self.seat, self.ask(self.write), self.silver[self.seat])
                self.seat = self.next_seat()
            self.sell(self.sealed.winner(self.next_seat(self.bailiff)), self.sealed.highest())

    def may_call(self, option):
        return self.affordable(option) and self.auction.allows(option)

    def may_write(self, option):
        return self.affordable(option)

    def affordable(self, option):
        """D-2.3: nobody bids or gives more than their silver."""
        return option <= self.silver[self.seat]

    def sell(self, buyer, price):
        """D-2.4: the buyer pays the bid into the chest and takes the lot; if nobody bids, the lot is burnt."""
        card = self.lot.take(0)
        if buyer == NONE:
            self.burnt += 1
        else:
            self.silver[buyer] -= price
            self.chest += price
            self.spent += price
            self.goods[buyer, self.kind(card)] += 1
        self.sealed.start()
        self.sold += 1

    def kind(self, card):
        return KINDS.index(self.deck.kind[card])

    def assault(self):
        """D-4: after every fourth lot the besiegers assault with two dice plus six per player."""
        self.strength = self.roll(6) + self.roll(6) + self.strength_each * len(self.seats)
        self.seat = self.next_seat(self.bailiff)
        for _ in self.seats:
            """D-4.1: all choose in secret what they give, and pay it."""
            self.sealed.put(self.seat, self.ask(self.give), self.silver[self.seat])
            self.seat = self.next_seat()
        self.defend()

    def may_give(self, option):
        return self.affordable(option)

    def defend(self):
        """D-4.2: the silver given, the chest and the iron defend the wall; the chest is emptied."""
        held = self.sealed.total() >= self.lacking()
        self.chest = 0
        for seat in self.seats:
            self.silver[seat] -= self.sealed[seat]
        self.given += self.sealed.total()
        if held:
            self.honour(self.sealed.highest())
        else:
            self.breach(self.sealed.lowest())
        self.sealed.start()
        self.strength = 0
        if self.breaches == self.breaches_to_fall:
            """D-5.1: the game also ends with the third breach: the town falls."""
            self.end("fall")
        """D-4.5: after an assault each player takes six silver."""
        for seat in self.seats:
            self.silver[seat] += self.pay

    def lacking(self):
        """The silver that the defence lacks before anyone gives."""
        return max(0, self.strength - self.chest - sum(self.goods[seat, IRON] for seat in self.seats))

    def honour(self, most):
        """D-4.3: if the wall holds, each player who gave the most takes a medal."""
        for seat in self.seats:
            if most > 0 and self.sealed[seat] == most:
                self.medals[seat] += 1

    def breach(self, least):
        """D-4.4: if the wall is breached, each player who gave the least loses a lot of their largest kind."""
        self.breaches += 1
        for seat in self.seats:
            if self.sealed[seat] == least:
                self.plunder(seat)

    def plunder(self, seat):
        largest = RELIC
        for kind in range(4):
            if self.goods[seat, kind] > self.goods[seat, largest]:
                largest = kind
        if self.goods[seat, largest] > 0:
            self.goods[seat, largest] -= 1

    def score(self, seat):
        """D-6: relics, medals and silver; grain, wine and sets if the town stands."""
        relics = self.goods[seat, RELIC]
        points = relics * (relics + 1) // 2
        points += self.medals[seat] * self.medal_points
        points += self.silver[seat] // self.silver_per_point
        if self.ending != "fall":
            points += self.goods[seat, GRAIN] * self.grain_points
            wine = self.goods[seat, WINE]
            if wine > 0 and all(self.goods[other, WINE] <= wine for other in self.seats):
                points += self.wine_points
            points += self.set_points * min(self.goods[seat, kind] for kind in range(4))
        return points

    def tie_break(self, seat):
        """D-7: most points win; of tied players those with most silver."""
        return self.silver[seat]


def worth(game, kind):
    """The points that another lot of a kind brings the seat to act."""
    seat = game.seat
    if kind == RELIC:
        points = game.goods[seat, RELIC] + 1
    elif kind == GRAIN:
        points = game.grain_points
    elif kind == WINE:
        most = max(game.goods[other, WINE] for other in game.seats if other != seat)
        points = 1
        if game.goods[seat, WINE] == most or game.goods[seat, WINE] + 1 == most:
            points = game.wine_points // 2
    else:
        points = 1
    fewest = min(game.goods[seat, other] for other in range(4) if other != kind)
    if game.goods[seat, kind] < fewest:
        points += game.set_points
    elif game.goods[seat, kind] == fewest:
        points += game.set_points // 3
    return points


@bot(Relics)
def buyer(
    game,
    price=trait(100, 40, 300, "hundredths of silver that it bids for a point"),
    extra=trait(1, -3, 6, "silver that it gives above its share of what the defence lacks"),
):
    """Bids for each lot what it brings, and gives its share of what the defence lacks."""
    most = max(option for option in game.options)
    if game.decision == game.give:
        share = game.lacking() // len(game.seats)
        return max(0, min(share + extra, most))
    value = worth(game, game.kind(game.lot[0])) * price // 100
    if game.decision == game.call:
        if value <= game.auction.best or most == 0:
            return 0
        if game.auction.asked == len(game.seats) - 1:
            return game.auction.best + 1
    return min(most, value)


@bot(Relics)
def captain(
    game,
    bargain=trait(4, 1, 10, "the most it bids for a lot"),
    gift=trait(9, 1, 20, "the most it gives"),
):
    """Buys only cheap lots, and gives most to the defence for the medals."""
    most = max(option for option in game.options)
    if game.decision == game.give:
        return min(gift, most, max(1, game.lacking()))
    value = min(bargain, worth(game, game.kind(game.lot[0])))
    if game.decision == game.call:
        if value <= game.auction.best or most == 0:
            return 0
        return game.auction.best + 1
    return min(most, value)


@bot(Relics)
def grave_robber(game, limit=trait(8, 2, 20, "the most it bids for a relic")):
    """Buys relics at high prices, and gives one silver, so that the town falls."""
    most = max(option for option in game.options)
    if game.decision == game.give:
        return min(1, most)
    value = 1
    if game.kind(game.lot[0]) == RELIC:
        value = limit
    if game.decision == game.call and (value <= game.auction.best or most == 0):
        return 0
    return min(most, value)
