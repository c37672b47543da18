"""Pig: throw one die as often as you dare; a one loses the turn. Best play is known for every position.

Source: Neller and Presser (2004), Optimal play of the dice game Pig, The UMAP Journal 25(1), 25-47.
"""

from simlab.author import NONE, Game, bot, choice, knob, number, per_seat, trait
from simlab.games.pig.optimal import GOAL, read_table

LAST_TURN = 400
HOLDS = read_table()


class Pig(Game):
    """Two players throw a die as often as they dare; best play is known exactly."""

    players = 2
    seat_names = ("first", "second")
    max_turns = LAST_TURN
    max_decisions = 60_000
    goal = knob(100, 10, 100, "points that win", unit="points")
    die_sides = knob(6, 2, 20, "sides of the die", unit="sides")
    bust_number = knob(1, 1, 21, "the number that loses the points at stake; above die_sides there is no bust")
    head_start = knob(0, 0, 9, "points that the second seat begins with, to make up for going second", unit="points")

    points = per_seat(score=(0, 120))
    at_stake = number()
    busts = number(metric="turns lost to the bust number", low=0, high=LAST_TURN)
    margin = number(metric="points between the two players", low=0, high=120)
    throw = choice("roll", "hold")

    def play(self):
        """P-1.1: nobody has points; the first seat begins. The second seat may be given a head start."""
        self.points[1] = self.head_start
        while True:
            self.take_turn()
            """P-2.4: then the other seat is next."""
            if self.turn >= LAST_TURN:
                """P-3.2: after 400 turns the game ends without a winner."""
                self.end("exhaustion", NONE)
            self.turn += 1
            self.seat = self.next_seat()

    def may_throw(self, option):
        return option == "roll" or self.at_stake > 0

    def take_turn(self):
        """P-2.1: in your turn, roll the die and add it to what is at stake, as often as you like."""
        while self.ask(self.throw) == "roll":
            pips = self.roll(self.die_sides)
            if pips == self.bust_number:
                """P-2.2: the bust number loses all that is at stake and ends the turn."""
                self.busts += 1
                self.at_stake = 0
                return
            self.at_stake += pips
            if self.points[self.seat] + self.at_stake >= self.goal:
                """P-2.5: a player with the goal in points and stake together holds at once: rolling gains nothing."""
                break
        """P-2.3: hold: what is at stake becomes yours, and the turn ends. You must have rolled."""
        self.points[self.seat] += self.at_stake
        self.at_stake = 0
        self.margin = abs(self.points[0] - self.points[1])
        if self.points[self.seat] >= self.goal:
            """P-3.1: the first to hold the goal wins at once."""
            self.end("goal", self.seat)


@bot(Pig)
def hold_at(game, points=trait(20, 1, 100, "hold once this many points are at stake")):
    """Holds once `points` are at stake; 20 brings the most points per turn on average."""
    return "hold" if game.at_stake > 0 and game.at_stake >= points else "roll"


@bot(Pig)
def racer(
    game,
    points=trait(21, 1, 100, "points at stake to hold at when both are level"),
    pace=trait(8.0, 1.0, 100.0, "points that the other is ahead by, for one more at stake"),
    rush=trait(29, 0, 100, "once either needs no more than this, it rolls until it wins"),
):
    """Keeps pace and ends the race: a rule that a person can remember (Neller and Presser 2010)."""
    own, other = game.points[game.seat], game.points[game.next_seat()]
    if game.at_stake == 0 or game.goal - max(own, other) <= rush:
        return "roll"
    return "hold" if game.at_stake >= points + round((other - own) / pace) else "roll"


@bot(Pig)
def optimal(game):
    """Plays what value iteration found for the six-sided die that busts on a one, whatever the goal (Neller 2004)."""
    if game.at_stake == 0:
        return "roll"
    own, other = game.goal - game.points[game.seat], game.goal - game.points[game.next_seat()]
    bit = (own * (GOAL + 1) + other) * GOAL + game.at_stake
    return "hold" if HOLDS[bit // 8] >> (7 - bit % 8) & 1 else "roll"
