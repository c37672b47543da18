"""Phases 1 to 3: the ledger's 3.5 and 3.7 to 3.11."""

from __future__ import annotations

from tests.games.westphalia.reference.board import (
    ALONE,
    CAPITAL,
    CATHOLIC,
    FIRST,
    HELL,
    LYING,
    PLAIN,
    PROTESTANT,
    SIN,
    TOWN,
    WORKS,
    Play,
)
from tests.games.westphalia.reference.setting import Setting

MOST_GOLD, MOST_SAINTS = 40, 50


class Heresy(Setting):
    """Religious Upheaval, Combat Heresy, Engage in Diplomacy."""

    # --- Roles and Good Works ---

    def rank(self, seat: int) -> int:
        """WP-ROL-03."""
        saints = int(self.knobs["gw_per_saint"]) * self.saints[seat]
        return self.works[seat] + (saints if self.knobs["gw_rank_counts_saints"] == "yes" else 0)

    def good_works(self, seat: int, gain: int) -> None:
        """WP-ROL-01."""
        fresh, self.works[seat] = divmod(self.works[seat] + gain, int(self.knobs["gw_per_saint"]))
        self.sanctify(seat, fresh)

    def sanctify(self, seat: int, gain: int) -> None:
        self.saints[seat] = min(MOST_SAINTS, self.saints[seat] + gain)

    def pay(self, seat: int, gain: int) -> None:
        self.gold[seat] = max(0, min(MOST_GOLD, self.gold[seat] + gain))

    def refresh(self) -> None:
        """WP-ROL-04, 05."""
        catholics = [seat for seat in self.order if self.faith[seat] == CATHOLIC]
        ranked = sorted((seat for seat in catholics if self.rank(seat) >= 1), key=lambda seat: -self.rank(seat))
        for seat in catholics:
            self.role[seat] = WORKS if seat in ranked[: self.saved] else SIN

    # --- Phase 1 ---

    def upheaval(self) -> None:
        self.phase = 1
        early = self.round <= 2
        printed = self.players if early else 2 if self.players <= 6 else 3
        number = int(self.knobs["upheaval_early" if early else "upheaval_late"])
        number = printed if number < 0 else number
        catholic = [pr for pr in self.on_map if self.pr_faith[pr] == CATHOLIC]
        drawn = self.luck.upheaval(number)
        if early:
            assert drawn <= set(catholic)
            assert len(drawn) == min(number, len(catholic))
        elif self.knobs["late_upheaval"] == "flip":
            assert len(drawn) == min(number, len(self.di))
        else:
            protestant = len(self.di) - len(catholic)
            assert drawn <= set(catholic)
            assert min(number, len(self.di)) - protestant <= len(drawn) <= number
        for pr in drawn:
            self.convert(pr)
            if early:
                for at in self.beside[self.capital[FIRST + pr]]:
                    if self.owner[at] < FIRST and self.kind[at] != CAPITAL:
                        self.creed[at] = PROTESTANT
        others = [seat for seat in self.seats if seat != self.emperor]
        others.sort(key=lambda seat: (self.power(seat), (seat - self.emperor) % self.players))
        self.order = [self.emperor, *others]
        self.refresh()

    # --- Phase 2.1 ---

    def conversions(self) -> Play:
        self.phase = 2
        turning = yield from self.ask_all("D09", {s: [0, 1] for s in self.seats if self.edge[s] is None})
        for seat in self.order:
            if turning.get(seat):
                if self.faith[seat] == CATHOLIC:
                    self.to_protestantism(seat)
                else:
                    self.return_to_rome(seat)
                self.refresh()
        for seat in self.order:  # WP-INC-01
            self.pay(seat, int(self.knobs["income_capital"]))
            self.pay(seat, int(self.knobs["income_town"]) * self.orthodox_towns(seat))

    def to_protestantism(self, seat: int) -> None:
        self.faith[seat] = PROTESTANT
        self.creed[self.capital[seat]] = PROTESTANT
        self.works[seat] = self.saints[seat] = 0
        if self.monastery[seat]:
            self.monastery[seat] = False
            self.pay(seat, int(self.knobs["monastery_gold"]))
        self.role[seat] = ALONE if self.fa_free else HELL
        self.fa_free -= self.role[seat] == ALONE

    def return_to_rome(self, seat: int) -> None:
        if self.role[seat] == ALONE:
            self.role[seat] = SIN
            heir = next((s for s in self.order if self.role[s] == HELL), None)
            if heir is None:
                self.fa_free += 1
            else:
                self.role[heir] = ALONE
        alone = CATHOLIC not in self.faith
        least = min((self.rank(s) for s in self.seats if self.role[s] == WORKS), default=0)
        self.faith[seat] = CATHOLIC
        self.role[seat] = SIN
        self.creed[self.capital[seat]] = CATHOLIC
        if alone:
            self.sanctify(seat, self.round)
        self.good_works(seat, max(0, least - int(self.knobs["martyrs_gap"])))

    # --- Phase 2.2 ---

    def council(self) -> Play:
        catholics = [seat for seat in self.seats if self.faith[seat] == CATHOLIC]
        if self.reformation or not catholics:
            return
        trent = yield from self.ask_all("D10", {seat: [0, 1] for seat in catholics})
        for seat in self.order:
            if seat in trent:
                if trent[seat]:
                    self.good_works(seat, int(self.knobs["trent_gw"]))
                else:
                    self.store(seat, int(self.knobs["french_di"]))
        self.refresh()
        if 2 * sum(trent.values()) >= len(trent) and trent.get(self.emperor, 1):
            self.last_roll = self.luck.ottoman()
            if self.last_roll > int(self.knobs["ottoman_crescents"]):
                self.reform(int(self.knobs["reformation_saints"]))

    def reform(self, saints: int) -> None:
        """WP-TRE-05, 06."""
        self.reformation = True
        for seat in self.seats:
            if self.faith[seat] == CATHOLIC:
                self.sanctify(seat, saints)
        self.refresh()

    # --- Phase 2.3 ---

    def spread(self) -> Play:
        k = self.knobs
        self.dice = [0] * self.players
        for seat in self.seats:
            if self.faith[seat] == CATHOLIC:
                self.dice[seat] += self.saints[seat]
                if not self.reformation:
                    self.pay(seat, int(k["indulgence_gold"]))
        for seat in self.seats:
            if self.faith[seat] == CATHOLIC and self.monastery[seat]:
                self.good_works(seat, int(k["ora_gw"]))
        self.refresh()
        early = self.round <= int(k["early_rounds"])
        for seat in self.seats:
            if self.faith[seat] == PROTESTANT:
                self.dice[seat] += int(k["protestant_dice_early" if early else "protestant_dice_late"])
            if self.role[seat] in (ALONE, WORKS):
                self.dice[seat] += int(k["zeal_dice"])
            if self.faith[seat] == self.faith[self.emperor]:
                self.dice[seat] += int(k["sanction_dice"])
        spent = yield from self.ask_all("D11", {s: list(range(self.gold[s] + 1)) for s in self.seats})
        for seat, gold in spent.items():
            self.gold[seat] -= gold
            self.dice[seat] += gold * int(k["patronage_dice"])
        for seat in self.seats:
            self.dice[seat] = self.luck.successes(seat, self.dice[seat])
            if self.faith[seat] == CATHOLIC:
                self.good_works(seat, self.dice[seat])
        self.refresh()
        self.hex_dice = {at: [0, 0] for at in self.hexes}
        self.pr_dice = {pr: [0, 0] for pr in self.on_map}
        for seat in self.order:
            targets = self.targets(seat)
            while self.dice[seat] and targets:
                at = yield from self.ask("D12", seat, targets)
                self.dice[seat] -= 1
                self.put(seat, at)
            self.dice[seat] = 0
        self.resolve_dice()

    def chain(self, seat: int) -> set[int]:
        """WP-FTH-06: map hexes of the chain."""
        edge = self.edge[seat]
        chain: set[int] = set()
        beside_home = self.edges[edge] if edge is not None else {self.capital[seat]}
        reach = {at for at in beside_home if self.creed[at] == self.faith[seat]}
        while reach:
            chain |= reach
            reach = {b for at in reach for b in self.beside[at] if self.creed[b] == self.faith[seat]} - chain
        return chain

    def targets(self, seat: int) -> list[int]:
        """WP-FTH-07, 09; a principality stands for itself with its capital hex."""
        chain = self.chain(seat)
        reach = chain | {b for at in chain for b in self.beside[at]}
        edge = self.edge[seat]
        if edge is not None:
            reach |= self.edges[edge]
        reach |= self.lands.get(seat, set())
        if self.faith[seat] == CATHOLIC and not self.reformation:
            reach = {at for at in reach if self.creed[at] == CATHOLIC}
        return sorted({self.capital[self.owner[at]] if self.owner[at] >= FIRST else at for at in reach})

    def put(self, seat: int, at: int) -> None:
        faith = self.faith[seat]
        if self.owner[at] < FIRST:
            self.hex_dice[at][faith] += 1
            return
        pr = self.owner[at] - FIRST
        dice = self.pr_dice[pr]
        if dice[1 - faith]:
            dice[1 - faith] -= 1
            self.flame.setdefault(pr, LYING)
        else:
            dice[faith] += 1

    def resolve_dice(self) -> None:
        k = self.knobs
        for pr in self.on_map:
            if self.pr_dice[pr][1 - self.pr_faith[pr]] >= self.size(pr):
                self.convert(pr)
        for at in self.hexes:
            seat = self.owner[at]
            if seat >= FIRST:
                continue
            faith = self.faith[seat]
            own, other = self.hex_dice[at][faith], self.hex_dice[at][1 - faith]
            cancels = int(k["own_die_cancels"])
            cancelled = min(other, cancels * own)
            left = other - cancelled
            if k["own_die_spent"] == "yes" and self.creed[at] != faith:
                own -= -(-cancelled // cancels)
            if left:
                if self.kind[at] == CAPITAL:
                    self.pay(seat, -int(k["capital_loss_gold"]))
                    continue
                if self.kind[at] == TOWN and self.creed[at] == faith:
                    self.pay(seat, -int(k["town_loss_gold"]))
                self.creed[at] = 1 - faith
            elif own:
                self.creed[at] = faith

    # --- Phase 3 ---

    def games_of_two(self) -> Play:
        self.phase = 3
        k = self.knobs
        pays = {(0, 0): "dip_cc", (1, 0): "dip_dc", (0, 1): "dip_cd", (1, 1): "dip_dd"}
        for n, one in enumerate(self.order):
            other = self.order[(n + 1) % self.players]
            shown = yield from self.ask_all("D13", {one: [0, 1], other: [0, 1]})
            for me, you in ((one, other), (other, one)):
                self.store(me, int(k[pays[shown[me], shown[you]]]))
                self.gesture[me][you] = self.gesture_any[me] = shown[me]

    def recipients(self, at: int) -> list[int]:
        """WP-PLC-05."""
        return [
            pr
            for pr in self.on_map
            if self.size(pr) < int(self.knobs["principality_max_size"])
            and self.pr_faith[pr] == self.creed[at]
            and self.beside[at] & self.lands[FIRST + pr]
        ]

    def release(self, seat: int, at: int) -> int:
        """WP-PLC-04, WP-FP-06."""
        pr = self.found([at], self.creed[at])
        self.gain(pr, seat, int(self.knobs["vassal_di"]))
        return pr

    def diplomacy(self, seat: int) -> Play:
        while True:
            towns = self.of_kind(seat, TOWN) if self.box else []
            gifts = [at for at in self.of_kind(seat, PLAIN) if self.recipients(at)]
            stored = self.stored[seat]
            tests = (not stored, stored and self.di, self.gold[seat], towns, gifts)
            action = yield from self.ask("D14", seat, [n for n, test in enumerate(tests) if test])
            if action == 0:
                return
            if action == 1:
                pr = yield from self.ask("D15", seat, self.on_map)
                self.stored[seat] -= 1
                self.di[pr][seat] += 1
            elif action == 2:
                self.gold[seat] -= 1
                self.store(seat, int(self.knobs["di_per_gold"]))
                continue
            elif action == 3:
                at = yield from self.ask("D16", seat, towns)
                pr = self.release(seat, at)
            else:
                at = yield from self.ask("D16", seat, gifts)
                pr = yield from self.ask("D15", seat, self.recipients(at))
                self.hand_over(at, pr)
                self.gain(pr, seat, int(self.knobs["gift_di"]))
            self.evaluate(pr)
