"""Phase 4: declarations, battles, Doctrines, treaties, Post-War Diplomacy: the ledger's 3.12 to 3.16."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tests.games.westphalia.reference.board import (
    ALONE,
    CAPITAL,
    FIRST,
    LYING,
    NO_WAR,
    ON_PLAYER,
    ON_UNALIGNED,
    PLAIN,
    RELIGIOUS,
    STOP_HEX,
    STOP_PR,
    TOWN,
    UPRIGHT,
    WORKS,
    Play,
)
from tests.games.westphalia.reference.heresy import Heresy

M, P, C = KINDS = range(3)
NO_DOCTRINE, STOP_CARD = 8, 3
FLEXIBLE, GUERILLA = 0, 7
SWAPS = {1: ((1, 0, 1), (0, 4, 0)), 2: ((0, 2, 0), (2, 0, 2)), 3: ((1, 1, 0), (0, 0, 4)), 4: ((0, 0, 2), (2, 2, 0)),
         5: ((2, 0, 0), (0, 2, 2)), 6: ((0, 1, 1), (4, 0, 0))}  # fmt: skip
BEATS = {M: P, P: C, C: M}


@dataclass
class War:
    attacker: int
    defender: int
    phase: int
    result: str = "at war"


class Wars(Heresy):
    """Wage War."""

    # --- Declare War ---

    def deal(self) -> None:
        self.phase = 4
        self.doctrine = self.luck.doctrines()
        assert all(sum(hand) == int(self.knobs["doctrines_dealt"]) for hand in self.doctrine)
        assert all(sum(hand[n] for hand in self.doctrine) <= 3 for n in range(8))
        self.whole = {pr: ally for pr, ally in self.ally.items() if ally is not None}
        self.claimed = set()
        self.declared = [NO_WAR] * self.players
        self.declared_on = [False] * self.players
        self.wars: list[War] = []
        self.league = [0] * self.players
        self.white_peace = [False] * self.players

    def declare(self) -> Play:
        for seat in self.order:
            self.named: set[int] = set()
            self.list: list[int] = []
            victims = [s for s in self.seats if s != seat and not self.declared_on[s]]
            crusades = self.crusades(seat)
            tests = (True, self.eligible(seat), victims, crusades)
            what = yield from self.ask("D17", seat, [n for n, test in enumerate(tests) if test])
            self.declared[seat] = what
            if what == ON_UNALIGNED:
                yield from self.name_targets(seat)
            elif what == ON_PLAYER:
                self.war_on(seat, (yield from self.ask("D20", seat, victims)))
            elif what == RELIGIOUS:
                pr = yield from self.ask("D21", seat, crusades)
                self.flame[pr] = UPRIGHT
                self.declarer[pr] = seat
                self.league[seat] = 1 + self.faith[seat]
        self.flame = {pr: flame for pr, flame in self.flame.items() if flame == UPRIGHT}

    def crusades(self, seat: int) -> list[int]:
        """WP-WAR-12."""
        if self.role[seat] not in (ALONE, WORKS):
            return []
        return [pr for pr in self.on_map if self.flame.get(pr) == LYING and self.pr_faith[pr] != self.faith[seat]]

    def eligible(self, seat: int) -> list[int]:
        """WP-WAR-03, 07."""
        own = [seat] if self.knobs["attack_own_ally"] == "yes" else []
        some = []
        for pr in self.on_map:
            if pr in self.named or self.ally[pr] not in (None, *own):
                continue
            total = sum(map(self.size, [*self.list, pr]))
            if self.power(seat, without=(pr,)) + self.gold[seat] >= self.needed(self.knobs["unaligned_ratio"], total):
                some.append(pr)
        return some

    def name_targets(self, seat: int) -> Play:
        while True:
            stop = [STOP_PR] if self.named else []
            pr = yield from self.ask("D18", seat, self.eligible(seat) + stop)
            if pr == STOP_PR:
                break
            self.named.add(pr)
            self.di[pr][seat] = 0
            self.evaluate(pr)
            dropped = False
            while (rival := self.ally[pr]) is not None:
                if not (yield from self.ask("D19", rival, [0, 1])):
                    self.di[pr][rival] = 0
                    self.evaluate(pr)
                elif self.declared_on[rival]:
                    dropped = True
                    break
                else:
                    self.war_on(seat, rival)
                    return
            if not dropped:
                self.list.append(pr)
        if not self.list:
            return
        missing = self.needed(self.knobs["unaligned_ratio"], sum(map(self.size, self.list))) - self.power(seat)
        assert missing <= self.gold[seat]
        self.gold[seat] -= max(0, missing)
        yield from self.treaty(seat, self.list, [], self.near(seat))

    def war_on(self, seat: int, victim: int) -> None:
        """WP-WAR-10, 11."""
        self.declared[seat] = ON_PLAYER
        self.declared_on[victim] = True
        busy = [{s for war in self.wars if war.phase == n for s in (war.attacker, war.defender)} for n in (1, 2, 3)]
        phase = next(n + 1 for n in range(3) if not {seat, victim} & busy[n])
        self.wars.append(War(seat, victim, phase))

    # --- Battles ---

    def battle_phases(self) -> Play:
        for phase in (1, 2, 3):
            wars = [war for war in self.wars if war.phase == phase]
            force = [self.power(seat) for seat in self.seats]
            near = [self.near(seat) for seat in self.seats]
            for war in wars:
                pair = sorted((war.attacker, war.defender), key=self.order.index)
                if self.gone[pair[0]] or self.gone[pair[1]]:
                    war.result = "off"
                    continue
                winner = yield from self.battle(pair[0], pair[1], force)
                war.result = "white peace" if winner is None else "attacker" if winner == war.attacker else "defender"
                if winner is None:
                    self.white_peace[war.attacker] = self.white_peace[war.defender] = True
            for war in wars:
                if war.result in ("attacker", "defender"):
                    won = war.result == "attacker"
                    winner, loser = (war.attacker, war.defender) if won else (war.defender, war.attacker)
                    yield from self.treaty(winner, self.allies_of(loser), [loser], near[winner])

    def twice(self, one: int, other: int) -> bool:
        """WP-BAT-02."""
        return one > 0 and one >= float(self.knobs["auto_win_ratio"]) * other - 1e-9

    def new_deck(self) -> list[int]:
        return [int(self.knobs["cards_per_kind"]) or 12] * 3

    def muster(self, fighters: list[int], force: list[int], sharing: dict[int, int]) -> None:
        """WP-BAT-03, 04, WP-REL-11: each draws from the deck that `sharing` names."""
        self.fighters = fighters
        self.hand, self.pile, self.reserve, self.called, self.barred = {}, {}, {}, {}, {}
        decks = {deck: self.new_deck() for deck in sharing.values()}
        for seat in fighters:
            deck = decks[sharing[seat]] if self.knobs["deck_mode"] == "shared" else self.new_deck()
            number = min(force[seat], int(self.knobs["max_cards"]), sum(deck))
            drawn = self.luck.cards(seat, number, deck)
            assert sum(drawn) == number
            for kind in KINDS:
                deck[kind] -= drawn[kind]
                assert deck[kind] >= 0
            self.hand[seat], self.pile[seat] = list(drawn), [0, 0, 0]
            self.reserve[seat] = force[seat] - number
            self.called[seat] = self.barred[seat] = False
        self.foe: dict[int, int | None] = dict.fromkeys(fighters)
        self.played_doctrine: dict[int, int | None] = dict.fromkeys(fighters)

    def battle(self, a: int, b: int, force: list[int]) -> Play:
        """One battle; returns its winner, or None."""
        if self.twice(force[a], force[b]):
            return a
        if self.twice(force[b], force[a]):
            return b
        self.melee = False
        self.muster([a, b], force, {a: 0, b: 0})
        self.foe = {a: b, b: a}
        for seat in (a, b):
            yield from self.prepare(seat)
        routed = {seat for seat in (a, b) if not sum(self.hand[seat])}
        while not routed:
            played = yield from self.choose([a, b])
            routed = yield from self.clash(a, b, played)
            for seat in (a, b):
                if not sum(self.hand[seat]) and seat not in routed and self.knobs["reinforce_before_rout"] == "yes":
                    yield from self.call(seat)
            routed |= {seat for seat in (a, b) if not sum(self.hand[seat])}
            if not routed:
                for seat in (a, b):
                    yield from self.call(seat)
        return None if len(routed) == 2 else a if b in routed else b

    # --- Doctrines and bought cards, WP-DOC ---

    def prepare(self, seat: int) -> Play:
        held = [n for n, number in enumerate(self.doctrine[seat]) if number]
        doctrine = yield from self.ask("D22", seat, [*held, NO_DOCTRINE])
        if doctrine != NO_DOCTRINE:
            self.doctrine[seat][doctrine] -= 1
            self.played_doctrine[seat] = doctrine
            if self.can_execute(seat, doctrine) and (yield from self.ask("D23", seat, [0, 1])):
                yield from self.execute(seat, doctrine)
        while self.gold[seat]:
            kind = yield from self.ask("D26", seat, [*KINDS, STOP_CARD])
            if kind == STOP_CARD:
                break
            self.gold[seat] -= 1
            self.hand[seat][kind] += 1

    def dear(self, seat: int) -> int:
        """1 with a hand from which on Guerilla costs, and takes, a card more."""
        return int(sum(self.hand[seat]) >= int(self.knobs["guerilla_threshold"]))

    def can_execute(self, seat: int, doctrine: int) -> bool:
        hand = self.hand[seat]
        if doctrine == FLEXIBLE:
            return sum(hand) >= 2
        if doctrine == GUERILLA:
            return self.foe[seat] is not None and sum(hand) >= 2 + self.dear(seat)
        return all(have >= gives for have, gives in zip(hand, SWAPS[doctrine][0], strict=True))

    def execute(self, seat: int, doctrine: int) -> Play:
        hand = self.hand[seat]
        if doctrine in SWAPS:
            for kind in KINDS:
                hand[kind] += SWAPS[doctrine][1][kind] - SWAPS[doctrine][0][kind]
        elif doctrine == FLEXIBLE:
            for _ in range(2):
                hand[(yield from self.ask("D24", seat, self.held(seat)))] -= 1
            for _ in range(2):
                hand[(yield from self.ask("D24", seat, list(KINDS)))] += 1
        else:
            foe = self.foe[seat]
            assert foe is not None
            for _ in range(2 + self.dear(seat)):
                hand[(yield from self.ask("D25", seat, self.held(seat)))] -= 1
            for _ in range(1 + self.dear(foe)):
                if sum(self.hand[foe]):
                    self.hand[foe][(yield from self.ask("D25", seat, self.held(foe)))] -= 1

    def held(self, seat: int) -> list[int]:
        return [kind for kind in KINDS if self.hand[seat][kind]]

    # --- Clashes ---

    def choose(self, fighters: list[int]) -> Play:
        may = {s: [kind for kind in self.held(s) if kind != C or not self.barred[s]] for s in fighters}
        return (yield from self.ask_all("D27", may))

    def clash(self, a: int, b: int, played: dict[int, int]) -> Play:
        """WP-BAT-07 to 11; returns those routed, but for those without cards."""
        x, y = played[a], played[b]
        self.barred[a] = self.barred[b] = False
        if x == y:
            for seat in (a, b):
                self.discard(seat, x)
            return set()
        winner, loser = (a, b) if BEATS[x] == y else (b, a)
        self.discard(loser, played[loser])
        hand = self.hand[loser]
        if played[winner] == P:
            self.barred[loser] = True
            return {loser} if hand[C] and not hand[M] + hand[P] else set()
        if played[winner] == M:
            if self.round >= int(self.knobs["rifling_from_round"]):
                yield from self.rifle(winner, loser)
            return set()
        extra = int(self.knobs["charge_extra"])
        if hand[M] + hand[P] < extra:
            return {loser}
        for _ in range(extra):
            kind = yield from self.ask("D28", loser, [kind for kind in (M, P) if hand[kind]])
            self.discard(loser, kind)
        against = self.against(winner, loser)
        ratio = float(self.knobs["charge_rout_ratio"])
        return {loser} if against is not None and against >= ratio * sum(hand) - 1e-9 else set()

    def against(self, winner: int, loser: int) -> int | None:
        """Cards that count against those of him who lost a charge."""
        del loser
        return sum(self.hand[winner])

    def rifle(self, winner: int, loser: int) -> Play:
        left = list(KINDS)
        while sum(self.hand[loser]):
            kind = yield from self.ask("D29", winner, left)
            left.remove(kind)
            if self.hand[loser][kind]:
                self.discard(loser, kind)
                return

    def discard(self, seat: int, kind: int) -> None:
        self.hand[seat][kind] -= 1
        self.pile[seat][kind] += 1

    def call(self, seat: int) -> Play:
        """WP-BAT-15."""
        if self.called[seat]:
            return
        left = self.reserve[seat]
        while left and sum(self.pile[seat]):
            some = [kind for kind in KINDS if self.pile[seat][kind]]
            kind = yield from self.ask("D30", seat, [*some, STOP_CARD])
            if kind == STOP_CARD:
                break
            self.called[seat] = True
            left -= 1
            self.pile[seat][kind] -= 1
            self.hand[seat][kind] += 1

    # --- Peace treaties, WP-PCE ---

    def spoils(self, winner: int, enemy: list[int], towns: bool = True) -> list[int]:
        """WP-PCE-02 to 06: hexes that the winner may conquer."""
        plain = len(self.of_kind(winner, PLAIN)) < int(self.knobs["player_plain_hexes"])
        town = towns and len(self.of_kind(winner, TOWN)) < int(self.knobs["player_town_hexes"])
        some = []
        for power in enemy:
            for at in self.land(power):
                last = len(self.lands[power]) == 1
                if last and power >= FIRST:
                    pr = power - FIRST
                    if pr in self.electors or self.flame.get(pr) == UPRIGHT:
                        continue
                if plain if self.kind[at] == PLAIN else town and (last or self.kind[at] == TOWN):
                    some.append(at)
        return some

    def treaty(self, winner: int, prs: list[int], losers: list[int], near: set[int] | None) -> Play:
        """One treaty, T0 to T6; `near` the hexes next to the winner at the start, None in a Religious War."""
        ally = dict(self.ally)
        enemy = [FIRST + pr for pr in prs] + losers
        most = int(self.knobs["vassalize_max_size"])
        self.lost: Counter[int] = Counter()
        small = [pr for pr in prs if self.size(pr) <= most]
        small += [
            STOP_PR + s for s in losers if self.box and self.edge[s] is None and 1 <= len(self.land(s)) <= most
        ]  # fmt: skip
        free = [
            at for s in losers for at in self.land(s)
            if self.box and (self.kind[at] == TOWN or (self.kind[at] == CAPITAL and len(self.lands[s]) == 1))
        ]  # fmt: skip
        tests = (True, self.spoils(winner, enemy), small, free)
        option = yield from self.ask("D31", winner, [n for n, test in enumerate(tests) if test])
        far = town = False
        if option == 1:
            far, town = yield from self.conquer(winner, enemy, near)
        elif option == 2:
            whom = yield from self.ask("D33", winner, small)
            enemy.remove(whom - STOP_PR if whom >= STOP_PR else FIRST + whom)
            self.vassalize(winner, whom)
        elif option == 3:
            at = yield from self.ask("D34", winner, free)
            pr = self.found([at], self.creed[at])
            self.gain(pr, winner, int(self.knobs["vassal_di"]))
            self.evaluate(pr)
        yield from self.claims(winner, ally, enemy, near is None)
        if near is not None:
            loss = int(self.knobs["loss_nonadjacent"]) * far + int(self.knobs["loss_town"]) * town
            for pr in self.on_map:
                self.lose(pr, winner, loss)
        for pr, number in self.lost.items():
            loser = ally[pr]
            if pr in self.di and loser is not None and loser in losers:
                self.lose(pr, loser, number)
        self.evaluate_all()
        for loser in sorted(losers, key=self.order.index):
            if self.edge[loser] is None and not self.lands[loser]:
                yield from self.eliminate(loser)

    def conquer(self, winner: int, enemy: list[int], near: set[int] | None) -> Play:
        far = town = False
        for n in range(int(self.knobs["conquer_plain_max"])):
            some = self.spoils(winner, enemy, towns=n == 0)
            if not some:
                break
            at = yield from self.ask("D32", winner, [*some, STOP_HEX] if n else some)
            if at == STOP_HEX:
                break
            far |= near is not None and at not in near
            power, town = self.owner[at], self.kind[at] != PLAIN
            self.settle(at, winner, TOWN if town else PLAIN)
            if power >= FIRST:
                pr = power - FIRST
                self.lost[pr] += 1
                self.di[pr][winner] = 0
                if not self.lands[power]:
                    self.vanish(pr)
                    enemy.remove(power)
            if town:
                break
        return far, town

    def vassalize(self, winner: int, whom: int) -> None:
        """WP-PCE-08, 09."""
        if whom >= STOP_PR:
            loser = whom - STOP_PR
            home = self.capital[loser]
            pr = self.found([home, *sorted(self.lands[loser] - {home})], self.creed[home])
        else:
            pr = whom
            self.di[pr] = [n if seat == winner else 0 for seat, n in enumerate(self.di[pr])]
        self.gain(pr, winner, int(self.knobs["vassal_di"]))
        self.allied(pr, winner)
        self.evaluate(pr)

    def claims(self, winner: int, ally: dict[int, int | None], enemy: list[int], religious: bool) -> Play:
        """WP-PCE-14 to 16."""
        for pr in sorted(ally):
            if ally[pr] != winner or self.size(pr) >= int(self.knobs["principality_max_size"]):
                continue
            if religious and self.flame.get(pr) == UPRIGHT:
                continue
            near = self.near(FIRST + pr)
            some = [at for power in enemy for at in self.of_kind(power, PLAIN) if at in near]
            at = yield from self.ask("D35", winner, [*some, STOP_HEX])
            if at == STOP_HEX:
                continue
            if self.owner[at] >= FIRST:
                self.lost[self.owner[at] - FIRST] += 1
            self.hand_over(at, pr)
            self.claimed.add(pr)

    def eliminate(self, seat: int) -> Play:
        """WP-FP-14."""
        self.edge[seat] = yield from self.ask("D41", seat, list(range(6)))
        self.gone[seat] = True
        self.gold[seat] = 0
        self.take_home(seat)
        self.evaluate_all()

    def take_home(self, seat: int) -> None:
        """WP-FP-09."""
        self.stored[seat] = self.influence(seat) // int(self.knobs["fp_di_divisor"])
        for row in self.di.values():
            row[seat] = 0

    # --- Post-War Diplomacy ---

    def post_war(self) -> None:
        for pr, ally in list(self.whole.items()):
            spared = self.white_peace[ally] and self.knobs["white_peace_spares_postwar"] == "yes"
            if self.declared[ally] != RELIGIOUS and pr not in self.claimed and not spared:
                self.lose(pr, ally, int(self.knobs["postwar_loss"]))
        self.evaluate_all()
