"""Kuhn poker: three cards, one bet, and a bluff in the solution. Worth -1/18 of an ante to the first seat.

Source: Kuhn (1950), A simplified two-person poker, Contributions to the Theory of Games I, 97-103.
"""

from simlab.author import NONE, Game, bot, choice, knob, number, per_seat, trait

FINE = 1 << 30  # parts that a chance is measured in


class KuhnPoker(Game):
    """Two players, three cards, one bet: the smallest poker, with every equilibrium known."""

    players = 2
    seat_names = ("first", "second")
    max_decisions = max_turns = 3
    ante = knob(1, 1, 4, "what both put in before the deal", unit="chips")
    bet = knob(1, 1, 4, "size of the one bet", unit="chips")
    ranks = knob(3, 3, 13, "cards in the deck, one of each rank", unit="cards")

    card = per_seat(NONE, seen_by="owner", names=("jack", "queen", "king", *map(str, range(4, 14))))
    paid = per_seat()
    pot = number(metric="what both have put in", low=2, high=16)
    bluffed = number(metric="the lower card took the pot", names=("no", "yes"))

    act = choice("pass", "bet")

    def play(self):
        """K-1.1: both put in the ante; the first seat begins."""
        self.paid.fill(self.ante)
        """K-1.2: each gets one card of a deck of three, jack, queen and king, and looks at it."""
        self.card[0] = self.below(self.ranks)
        self.card[1] = (self.card[0] + 1 + self.below(self.ranks - 1)) % self.ranks
        while True:
            self.take_turn(1 - self.seat)
            self.turn += 1
            self.seat = 1 - self.seat

    def redraw(self, seat):
        self.card[1 - seat] = (self.card[seat] + 1 + self.below(self.ranks - 1)) % self.ranks

    def take_turn(self, other):
        """K-2.1: in turn, pass or bet; the answer to a bet is to bet as much (call) or to pass (fold)."""
        facing_a_bet = self.paid[other] > self.paid[self.seat]
        if self.ask(self.act) == "bet":
            self.paid[self.seat] += self.bet
            if facing_a_bet:
                self.show_down()
        elif facing_a_bet:
            """K-3.1: a player who passes against a bet folds: the other takes the pot."""
            self.take_pot(other)
            self.end("fold", other)
        elif self.turn == 2:
            self.show_down()

    def show_down(self):
        """K-3.2: when both have passed or both have bet, the higher card takes the pot."""
        winner = 0 if self.card[0] > self.card[1] else 1
        self.take_pot(winner)
        self.end("showdown", winner)

    def take_pot(self, winner):
        self.pot = sum(self.paid)
        self.bluffed = 1 if self.card[winner] < self.card[1 - winner] else 0

    def score(self, seat):
        if not self.over:
            return 0
        return self.paid[1 - seat] if self.won >> seat & 1 else -self.paid[seat]


def facing_a_bet(game):
    """Whether the seat to act has to call or fold."""
    return game.paid[1 - game.seat] > game.paid[game.seat]


def bets_with_chance(game, chance):
    """Bets with this chance, by a random draw of the bot."""
    return 1 if game.below(FINE) < chance * FINE else 0


@bot(KuhnPoker)
def equilibrium(game, bluff=trait(0.2, 0.0, 1 / 3, "how often the first seat bets with the jack")):
    """Cannot be beaten on average: Kuhn's family of solutions with one parameter, for any ante and bet up to two antes.

    The first seat bets the jack with chance `bluff`, the king with three times that, never the queen, and calls with
    the queen with chance `bluff` + 1/3. The second bluffs with the jack and calls with the queen one time in three.
    With other stakes the thirds are bet / (2 ante + bet), and the calls (2 ante - bet) / (2 ante + bet). With more than
    three cards it treats all cards between the lowest and the highest as queens, which is not a solution.
    """
    pot, bet = 2.0 * game.ante, 1.0 * game.bet
    card, low, high = game.card[game.seat], 0, game.ranks - 1
    most = bet / (pot + bet)  # chance of the most bluffs that the king's bets can cover
    bluffs = min(bluff, most)
    calls = max((pot - bet) / (pot + bet), 0.0)
    if facing_a_bet(game):
        if card == low:
            return "pass"
        if card == high:
            return "bet"
        return bets_with_chance(game, calls + bluffs if game.seat == 0 else calls)
    if game.seat == 0:
        if card == low:
            return bets_with_chance(game, bluffs)
        return bets_with_chance(game, bluffs / most) if card == high else "pass"
    if card == low:
        return bets_with_chance(game, most)
    return "bet" if card == high else "pass"


@bot(KuhnPoker)
def honest(game):
    """Never bluffs: bets and calls with the highest card alone."""
    return "bet" if game.card[game.seat] == game.ranks - 1 else "pass"


@bot(KuhnPoker)
def caller(game, opens=trait(0.5, 0.0, 1.0, "how often it bets if nobody has")):
    """Calls with everything but the lowest card, and bets blindly."""
    if facing_a_bet(game):
        return "bet" if game.card[game.seat] > 0 else "pass"
    return bets_with_chance(game, opens)
