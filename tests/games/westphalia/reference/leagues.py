"""Phase 5, Religious War: the ledger's 3.17."""

from __future__ import annotations

from tests.games.westphalia.reference.board import ALONE, CATHOLIC, HELL, PROTESTANT, SIN, STOP_PR, UPRIGHT, WORKS, Play
from tests.games.westphalia.reference.war import Wars

CATHOLIC_LEAGUE, EVANGELICAL_LEAGUE = 1, 2


class Leagues(Wars):
    """Religious War."""

    @property
    def victims(self) -> list[int]:
        """Target Principalities in order of declaration."""
        return sorted((pr for pr, flame in self.flame.items() if flame == UPRIGHT), key=self.by_declarer)

    def by_declarer(self, pr: int) -> int:
        return self.order.index(self.declarer[pr])

    def members(self, league: int) -> list[int]:
        return [seat for seat in self.order if self.league[seat] == league]

    def religious_war(self) -> Play:
        self.phase = 5
        yield from self.form()
        beaten: set[int] = set()
        fought = bool(self.members(1) and self.members(2))
        if fought:
            champion = {pr: self.league[ally] for pr, ally in self.ally.items() if ally is not None}
            beaten = yield from self.league_battle()
            if len(beaten) == 2:
                beaten = set()
        else:
            beaten = {league for league in (1, 2) if not self.members(league)}
        for league in beaten:
            for seat in self.members(league):
                for pr in self.victims:
                    self.di[pr][seat] = 0
        if beaten:
            self.evaluate_all()
        for pr in self.victims:
            if 1 + self.pr_faith[pr] in beaten:
                self.turned.append(pr)
        for pr in self.turned:
            self.convert(pr)
            self.make_ally(pr, self.declarer[pr])
        if fought and beaten:
            won = 3 - beaten.pop()
            yield from self.electorate(won, champion)
            losers = self.members(3 - won)
            for seat in self.members(won):
                prs = [pr for pr in self.on_map if self.ally[pr] in losers and self.flame.get(pr) != UPRIGHT]
                yield from self.treaty(seat, prs, losers, None)
        self.flame = {}
        self.declarer = {}
        self.league = [0] * self.players

    # --- The Leagues form ---

    def form(self) -> Play:
        self.turned: list[int] = []
        for seat in self.order:
            if self.league[seat]:
                self.shun(seat)
        for seat in self.order:
            if self.league[seat]:
                continue
            choices = {WORKS: [0, 1], ALONE: [0, 2], SIN: [0, 1, 2], HELL: [0, 1, 2]}[self.role[seat]]
            self.league[seat] = yield from self.ask("D36", seat, choices)
            if not self.league[seat]:
                for pr in self.victims:
                    self.di[pr][seat] = 0
                self.evaluate_all()
            elif self.role[seat] in (WORKS, ALONE):
                self.shun(seat)
        for pr in self.victims:
            members = self.members(1 + self.pr_faith[pr])
            if members:
                self.make_ally(pr, max(members, key=lambda seat: self.di[pr][seat]))  # the first of several

    def shun(self, seat: int) -> None:
        """WP-REL-02, 04: influence lost on principalities of the other faith."""
        for pr in self.on_map:
            if self.pr_faith[pr] != (CATHOLIC if self.league[seat] == CATHOLIC_LEAGUE else PROTESTANT):
                self.lose(pr, seat, 1)
        self.evaluate_all()

    # --- The battle of the Leagues ---

    def league_battle(self) -> Play:
        """Returns the Leagues that are defeated."""
        self.melee = True
        force = [self.power(seat) for seat in self.seats]
        all_members = [seat for seat in self.order if self.league[seat]]
        self.muster(all_members, force, {seat: n % 4 for n, seat in enumerate(all_members)})
        self.queue = {1: self.members(1), 2: self.members(2)}
        self.slots: list[list[int | None]] = [[None, None] for _ in range(4)]  # Catholic, Evangelical
        self.pair_off()
        if self.knobs["rw_automatic_double_ip"] == "yes":
            for slot in self.slots:
                one, other = slot
                if one is not None and other is not None:
                    if self.twice(force[one], force[other]):
                        self.leave(other)
                    elif self.twice(force[other], force[one]):
                        self.leave(one)
            self.regroup()
        for seat in all_members:
            if self.duelling(seat) is not None or any(seat in queue for queue in self.queue.values()):
                self.foe[seat] = self.opponent(seat)
                yield from self.prepare(seat)
        self.empty_leave()
        while not self.defeated():
            fighters = [s for slot in self.slots for s in slot if s is not None]
            played = yield from self.choose(fighters)
            for slot in self.slots:
                one, other = slot
                if one is None or other is None:
                    continue
                for seat in sorted((yield from self.clash(one, other, played))):
                    self.leave(seat)
                for seat in (one, other):
                    if seat in slot and not sum(self.hand[seat]) and not self.may_still_call(seat):
                        self.leave(seat)
            for seat in self.order:
                if self.duelling(seat) is not None and not sum(self.hand[seat]):
                    yield from self.call(seat)
                    if not sum(self.hand[seat]):
                        self.leave(seat)
            for seat in self.order:
                if self.duelling(seat) is not None:  # his foe may have left: the war goes on for him (l.275)
                    yield from self.call(seat)
            self.empty_leave()
        return self.defeated()

    def duelling(self, seat: int) -> list[int | None] | None:
        return next((slot for slot in self.slots if seat in slot), None)

    def opponent(self, seat: int) -> int | None:
        slot = self.duelling(seat)
        return None if slot is None else slot[1] if slot[0] == seat else slot[0]

    def may_still_call(self, seat: int) -> bool:
        """WP-REL-16, the other reading: an emptied hand may be filled."""
        may = self.reserve[seat] and not self.called[seat] and sum(self.pile[seat])
        return bool(may) and self.knobs["rw_empty_may_call"] == "yes"

    def leave(self, seat: int) -> None:
        slot = self.duelling(seat)
        assert slot is not None
        slot[slot.index(seat)] = None

    def against(self, winner: int, loser: int) -> int | None:
        """WP-REL-15."""
        if not self.melee:
            return super().against(winner, loser)
        if self.present(self.league[loser]) != [loser]:
            return None
        return sum(sum(self.hand[seat]) for seat in self.present(self.league[winner]))

    def present(self, league: int) -> list[int]:
        fighting = [slot[league - 1] for slot in self.slots]
        return [seat for seat in fighting if seat is not None] + self.queue[league]

    def defeated(self) -> set[int]:
        return {league for league in (1, 2) if not self.present(league)}

    def empty_leave(self) -> None:
        """WP-REL-16, 18: those without cards leave, all at once, until every duel has cards."""
        while True:
            for seat in [s for slot in self.slots for s in slot if s is not None and not sum(self.hand[s])]:
                self.leave(seat)
            before = [list(slot) for slot in self.slots]
            self.regroup()
            if before == self.slots:
                return

    def regroup(self) -> None:
        """WP-REL-18."""
        for slot in self.slots:
            for league in (1, 2):
                seat = slot[league - 1]
                if seat is not None and slot[2 - league] is None:
                    if self.queue[3 - league]:
                        slot[2 - league] = self.queue[3 - league].pop(0)
                    else:
                        slot[league - 1] = None
                        self.queue[league].append(seat)
        self.pair_off()

    def pair_off(self) -> None:
        while self.queue[1] and self.queue[2]:
            slot = next(slot for slot in self.slots if slot == [None, None])
            slot[:] = [self.queue[1].pop(0), self.queue[2].pop(0)]

    # --- The Electorate ---

    def electorate(self, won: int, champion: dict[int, int]) -> Play:
        """WP-REL-22 to 25."""
        side = self.league[self.emperor]
        if not side:
            return
        members = self.members(won)
        chooser = self.emperor if side == won else members[0]
        stripped = 3 - won
        for pr in sorted(pr for pr in self.electors if champion.get(pr) == stripped):
            others = [other for other in self.on_map if other not in self.electors]
            new = yield from self.ask("D37", chooser, [*others, STOP_PR])
            if new == STOP_PR:
                continue
            if side != won:
                votes = yield from self.ask_all("D38", {s: [0, 1] for s in members if s != chooser})
                if not 2 * (1 + sum(votes.values())) > len(members):
                    continue
            self.electors.remove(pr)
            self.electors.add(new)
