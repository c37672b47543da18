from simlab.author import NONE, Game, choice, number


class Bthree(Game):
    """Two methods that call each other; the first returns before it calls."""

    players = 1
    seen = number(metric="steps")

    def setup(self):
        self.ask(self.go, 0)

    @choice("go")
    def go(self, option):
        """V-1: counts."""
        self.up(self.below(5))
        if self.seen > 2:
            self.end("deep", 0)
        else:
            self.end("flat", NONE)

    def up(self, n):
        if n > 0:
            self.down(n)

    def down(self, n):
        self.seen += 1
        self.up(n - 1)
