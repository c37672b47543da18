from simlab.author import NONE, Game, choice, number


class Bone(Game):
    """Counts down, with a flag that is passed on."""

    players = 1
    seen = number(metric="depth")
    go = choice("go")

    def play(self):
        """V-1: counts."""
        self.ask(self.go)
        self.seen = self.depth(self.below(5), True)
        if self.seen > 2:
            self.end("deep", 0)
        self.end("flat", NONE)

    def depth(self, n, first):
        if n == 0 and not first:
            return 0
        if n == 0:
            return 9
        return 1 + self.depth(n - 1, False)
