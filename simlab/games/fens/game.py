"""Fens: an area-majority game for 2 to 4."""

from simlab.author import NONE, Deck, Game, Map, Pieces, Routes, Row, bot, choice, knob, number, per_seat, trait

BITTERN = 1
WORTH = (3, 4, 3, 5, 6, 6, 5, 3, 4, 3)


class Fens(Game):
    """Breed herds, drive them over the islands of a fen, and graze the best ones when they are counted."""

    players = (2, 4)
    turn_name = "round"
    max_turns = 21
    supply_size = knob(12, 6, 20, "herds of each player")
    room = knob(6, 3, 20, "herds that an island holds")
    first_herds = knob(2, 1, 3, "herds of each player at the start")
    later_herds = knob(2, 0, 3, "herds that the third and fourth player start with in addition")
    countings = knob(3, 1, 4, "countings in the game")
    rounds_between = knob(3, 1, 5, "rounds before each counting")
    ties = knob("share", ("share", "none"), "whether tied players share the worth or get nothing")
    first_turn = knob("leader", ("leader", "left"), "who starts a round: the player with most points, or the next one")
    second_scores = knob(True, "whether the second player of an island scores, with three or four players")
    tide_drifts = knob(True, "whether the tide moves at random at the end of a round")

    islands = Map([". alder bittern curlew", "drake eel fox goose", ". heron ivy jay"])
    routes = Routes(islands)
    herds = Pieces(islands, each=12)
    weather = Deck("weather.csv")
    row = Row(weather, 5)
    settle = choice(islands)
    pick = choice(row)
    wave = choice(islands, "stay")
    breed = choice(islands, "stop")
    drive = choice(routes, "stop")
    points = per_seat(score=(0, 200))
    tide = number(BITTERN, names=islands)
    starter = number()
    taken = number()
    card = number(NONE, names=weather)
    left = number()
    tied = number(metric="islands counted with a tie for most herds", low=0)
    bare = number(metric="islands counted without herds", low=0)
    drowned = number(metric="herds lost to the tide", low=0)

    def play(self):
        """F-1: the tide lies on Bittern, and all herds are in the supplies."""
        self.herds.supply.fill(self.supply_size)
        for self.seat in self.seats:
            """F-1.1: each player puts two herds on an empty island that is not under the tide."""
            island = self.ask(self.settle)
            for _ in range(self.first_herds):
                self.herds.place(self.seat, island)
            if self.seat > 1:
                self.settle_more(island)
        self.seat = 0
        while True:
            self.play_round()
            if self.turn % self.rounds_between == 0:
                self.count()
            if self.tide_drifts:
                self.drift()
            if self.turn == self.rounds_between * self.countings:
                self.end("counted")
            self.turn += 1
            self.starter = self.next_starter()

    def may_settle(self, island):
        return island != self.tide and self.herds.total(island) == 0

    def settle_more(self, island):
        """F-1.2: the third and the fourth player put two more herds there."""
        for _ in range(min(self.later_herds, self.room - self.first_herds)):
            self.herds.place(self.seat, island)

    def play_round(self):
        """F-2: in each round every player takes one turn; each round starts with the next player."""
        self.taken = 0
        self.lay_out()
        self.seat = self.starter
        for _ in self.seats:
            self.take_turn()
            self.taken += 1
            self.seat = self.next_seat()

    def lay_out(self):
        """F-2.1: shuffle all weather cards, and lay out one card more than there are players."""
        for place in range(self.row.size):
            if self.row[place] != NONE:
                self.weather.put(self.row.take(place))
        self.weather.shuffle()
        for place in range(len(self.seats) + 1):
            self.row[place] = self.weather.draw()

    def may_pick(self, place):
        return self.row[place] != NONE

    def take_turn(self):
        """F-3: take a card, and carry out its wave, its herds and its steps."""
        self.card = self.row.take(self.ask(self.pick))
        self.weather.put(self.card)
        if self.weather.wave[self.card] > 0:
            """F-4: the player may move the tide to a neighbouring island."""
            island = self.ask(self.wave)
            if island != "stay":
                self.move_tide(island)
        self.left = self.weather.herds[self.card]
        self.left = min(self.left, self.herds.supply[self.seat])
        while self.left > 0 and any(self.may_breed(island) for island in range(self.islands.size)):
            """F-5: put herds, one by one, on islands where you already have a herd, or stop."""
            island = self.ask(self.breed)
            if island == "stop":
                break
            self.herds.place(self.seat, island)
            self.left = min(self.left - 1, self.herds.supply[self.seat])
        self.left = self.weather.steps[self.card]
        while self.left > 0 and any(self.may_drive(route) for route in range(self.routes.size)):
            """F-6: move a herd to a neighbouring island, or stop."""
            route = self.ask(self.drive)
            if route == "stop":
                self.left = 0
            else:
                self.herds.move(self.seat, self.routes.start(route), self.routes.end(route))
                self.left -= 1

    def may_wave(self, option):
        return option == "stay" or self.islands.adjacent(self.tide, option)

    def move_tide(self, island):
        """F-4.1: where the tide arrives, each player who has herds there puts one back into the supply."""
        self.tide = island
        for seat in self.seats:
            if self.herds[seat, island] > 0:
                self.herds.remove(seat, island)
                self.drowned += 1

    def is_open(self, island):
        """F-7: no herd can be put or moved on a full island or the island under the tide."""
        return island != self.tide and self.herds.total(island) < self.room

    def may_breed(self, option):
        if option == "stop":
            return True
        return self.is_open(option) and (self.herds[self.seat, option] > 0 or self.herds.on_map(self.seat) == 0)

    def may_drive(self, option):
        if option == "stop":
            return True
        return self.herds[self.seat, self.routes.start(option)] > 0 and self.is_open(self.routes.end(option))

    def next_starter(self):
        """F-2.2: the leader starts; if players tie, the next of them to the left of the last starter."""
        starter = self.next_seat(self.starter)
        if self.first_turn == "leader":
            while self.points[starter] < max(self.points):
                starter = self.next_seat(starter)
        return starter

    def drift(self):
        """F-9: at the end of a round the tide moves to a random neighbouring island."""
        self.move_tide(self.islands.random_neighbour(self.tide))

    def count(self):
        """F-8: on each island that is not under the tide, the player with most herds scores its worth."""
        for island in range(self.islands.size):
            if island != self.tide:
                leaders = sum(1 for seat in self.seats if self.herds.rank(seat, island) == 1)
                if leaders == 0:
                    self.bare += 1
                if leaders > 1:
                    self.tied += 1
                for seat in self.seats:
                    self.graze(seat, island)

    def graze(self, seat, island):
        rank, tied = self.herds.rank(seat, island), self.herds.tied(seat, island)
        if rank == 1 and tied == 1:
            self.points[seat] += WORTH[island]
        elif rank == 1:
            self.share(seat, WORTH[island], tied)
        elif rank == 2 and self.second_scores and len(self.seats) > 2:
            self.graze_second(seat, WORTH[island] // 2, tied)

    def graze_second(self, seat, prize, tied):
        """F-8.1: with three or four players, the second player scores half the worth, rounded down."""
        if tied == 1:
            self.points[seat] += prize
        else:
            self.share(seat, prize, tied)

    def share(self, seat, prize, tied):
        """F-8.2: tied players share the prize, rounded down."""
        if self.ties == "share":
            self.points[seat] += prize // tied

    def tie_break(self, seat):
        """F-10: most points win; then most herds on the map; players who still tie share the win."""
        return self.herds.on_map(seat)

    # What the bots look at.

    def rival(self, island):
        return max(self.herds[seat, island] for seat in self.seats if seat != self.seat)

    def worth_with(self, mine, island):
        """Hundredths of points that an island would score for the seat with this number of herds."""
        other = self.rival(island)
        if mine == 0 or island == self.tide:
            return 0
        if mine > other:
            return 100 * WORTH[island] + 10 * min(mine - other, 3)
        if mine == other:
            return 50 * WORTH[island]
        return 25 * WORTH[island] if len(self.seats) > 2 else 5 * mine

    def gain(self, start, end):
        """Hundredths of points gained by moving a herd."""
        here, there = self.herds[self.seat, start], self.herds[self.seat, end]
        return (
            self.worth_with(here - 1, start)
            - self.worth_with(here, start)
            + self.worth_with(there + 1, end)
            - self.worth_with(there, end)
        )


@bot(Fens)
def grazier(game, herd_value=trait(2, 0, 5, "steps that a herd on a card is worth")):
    """Takes each step that would score most if the herds were counted now."""
    best, most = -1, -1
    if game.decision == game.settle:
        for island in game.options:
            value = 40 * WORTH[island] + 4 * game.islands.degree(island) + game.below(4)
            if value > most:
                best, most = island, value
        return best
    if game.decision == game.pick:
        for place in game.options:
            card = game.row[place]
            value = herd_value * min(game.weather.herds[card], game.herds.supply[game.seat]) + game.weather.steps[card]
            if value > most:
                best, most = place, value
        return best
    if game.decision == game.wave:
        best, most = game.islands.size, 0
        for island in game.options:
            if island < game.islands.size and game.rival(island) - 2 * game.herds[game.seat, island] > most:
                best, most = island, game.rival(island) - 2 * game.herds[game.seat, island]
        return best
    if game.decision == game.breed:
        for island in game.options:
            if island < game.islands.size:
                mine = game.herds[game.seat, island]
                value = game.worth_with(mine + 1, island) - game.worth_with(mine, island)
                if value > most:
                    best, most = island, value
        return best
    best, most = game.routes.size, 0
    for route in game.options:
        if route < game.routes.size:
            value = game.gain(game.routes.start(route), game.routes.end(route))
            if value > most:
                best, most = route, value
    return best


@bot(Fens)
def spreader(game, guard=trait(2, 1, 4, "herds that it keeps on an island when it moves on")):
    """Moves much: settles where most routes meet, and goes to islands that it can lead at once."""
    best, most = -1, -1000
    if game.decision == game.settle:
        for island in game.options:
            value = 40 * game.islands.degree(island) + 4 * WORTH[island] + game.below(4)
            if value > most:
                best, most = island, value
        return best
    if game.decision == game.pick:
        for place in game.options:
            card = game.row[place]
            value = 2 * min(game.weather.herds[card], game.herds.supply[game.seat]) + 3 * game.weather.steps[card]
            if value > most:
                best, most = place, value
        return best
    if game.decision == game.wave:
        return "stay"
    if game.decision == game.breed:
        for island in game.options:
            if island < game.islands.size:
                mine = game.herds[game.seat, island]
                value = game.worth_with(mine + 1, island) - game.worth_with(mine, island) - 20 * mine
                if value > most:
                    best, most = island, value
        return best
    best, most = game.routes.size, 0
    for route in game.options:
        if route < game.routes.size:
            start, end = game.routes.start(route), game.routes.end(route)
            spare = game.herds[game.seat, start] > max(guard - 1, game.rival(start) + 1)
            leads = game.herds[game.seat, end] <= game.rival(end) <= game.herds[game.seat, end] + 1
            value = 2 * WORTH[end] - game.rival(end)
            if spare and leads and value > most:
                best, most = route, value
    return best
