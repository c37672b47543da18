from simlab.author import NONE, Game, choice, number, numbers


class Mtwo(Game):
    """Cubes on four cities in a ring; a fourth cube is an outbreak that infects both neighbours once."""

    players = 1
    cubes = numbers(4)
    out = numbers(4)
    outbreaks = number(metric="outbreaks")
    go = choice("go")

    def play(self):
        """V-1: twelve cubes fall."""
        self.ask(self.go)
        for _ in range(12):
            self.out.fill(0)
            self.infect(self.below(4))
        if self.outbreaks > 2:
            self.end("many", 0)
        self.end("few", NONE)

    def infect(self, city):
        if self.out[city] == 1:
            return
        if self.cubes[city] == 3:
            self.outbreak(city)
        else:
            self.cubes[city] += 1

    def outbreak(self, city):
        self.out[city] = 1
        self.outbreaks += 1
        self.infect((city + 1) % 4)
        self.infect((city + 3) % 4)
