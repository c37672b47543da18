from simlab.author import NONE, Game, choice, number


class Vone(Game):
    """Counts down."""

    players = 1
    depth_seen = number(metric="depth")
    go = choice("go")

    def play(self):
        """V-1: counts."""
        self.ask(self.go)
        self.depth_seen = self.depth(self.below(5))
        if self.depth_seen > 2:
            self.end("deep", 0)
        self.end("flat", NONE)

    def depth(self, n):
        if n == 0:
            return 0
        return 1 + self.depth(n - 1)
