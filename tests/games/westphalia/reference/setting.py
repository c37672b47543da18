"""Set-up and elections: the ledger's 3.6 and 3.19."""

from __future__ import annotations

from tests.games.westphalia.reference.board import (
    CAPITAL,
    CATHOLIC,
    ELECTOR_SIZES,
    FIRST,
    PLAIN,
    STOP_PR,
    Board,
    Play,
)


class Setting(Board):
    """Lays out the game; elects the Emperor."""

    def set_up(self) -> Play:
        mode = self.knobs["setup_mode"]
        if self.knobs["setup_order"] == "held":
            self.order = [(int(self.knobs["order_shift"]) + n) % self.players for n in self.seats]
        else:
            self.order = self.luck.order()
            assert sorted(self.order) == self.seats
        self.setup_order = list(self.order)
        if mode == "standard":
            self.standard()
        elif mode == "placed":
            yield from self.placed()
        else:
            self.adopt(self.luck.board())
        assert set(self.owner) == set(self.hexes)
        for seat in self.order:
            for _ in range(int(self.knobs["start_di"])):
                pr = yield from self.ask("D07", seat, self.on_map)
                self.gain(pr, seat, 1)
                self.evaluate(pr)
        yield from self.elect()
        self.store(self.emperor, int(self.knobs["emperor_di"]))

    def standard(self) -> None:
        """WP-SET-13: the fixed positions."""
        if self.knobs["start_places"] == "held":
            places = [(seat + int(self.knobs["start_shift"])) % self.players for seat in self.seats]
        else:
            places = self.luck.places()
            assert sorted(places) == self.seats
        for seat, place in enumerate(places):
            for n, at in enumerate(self.positions[f"S{place}"]):
                self.settle(at, seat, PLAIN if n else CAPITAL)
        for name, hexes in self.positions.items():
            if not name.startswith("S"):
                self.create(int(name), hexes, CATHOLIC)
        if self.players == 5 and self.knobs["five_player_map"] == "72":
            self.create(23, self.positions["S5"], CATHOLIC)  # WP-MAP-02
        self.electors = set(ELECTOR_SIZES)

    # --- The real procedure, WP-SET-04 to 09 ---

    @property
    def empty(self) -> set[int]:
        return set(self.hexes) - set(self.owner)

    def fitting(self, picked: list[int]) -> list[int]:
        """Hexes that make a free clover or C with those picked."""
        empty = self.empty | set(picked)
        return sorted({at for s in self.shapes if s <= empty and s >= set(picked) for at in s} - set(picked))

    def placed(self) -> Play:
        for seat in self.order:
            hexes: list[int] = []
            for kind in ("D01", "D02", "D03"):
                hexes.append((yield from self.ask(kind, seat, self.fitting(hexes))))
            for n, at in enumerate(hexes):
                self.settle(at, seat, PLAIN if n else CAPITAL)
        turn = 0
        left = list(ELECTOR_SIZES)
        while left:
            seat = self.order[turn % self.players]
            turn += 1
            elector = yield from self.ask("D04", seat, left)
            left.remove(elector)
            hexes = []
            area = self.areas(ELECTOR_SIZES[elector])
            for _ in range(ELECTOR_SIZES[elector]):
                free = self.empty - set(hexes)
                touching = {at for at in free if self.beside[at] & set(hexes)}
                some = touching if hexes and touching else free & area if area and not hexes else free
                hexes.append((yield from self.ask("D05", seat, sorted(some))))
            self.create(elector, hexes, CATHOLIC)
            self.electors.add(elector)
        while self.empty and self.next_name() is not None:
            seat = self.order[turn % self.players]
            turn += 1
            hexes = []
            for size in (3, 2, 1):
                if self.openings(size):
                    break
            for _ in range(size):
                hexes.append((yield from self.ask("D06", seat, self.openings(size, hexes))))
            pr = self.next_name()
            assert pr is not None
            self.create(pr, hexes, CATHOLIC)
        self.fill_up()

    def next_name(self) -> int | None:
        """WP-SET-08."""
        return next((pr for pr in self.box if pr >= len(ELECTOR_SIZES)), None)

    def areas(self, size: int) -> set[int]:
        """Free hexes in connected areas of at least this size."""
        rest, large = self.empty, set()
        while rest:
            area = {rest.pop()}
            reach = list(area)
            while reach:
                fresh = self.beside[reach.pop()] & rest
                rest -= fresh
                area |= fresh
                reach += fresh
            if len(area) >= size:
                large |= area
        return large

    def openings(self, size: int, picked: list[int] | None = None) -> list[int]:
        """WP-SET-07: hexes for the next pick of a principality of this size."""
        picked = picked or []
        if size == 3:
            return self.fitting(picked)
        if size == 2 and picked:
            return sorted((self.beside[picked[0]] & self.empty) - set(picked))
        return sorted(at for at in self.empty if size == 1 or self.beside[at] & self.empty)

    def fill_up(self) -> None:
        """WP-SET-09: free hexes when no name is left."""
        for at in sorted(self.empty):
            small = [(self.size(pr), pr) for pr in self.on_map if self.size(pr) < 4]
            beside = [(n, pr) for n, pr in small if self.beside[at] & self.lands[FIRST + pr]]
            pr = min(beside)[1] if beside else min(pr for _, pr in small)
            self.hand_over(at, pr)

    def adopt(self, board: dict[int, list[int]]) -> None:
        """WP-SET-13, random_legal: a board that others laid, each placement checked as far as its order shows."""
        for seat in self.order:
            trio = board.pop(seat)
            assert frozenset(trio) in self.shapes
            for n, at in enumerate(trio):
                self.settle(at, seat, PLAIN if n else CAPITAL)
        filled_up = max(board) - FIRST == int(self.knobs["roster_size"]) - 1  # WP-SET-09 may have added hexes
        for power, hexes in sorted(board.items()):
            pr = power - FIRST
            if not filled_up and pr in ELECTOR_SIZES:
                assert len(hexes) == ELECTOR_SIZES[pr]
                assert len(hexes) == 1 or all(self.beside[at] & set(hexes) for at in hexes)
            elif not filled_up:
                size = next(n for n in (3, 2, 1) if self.openings(n))
                assert (len(hexes), pr) == (size, self.next_name())
                assert size < 3 or frozenset(hexes) in self.shapes
                assert size != 2 or hexes[1] in self.beside[hexes[0]]
            self.create(pr, hexes, CATHOLIC)
        self.electors = set(ELECTOR_SIZES)

    # --- Imperial Election, WP-ELE-01 to 04 ---

    def elect(self) -> Play:
        self.votes = [0] * self.players
        self.vote_of: dict[int, int] = {}
        of = {seat: [pr for pr in self.allies_of(seat) if pr in self.electors] for seat in self.order}
        if self.knobs["election_open"] == "open":
            for seat in self.order:
                for pr in of[seat]:
                    self.cast(pr, (yield from self.ask("D08", seat, self.seats)))
        elif any(of.values()):
            answers = yield "D08", {seat: [self.seats] * len(prs) for seat, prs in of.items() if prs}
            for seat, votes in answers.items():
                for pr, vote in zip(of[seat], votes, strict=True):
                    self.cast(pr, vote)
        counted = list(self.votes)
        for pr in sorted(self.electors):
            if self.ally[pr] is None:
                some = [seat for seat in self.order if self.faith[seat] == self.pr_faith[pr]]
                if some:
                    self.cast(pr, max(some, key=lambda seat: counted[seat]))  # the first of several
        self.emperor = max(self.order, key=lambda seat: self.votes[seat])

    def cast(self, pr: int, seat: int) -> None:
        self.vote_of[pr] = seat
        self.votes[seat] += 1

    def election(self) -> Play:
        """Phase 7, WP-ELE-06 and 07."""
        self.phase = 7
        yield from self.elect()
        gain = int(self.knobs["emperor_di"])
        if self.round < int(self.knobs["n_rounds"]):
            self.store(self.emperor, gain)
        else:
            for _ in range(gain):
                pr = yield from self.ask("D42", self.emperor, [*self.on_map, STOP_PR])
                if pr == STOP_PR:
                    break
                self.gain(pr, self.emperor, 1)
                self.evaluate(pr)
        if self.knobs["gold_leftover"] == "convert_all":
            for seat in self.order:
                self.store(seat, self.gold[seat] * int(self.knobs["di_per_gold"]))
                self.gold[seat] = 0
