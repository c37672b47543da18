"""Phase 6, the rounds and the end: the ledger's 3.7, 3.18 and 3.20."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.games.westphalia.reference.board import ALONE, CAPITAL, CATHOLIC, PLAIN, RELIGIOUS, TOWN, WORKS, Play
from tests.games.westphalia.reference.leagues import Leagues

NEED = {5: (33, 7), 6: (37, 6), 7: (49, 7), 8: (52, 6)}
ENDINGS = ("catholic_victory", "protestant_victory", "peace_of_westphalia")


class Peace(Leagues):
    """One game from set-up to end."""

    def play(self) -> Play:
        """Plays on; at the end `winners` and `ending` say how it ended."""
        self.last_roll = -1
        self.winners: list[int] = []
        self.ending = ""
        yield from self.set_up()
        rounds = int(self.knobs["n_rounds"])
        for self.round in range(1, rounds + 1):
            self.gone = [False] * self.players
            self.upheaval()
            yield from self.conversions()
            yield from self.council()
            yield from self.spread()
            yield from self.games_of_two()
            for seat in self.order:
                yield from self.diplomacy(seat)
            self.deal()
            yield from self.declare()
            yield from self.battle_phases()
            self.post_war()
            if RELIGIOUS in self.declared:
                yield from self.religious_war()
            yield from self.foreign_powers()
            yield from self.election()
            if self.round == int(self.knobs["lepanto_round"]) and not self.reformation:
                self.reform(int(self.knobs["reformation_saints"]) if self.knobs["lepanto_saints"] == "yes" else 0)
            if self.round >= rounds - 1 and self.religious_victory():
                return
        yield from self.westphalia()

    # --- Phase 6 ---

    def foreign_powers(self) -> Play:
        self.phase = 6
        if self.round > int(self.knobs["fp_last_round"]):
            return
        for seat in self.order:
            if self.edge[seat] is None and self.may_leave(seat):
                edge = yield from self.ask("D39", seat, list(range(7)))
                if edge < 6:
                    yield from self.exile(seat, edge)

    def room_left(self) -> int:
        return sum(max(0, int(self.knobs["principality_max_size"]) - self.size(pr)) for pr in self.on_map)

    def may_leave(self, seat: int) -> bool:
        """WP-FP-02, 08."""
        towns = len(self.of_kind(seat, TOWN))
        excess = len(self.land(seat)) - towns - 4
        room = self.room_left() + towns * (int(self.knobs["principality_max_size"]) - 1)
        return len(self.box) >= towns + 1 and room >= excess

    def exile(self, seat: int, edge: int) -> Play:
        self.edge[seat] = edge
        for at in self.of_kind(seat, TOWN):
            self.evaluate(self.release(seat, at))
        while len(self.land(seat)) > 4:
            hexes, takers = self.givings(seat)
            at = yield from self.ask("D40", seat, hexes)
            pr = yield from self.ask("D40b", seat, takers(at))
            self.hand_over(at, pr)
            self.gain(pr, seat, int(self.knobs["gift_di"]))
            self.evaluate(pr)
        self.take_home(seat)
        home = self.capital[seat]
        pr = self.found([home, *sorted(self.lands[seat] - {home})], self.creed[home])
        self.gain(pr, seat, self.size(pr))
        self.evaluate_all()

    def givings(self, seat: int) -> tuple[list[int], Callable[[int], list[int]]]:
        """WP-FP-07, 08: what can be given away, and to whom."""
        small = [pr for pr in self.on_map if self.size(pr) < int(self.knobs["principality_max_size"])]
        ways = (
            self.recipients,
            lambda at: [pr for pr in small if self.pr_faith[pr] == self.creed[at]],
            lambda at: small,
        )
        for way in ways:
            hexes = [at for at in self.of_kind(seat, PLAIN) if way(at)]
            if hexes:
                return hexes, way
        raise AssertionError("nothing to give, and yet he left")

    # --- The end ---

    def religious_victory(self) -> bool:
        """WP-END-01 to 05."""
        faith = self.faith[self.emperor]
        provinces, electors = NEED[self.players]
        if self.knobs["need_provinces"]:
            provinces = math.ceil(int(self.knobs["need_provinces"]) * len(self.hexes) / 100)
        electors = int(self.knobs["need_electors"]) or electors
        have = sum(creed == faith for creed in self.creed.values())
        if self.knobs["home_counts_for_majority"] == "yes":
            have += sum(self.edge[s] is not None and self.faith[s] == faith for s in self.seats)
        if have < provinces or sum(self.pr_faith[pr] == faith for pr in self.electors) < electors:
            return False
        self.winners = [s for s in self.seats if self.role[s] == (WORKS if faith == CATHOLIC else ALONE)]
        self.ending = ENDINGS[faith] if self.winners else ""
        return bool(self.winners)

    def final_power(self, seat: int) -> int:
        """WP-END-07."""
        towns = self.orthodox_towns(seat)
        if self.knobs["capital_counts_as_town"] == "yes":
            towns += sum(self.creed[at] == self.faith[seat] for at in self.of_kind(seat, CAPITAL))
        return self.power(seat, home=False) + int(self.knobs["final_town_bonus"]) * towns

    def westphalia(self) -> Play:
        self.ending = ENDINGS[2]
        final = [self.final_power(seat) for seat in self.seats]
        tied = [seat for seat in self.order if final[seat] == max(final)]
        if self.knobs["emperor_tiebreak"] == "initiative":
            self.winners = tied[:1]
        else:
            self.winners = [(yield from self.ask("D43", self.emperor, tied))]
