"""The shelf: maps of regions, the routes between them, and the pieces of the seats on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simlab.author.fields import SEATS, Field, Grid
from simlab.author.shelf import Component
from simlab.errors import InputError, nearest
from simlab.spec.record import Description

_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


class Map(Component):
    """A map of regions and their neighbours.

        islands = Map({"alder": ["birch", "cress"], "birch": ["cress"], "cress": []})  # neighbours, both ways
        fen = Map([". alder birch", "cress dock elm"])  # rows of hexes

    A region is a number, in the order in which the names appear. In rows of hexes, every second row is half a hex
    further right, and a dot is a gap. The report and the replay draw a map of hexes with `Pieces` on it.
    """

    draws = True

    def __init__(self, regions: Mapping[str, Sequence[str]] | Sequence[str]) -> None:
        self.hexes: list[tuple[int, int]] = []
        if isinstance(regions, Mapping):
            self.labels = list(regions)
            pairs = {
                pair
                for name, others in regions.items()
                for other in others
                for pair in _both_ways(self.labels, name, other)
            }
        else:
            cells = [(row, place, name) for row, text in enumerate(regions) for place, name in enumerate(text.split())]
            self.labels = [name for _, _, name in cells if name != "."]
            self.hexes = [(place - row // 2, row) for row, place, name in cells if name != "."]
            numbers = {at: number for number, at in enumerate(self.hexes)}
            around = [(n, (q + dq, r + dr)) for n, (q, r) in enumerate(self.hexes) for dq, dr in _AROUND]
            pairs = {(n, numbers[at]) for n, at in around if at in numbers}
        self.size = len(self.labels)
        twice = next((name for name in self.labels if self.labels.count(name) > 1), "")
        if twice:
            raise InputError(f"Map: '{twice}' names two regions.")
        if not pairs:
            raise InputError("Map: no region has a neighbour.")
        routes = sorted(pairs)
        self.starts, self.ends = tuple(start for start, _ in routes), tuple(end for _, end in routes)
        self.firsts = tuple(sum(start < region for start in self.starts) for region in range(self.size + 1))

    def degree(self, region: int) -> int:
        """How many neighbours a region has."""
        return self.firsts[region + 1] - self.firsts[region]

    def neighbour(self, region: int, n: int) -> int:
        """A neighbour of a region; n is 0 to degree - 1."""
        return self.ends[self.firsts[region] + n]

    def random_neighbour(self, region: int) -> int:
        """A random neighbour of a region, all equally likely."""
        return self.neighbour(region, self.below(self.degree(region)))

    def adjacent(self, region: int, other: int) -> bool:
        """Whether two regions are neighbours."""
        for route in range(self.firsts[region], self.firsts[region + 1]):
            if self.ends[route] == other:
                return True
        return False


class Routes(Component):
    """The routes of a map, one for each direction: the options of a decision on where to move from and to.

    islands = Map([". alder birch", "cress dock elm"])
    routes = Routes(islands)  # choice(routes, "stop"); self.routes.start(route), self.routes.end(route)
    """

    def __init__(self, map: Map) -> None:  # noqa: A002 - as in a call
        self.map = map
        self.labels = [f"{map.labels[a]} to {map.labels[b]}" for a, b in zip(map.starts, map.ends, strict=True)]
        self.size = len(self.labels)

    def start(self, route: int) -> int:
        """The region where a route begins."""
        return self.map.starts[route]

    def end(self, route: int) -> int:
        """The region where a route ends."""
        return self.map.ends[route]


class Pieces(Component):
    """The pieces of each seat on a map, and its supply. self.herds[seat, region] is how many lie there.

    islands = Map([". alder birch", "cress dock elm"])
    herds = Pieces(islands, each=12)
    """

    item = "counts"
    counts: Grid
    supply: list[int]

    def __init__(self, map: Map, each: int) -> None:  # noqa: A002 - as in a call
        self.map, self.each = map, each

    def fields(self) -> dict[str, Field]:
        return {
            "counts": Field((SEATS, self.map), low=0, high=self.each),
            "supply": Field((SEATS,), self.each, low=0, high=self.each),
        }

    def place(self, seat: int, region: int) -> None:
        """Puts a piece from the supply on a region."""
        self.supply[seat] -= 1
        self.counts[seat, region] += 1

    def remove(self, seat: int, region: int) -> None:
        """Puts a piece from a region back into the supply."""
        self.counts[seat, region] -= 1
        self.supply[seat] += 1

    def move(self, seat: int, start: int, end: int) -> None:
        """Moves a piece from one region to another."""
        self.counts[seat, start] -= 1
        self.counts[seat, end] += 1

    def total(self, region: int) -> int:
        """How many pieces of all seats lie on a region."""
        return sum(self.counts[seat, region] for seat in self.seats)

    def on_map(self, seat: int) -> int:
        """How many pieces of a seat lie on the map."""
        return sum(self.counts[seat, region] for region in range(self.map.size))

    def most_on_map(self) -> int:
        """The largest number of pieces that a seat has on the map."""
        return max(self.on_map(seat) for seat in self.seats)

    def counted(self) -> list[tuple[str, int | None, str]]:
        return [("{} of one player on the map", self.each, "most_on_map")]

    def rank(self, seat: int, region: int) -> int:
        """A seat's rank in a region: 1 for the most pieces, 2 if one seat has more; 0 without pieces there."""
        if self.counts[seat, region] == 0:
            return 0
        return 1 + sum(1 for other in self.seats if self.counts[other, region] > self.counts[seat, region])

    def tied(self, seat: int, region: int) -> int:
        """How many seats have as many pieces on a region as this seat, itself included."""
        return sum(1 for other in self.seats if self.counts[other, region] == self.counts[seat, region])

    def words(self, seat: int | None) -> Description:
        names = self.game.seat_names
        seen: Description = {
            f"{name}'s supply of {self.called}": str(self.supply[owner]) for owner, name in enumerate(names)
        }
        return seen | {label: self.listed(region) or "empty" for region, label in enumerate(self.map.labels)}

    def listed(self, region: int) -> str:
        """The pieces on a region, in words."""
        names = enumerate(self.game.seat_names)
        return ", ".join(f"{self.counts[owner, region]} {name}" for owner, name in names if self.counts[owner, region])

    def leader(self, region: int) -> str:
        """The name of the seat that has more pieces on a region than any other; "" if seats tie or it is empty."""
        first = [owner for owner in self.seats if self.rank(owner, region) == 1]
        return str(self.game.seat_names[first[0]]) if len(first) == 1 else ""


def _both_ways(labels: list[str], name: str, other: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two regions as a pair of numbers, in both directions."""
    if other not in labels or name == other:
        why = "itself" if name == other else f"'{other}', which is not a region. {nearest(other, labels)}"
        raise InputError(f"Map: the neighbours of '{name}' contain {why}.")
    a, b = labels.index(name), labels.index(other)
    return (a, b), (b, a)
