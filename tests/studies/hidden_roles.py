"""A game in which only the role decides: every seat wins as often as another, and the wrecker at a known rate."""

from simlab.author import Game, choice, knob, per_seat


class HiddenRoles(Game):
    """One of three seats is the wrecker. It wins alone with a chance of `power` in 10; if not, the two healers win."""

    players = 3
    power = knob(5, 0, 10, "chance of the wrecker, in tenths")
    role = per_seat(names=("wrecker", "healer"), metric="role dealt at the start")
    strike = choice("strike")

    def play(self):
        """H-1: roles are dealt."""
        self.role.fill(1)
        self.role[self.below(3)] = 0
        self.ask(self.strike)
        """H-2: the wrecker wins, or the others do."""
        if self.roll(10) <= self.power:
            self.end("wrecked")
        self.end("healed")

    def wins(self, seat):
        return (self.role[seat] == 0) == (self.ending == "wrecked")
