from simlab.author import NONE, Game, choice, number


class Bthree(Game):
    """Two methods that call each other; the first returns before it calls."""

    players = 1
    seen = number(metric="steps")
    go = choice("go")

    def play(self):
        """V-1: counts."""
        self.ask(self.go)
        self.up(self.below(5))
        if self.seen > 2:
            self.end("deep", 0)
        self.end("flat", NONE)

    def up(self, n):
        if n > 0:
            self.down(n)

    def down(self, n):
        self.seen += 1
        self.up(n - 1)
