"""Pig as one class: the same games as simlab.games.pig."""

from simlab.author import Game, bot, choice, knob, number, per_seat, trait


class Pig(Game):
    """Pig: throw one die as often as you dare, and lose the turn's points on a one."""

    players = 2
    turn_name = "turn"
    max_turns = 400
    goal = knob(100, 10, 300, "points that win")
    die_sides = knob(6, 2, 20, "sides of the die")
    bust_number = knob(1, 1, 20, "the result that loses the turn's points")
    head_start = knob(0, 0, 50, "points of the second seat at the start")

    points = per_seat()
    at_stake = number()
    busts = number(metric="turns lost", low=0)

    def setup(self):
        """P-1.1: nobody has points, and the first seat begins."""
        self.points[1] = self.head_start
        self.ask(self.throw, 0)

    @choice("roll", "hold")
    def throw(self, option):
        """P-2.1: roll, or keep the points of this turn."""
        if option == "roll":
            self.roll_die()
        else:
            self.bank()

    def may_throw(self, option):
        """P-2.3: hold only if there is something to keep."""
        return option == "roll" or self.at_stake > 0

    def roll_die(self):
        """P-2.2: the roll is added; the bust number loses it all."""
        pips = self.roll(self.die_sides)
        if pips == self.bust_number:
            self.busts += 1
            self.at_stake = 0
            self.pass_turn()
        else:
            self.at_stake += pips
            if self.points[self.seat] + self.at_stake >= self.goal:
                self.bank()

    def bank(self):
        """P-2.4: points at stake are safe, and the goal wins."""
        self.points[self.seat] += self.at_stake
        self.at_stake = 0
        if self.points[self.seat] >= self.goal:
            self.end("goal", self.seat)
        else:
            self.pass_turn()

    def pass_turn(self):
        """P-2.5: the other seat is next."""
        if self.turn >= 400:
            self.end("exhaustion")
        else:
            self.turn += 1
            self.ask(self.throw, self.next_seat())

    def score(self, seat):
        return self.points[seat]


@bot(Pig)
def hold_at(game, stop=trait(20, 1, 100, "points at which it holds")):
    """Holds at a number of points."""
    return "hold" if game.at_stake >= stop else "roll"


@bot(Pig)
def racer(game):
    """Rolls to the end once somebody is near the goal."""
    if any(game.points[seat] >= game.goal - 25 for seat in game.seats):
        return "roll"
    return "hold" if game.at_stake >= 21 else "roll"
