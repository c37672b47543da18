"""Westphalia's asides: the events between two positions, line by line, for readers of a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from simlab.game import Cards, Knobs, State
from simlab.games.westphalia import rule
from simlab.games.westphalia import state as s
from simlab.games.westphalia.labels import (
    EDGE_NAMES,
    Record,
    a_card,
    action_label,
    amount,
    held_in,
    hex_name,
    hex_place,
    joined,
    kind_name,
    pr_name,
    role_name,
)

#: Decisions with one option that get no line: they are secret, or their result is printed anyway.
_UNSAID = {
    int(kind)
    for kind in (
        s.D_CONVERT,
        s.D_TOKEN,
        s.D_PATRONAGE,
        s.D_GESTURE,
        s.D_DIPLOMACY,
        s.D_SWAP,
        s.D_AMBUSH,
        s.D_BUY,
        s.D_CLASH,
        s.D_ASSENT,
    )
}
_NONE = {
    **dict.fromkeys(map(int, (s.D_TARGET, s.D_RANK, s.D_IMPERIAL_DI)), int(s.NO_TARGET)),
    **dict.fromkeys(map(int, (s.D_CONQUER, s.D_CLAIM)), int(s.NO_HEX)),
    int(s.D_REINFORCE): int(s.NO_CARD),
    int(s.D_LEAVE): int(s.STAY_IN_EMPIRE),
    int(s.D_DECLARE): int(s.NO_WAR),
}  # the option to do nothing, for which no line is printed
_FAITH_SIGN = ("crucifix", "cross")
LEAGUES = ("no League", "the Catholic League", "the Evangelical League")


class Change:
    """Two positions, one after the other."""

    def __init__(self, before: State, after: State, knobs: Knobs, cards: Cards) -> None:
        self.b, self.a = Record(before), Record(after)
        self.knobs, self.cards = knobs, cards
        self.players = range(int(after.players))
        self._fired = self.a.fired.astype(int) - self.b.fired.astype(int)
        self._counted = self.a.count.astype(int) - self.b.count.astype(int)

    def fired(self, number: Any) -> bool:
        return int(self._fired[int(number)]) > 0

    def counted(self, number: Any) -> int:
        return int(self._counted[int(number)])

    def gain(self, field: str, player: int) -> int:
        return int(self.a[field][player]) - int(self.b[field][player])

    def changed(self, field: str) -> list[int]:
        """Positions at which a field of players or principalities has changed."""
        return [place for place, (x, y) in enumerate(zip(self.b[field], self.a[field], strict=True)) if x != y]

    def order(self) -> list[int]:
        """The seats in Initiative Order."""
        return [int(self.a.initiative[place]) for place in self.players]

    def each(self, gains: dict[int, int], unit: str = "") -> str:
        """`red 2, blue 1`, in Initiative Order; zeros are left out."""
        return ", ".join(f"{s.SEATS[p]} {gains[p]}{unit}" for p in self.order() if gains.get(p))


def asides(before: State, after: State, knobs: Knobs, cards: Cards) -> list[str]:
    """The results of one part of a decision, in the order in which they happen at the table."""
    change = Change(before, after, knobs, cards)
    return [line for part in _PARTS for line in part(change)]


def _only_option(c: Change) -> Iterator[str]:
    """A choice that was made automatically, because there was only one option."""
    kind = int(c.b.decision)
    options = sum((int(word) & (2**63 - 1)).bit_count() for word in c.b.options)
    if kind < 0 or kind in _UNSAID or options != 1:
        return
    word = next(n for n in range(3) if int(c.b.options[n]))
    action = word * s.WORD + int(c.b.options[word]).bit_length() - 1
    if action == _NONE.get(kind):
        return
    yield f"{s.SEATS[int(c.b.seat)]}: {action_label(c.b, c.knobs, c.cards, action)}"


# --- Phases 1 and 2 --------------------------------------------------------------------------


def _upheaval(c: Change) -> Iterator[str]:
    if not c.fired(rule.WP_UPH_01):
        return
    for faith in (1, 0):
        turned = [pr_name(c.cards, pr) for pr in c.changed("pr_faith") if int(c.a.pr_faith[pr]) == faith]
        if turned:
            yield f"cards drawn: {joined(turned)} {'become' if len(turned) > 1 else 'becomes'} {s.FAITHS[faith]}"
    near = [hex_name(c.b, c.cards, h) for h in _turned(c) if int(c.a.hex_owner[h]) < s.PLAYERS]
    if near:
        become = "become" if len(near) > 1 else "becomes"
        yield f"next to their capitals, {joined(near)} {become} Protestant"
    yield f"Initiative Order: {', '.join(s.SEATS[p] for p in c.order())} (the Emperor, then by rising Imperial Power)"


def _conversions(c: Change) -> Iterator[str]:
    for player in (p for p in c.order() if p in c.changed("faith")):
        text = f"{s.SEATS[player]} becomes {s.FAITHS[int(c.a.faith[player])]}, card {role_name(c.cards, c.a, player)}"
        if c.gain("monastery", player) < 0:
            text += f"; the Monastery brings {int(c.knobs.monastery_gold)} Gold"
        yield text
    if not c.fired(rule.WP_INC_01):
        return
    if not c.changed("faith"):
        yield "nobody converts"
    gold = {
        p: c.gain("gold", p) + int(c.knobs.monastery_gold) * min(c.gain("monastery", p), 0) for p in c.players
    }  # fmt: skip
    yield f"income: {c.each(gold)} Gold"


def _council(c: Change) -> Iterator[str]:
    if c.fired(rule.WP_TRE_06):
        yield "Victory at Lepanto: the Catholic Reformation begins without the Council of Trent"
    if not c.fired(rule.WP_TRE_02):
        return
    shown = [p for p in c.order() if int(c.b.pending[p]) >= 0]
    for token, name in ((int(s.TRENT), "Council of Trent"), (1 - int(s.TRENT), "French Interference")):
        seats = [s.SEATS[p] for p in shown if int(c.b.pending[p]) == token]
        if seats:
            gain = (
                f"{int(c.knobs.trent_gw)} Good Work"
                if token == s.TRENT
                else f"{int(c.knobs.french_di)} influence stored"
            )
            yield f"{name}: {joined(seats)} ({gain} each)"
    if not c.fired(rule.WP_TRE_04):
        yield "the Council is delayed"
        return
    die = int(c.a.last_roll) + 1
    if c.a.reformation:
        yield f"the Council meets; Ottoman die {die}: it concludes, and the Catholic Reformation begins"
    else:
        yield f"the Council meets; Ottoman die {die}, a Crescent: it disperses without concluding"


def _dice_earned(c: Change) -> Iterator[str]:
    if not c.fired(rule.WP_FTH_01):
        return
    yield f"Faith dice earned: {c.each({p: int(c.a.dice[p]) for p in c.players})}"
    catholics = [p for p in c.order() if int(c.a.faith[p]) == s.CATHOLIC]
    if catholics and not c.a.reformation and int(c.knobs.indulgence_gold):
        seats = joined([s.SEATS[p] for p in catholics])
        yield f"Sale of Indulgences: {int(c.knobs.indulgence_gold)} Gold for {seats}"
    praying = [s.SEATS[p] for p in catholics if c.a.monastery[p]]
    if praying and int(c.knobs.ora_gw):
        yield f"Ora et Labora: {int(c.knobs.ora_gw)} Good Works for {joined(praying)}"


def _dice_rolled(c: Change) -> Iterator[str]:
    if not c.fired(rule.WP_FTH_03):
        return
    for player in c.order():
        paid = max(int(c.b.pending[player]), 0)
        bought = paid * int(c.knobs.patronage_dice)
        rolled = int(c.b.dice[player]) + bought
        if not rolled:
            continue
        text = f"{s.SEATS[player]} rolls {amount(rolled, 'Faith die', 'Faith dice')}"
        if paid:
            text += f" ({bought} of them for {paid} Gold of Church Patronage)"
        successes, faith = int(c.a.dice[player]), int(c.a.faith[player])
        sign = _FAITH_SIGN[faith]
        text += f": {amount(successes, sign, 'crosses' if faith else 'crucifixes')}"
        if faith == s.CATHOLIC and successes:
            text += f", {amount(successes, 'Good Work', 'Good Works')}"
        yield text


def _dice_placed(c: Change) -> Iterator[str]:
    if c.counted(s.N_DICE_LOST):
        yield f"{amount(c.counted(s.N_DICE_LOST), 'success', 'successes')} without a legal target lost"
    for pr in (pr for pr in range(s.ROSTER) if c.fired(rule.WP_FTH_11) and (c.a.pr_dice[pr] != c.b.pr_dice[pr]).any()):
        flame = "; a flame is set there" if int(c.a.marker[pr]) > int(c.b.marker[pr]) else ""
        yield f"it removes a die of the other faith on {pr_name(c.cards, pr)}, and is removed too{flame}"


def _dice_resolved(c: Change) -> Iterator[str]:
    if not c.fired(rule.WP_FTH_16):
        return
    for pr in (pr for pr in range(s.ROSTER) if c.b.pr_dice[pr].any()):
        name, size = pr_name(c.cards, pr), int(c.b.extent[s.PLAYERS + pr])
        lying = _dice(c.b.pr_dice[pr])
        end = f"becomes {s.FAITHS[int(c.a.pr_faith[pr])]}" if pr in c.changed("pr_faith") else "stays as it is"
        yield f"{name} (size {size}) has {lying}: {end}"
    turned = set(_turned(c))
    for h in (h for h in range(s.HEXES) if c.b.hex_dice[h].any()):
        lying = _dice(c.b.hex_dice[h])
        faith = s.FAITHS[int(held_in(c.a.protestant, h))]
        end = f"becomes {faith}" if h in turned else f"stays {faith}"
        yield f"{hex_name(c.b, c.cards, h)} has {lying}: {end}"
    lost = {p: -c.gain("gold", p) for p in c.players if c.gain("gold", p) < 0}
    if lost:
        yield f"Gold lost, for towns that convert and dice left on capitals: {c.each(lost)}"


def _dice(numbers: Any) -> str:
    """`1 Catholic die and 3 Protestant dice`."""
    return " and ".join(
        amount(int(numbers[f]), f"{s.FAITHS[f]} die", f"{s.FAITHS[f]} dice") for f in range(2) if numbers[f]
    )


# --- Phase 3 -----------------------------------------------------------------------------------


def _diplomacy_game(c: Change) -> Iterator[str]:
    if c.fired(rule.WP_DIP_01):
        pair = [p for p in c.order() if int(c.b.pending[p]) >= 0]
        shown = [f"{s.SEATS[p]} {('thumbs up', 'finger gun')[int(c.b.pending[p])]}" for p in pair]
        gains = [f"{s.SEATS[p]} {c.gain('di_stored', p)}" for p in pair]
        yield f"{joined(shown)}: influence gained {', '.join(gains)}"


# --- Phases 4 and 5 ----------------------------------------------------------------------------


def _declarations(c: Change) -> Iterator[str]:
    if c.fired(rule.WP_WAR_01):
        yield f"each player draws {int(c.knobs.doctrines_dealt)} Military Doctrine cards"
    if c.counted(s.N_TEMPORARY_IP):
        gold = c.counted(s.N_TEMPORARY_IP)
        yield f"{gold} Gold paid for {gold} temporary Imperial Power"
    for war in range(int(c.b.wars), int(c.a.wars)):
        pair = f"{s.SEATS[int(c.a.war_attacker[war])]} against {s.SEATS[int(c.a.war_defender[war])]}"
        yield f"{pair}: in Battle Phase {int(c.a.war_phase[war])}"
    for player in c.changed("league"):
        if int(c.a.league[player]) and int(c.b.decision) != s.D_LEAGUE:
            yield f"{s.SEATS[player]} joins {LEAGUES[int(c.a.league[player])]}"


def _doctrines(c: Change) -> Iterator[str]:
    """A Doctrine that was played but cannot be executed with the hand, so its player was not asked."""
    if int(c.b.step_at[int(c.b.depth) - 1]) != s.S_MUSTER or int(c.b.decision) >= 0 or int(c.a.decision) >= 0:
        return
    at = int(c.b.at[int(c.b.depth) - 1])
    if at % 3 != 1 or at >= 3 * int(c.b.fighters):
        return
    player = int(c.b.fighter[at // 3])
    if int(c.b.played[player]) >= 0:
        yield f"{s.SEATS[player]}'s hand does not have the cards to execute the Doctrine"


def _battle_begins(c: Change) -> Iterator[str]:
    phase = int(c.a.battle_phase)
    if phase > int(c.b.battle_phase) and phase in (int(c.a.war_phase[war]) for war in range(int(c.a.wars))):
        yield f"Battle Phase {phase}"
    if c.fired(rule.WP_BAT_02) or c.fired(rule.WP_BAT_01):
        war = int(c.a.war)
        one, other = int(c.a.war_attacker[war]), int(c.a.war_defender[war])
        who = f"{s.SEATS[one]} attacks {s.SEATS[other]}"
        if int(c.a.war_result[war]) == s.OFF:
            yield f"{who}: called off, one of them has lost all provinces"
            return
        yield f"{who}: Imperial Power {int(c.a.force[one])} against {int(c.a.force[other])}"
        if int(c.a.war_result[war]) != s.AT_WAR:
            yield f"{_war_winner(c, war)} wins without cards: twice as much Imperial Power"
    if c.fired(rule.WP_REL_02):
        declared = [s.SEATS[p] for p in c.order() if int(c.a.has_declared[p]) == s.RELIGIOUS]
        yield f"declared by {joined(declared)}: 1 influence lost on each principality of the other faith"
    if c.fired(rule.WP_REL_09):
        yield "nobody has joined the League of the Target Principality: the Declarers win without a battle"
    if c.fired(rule.WP_BAT_03) or c.fired(rule.WP_REL_11):
        for n in range(int(c.a.fighters)):
            player = int(c.a.fighter[n])
            held = sum(int(x) for x in c.a.hand[player])
            text = f"{s.SEATS[player]} draws {amount(held, 'Military Card', 'Military Cards')}"
            yield text + (f", reserve {int(c.a.reserve[player])}" if c.a.reserve[player] else "")


def _duels(c: Change) -> Iterator[str]:
    """The opponents in a Religious War."""
    if not c.a.melee:
        return
    for slot in range(s.DUELS):
        now = [int(p) for p in c.a.slot[slot]]
        if min(now) >= 0 and now != [int(p) for p in c.b.slot[slot]]:
            yield f"{s.SEATS[now[0]]} (Catholic League) fights {s.SEATS[now[1]]} (Evangelical League)"


def _clash(c: Change) -> Iterator[str]:
    if not c.counted(s.N_CLASHES):
        return
    pair = [int(p) for p in c.a.slot[int(c.a.duel_at)]]
    if min(pair) < 0:
        return
    one, other = (int(c.a.clash[p]) for p in pair)
    shown = f"{s.SEATS[pair[0]]} plays {a_card(c.cards, one)}, {s.SEATS[pair[1]]} {a_card(c.cards, other)}"
    if one == other:
        yield f"clash: {shown}: both are discarded"
        return
    winner, loser = pair if int(c.cards.beats[one]) == other else pair[::-1]
    beaten = kind_name(c.cards, int(c.a.clash[loser]))
    yield f"clash: {shown}: {s.SEATS[winner]} wins, the {beaten} is discarded"
    if c.a.barred[loser] and not c.a.routed[loser]:
        yield f"{s.SEATS[loser]} may not play Cavalry in the next clash"
    if int(c.a.losses_left) > int(c.b.losses_left):
        yield f"{s.SEATS[loser]} has to discard {int(c.a.losses_left)} more infantry"
    if int(c.a.name_left) and not int(c.b.name_left):
        yield f"Advanced Rifling: {s.SEATS[winner]} names a kind that {s.SEATS[loser]} discards"


def _battle_ends(c: Change) -> Iterator[str]:
    for player in c.changed("routed"):
        if c.a.routed[player] and not c.b.routed[player]:
            yield f"{s.SEATS[player]} routs"
    if c.fired(rule.WP_BAT_18):
        war = int(c.a.war)
        if int(c.a.war_result[war]) == s.WHITE_PEACE:
            yield "both have run out of cards: White Peace"
        else:
            yield f"{_war_winner(c, war)} wins the battle"
    if (
        int(c.a.beaten_leagues) != int(c.b.beaten_leagues)
        and 0 < int(c.a.beaten_leagues) < 3
        and c.a.phase == s.RELIGIOUS_WAR
    ):
        yield f"{LEAGUES[int(c.a.beaten_leagues)]} is defeated"


def _war_winner(c: Change, war: int) -> str:
    won = int(c.a.war_result[war]) == 1
    return s.SEATS[int((c.a.war_attacker if won else c.a.war_defender)[war])]


def _influence_lost(c: Change) -> Iterator[str]:
    if not (c.counted(s.N_WAR_DI) or c.counted(s.N_POSTWAR_DI)):
        return
    why = "Post-War Diplomacy, influence lost on allies" if c.counted(s.N_POSTWAR_DI) else "influence lost by the war"
    losers = []
    for player in c.order():
        fell = c.b.di[:, player].astype(int) - c.a.di[:, player].astype(int)
        lost = [f"{int(fell[pr])} on {pr_name(c.cards, pr)}" for pr in range(s.ROSTER) if fell[pr] > 0]
        losers += [f"{s.SEATS[player]} {', '.join(lost)}"] if lost else []
    if losers:
        yield f"{why}: {'; '.join(losers)}"


# --- The map, alliances and other events of several phases -------------------------------------


def _land(c: Change) -> Iterator[str]:
    """New principalities, provinces that changed hands, and principalities that were removed."""
    new = int(c.a.on_map) & ~int(c.b.on_map)
    for pr in range(s.ROSTER):
        if new >> pr & 1:
            places = [hex_place(c.cards, h) for h in range(s.HEXES) if int(c.a.hex_owner[h]) == s.PLAYERS + pr]
            faith = s.FAITHS[int(c.a.pr_faith[pr])]
            yield f"{pr_name(c.cards, pr)} is a new principality: {', '.join(places)}, {faith}"
    moved: dict[tuple[int, int], list[str]] = {}
    for h in c.changed("hex_owner"):
        old, now = int(c.b.hex_owner[h]), int(c.a.hex_owner[h])
        if old >= 0 and now >= 0 and not (now >= s.PLAYERS and new >> (now - s.PLAYERS) & 1):
            moved.setdefault((old, now), []).append(hex_name(c.b, c.cards, h))
    for (_, now), hexes in moved.items():
        pass_on = "pass" if len(hexes) > 1 else "passes"
        town = " as a town" if now < s.PLAYERS and any(held_in(c.a.town, h) for h in c.changed("hex_owner")) else ""
        yield f"{joined(hexes)} {pass_on} to {_power(c, now)}{town}"
    gone = int(c.b.on_map) & ~int(c.a.on_map)
    for pr in range(s.ROSTER):
        if gone >> pr & 1:
            yield f"{pr_name(c.cards, pr)} has no province left and is out of the game"


def _faiths(c: Change) -> Iterator[str]:
    """Principalities and provinces that changed faith other than by cards or dice."""
    if c.fired(rule.WP_UPH_01) or c.fired(rule.WP_FTH_16):
        return
    prs = [pr for pr in c.changed("pr_faith") if (int(c.b.on_map) & int(c.a.on_map)) >> pr & 1]
    for pr in prs:
        yield f"{pr_name(c.cards, pr)} becomes {s.FAITHS[int(c.a.pr_faith[pr])]}"
    converted = set(c.changed("faith"))
    for h in _turned(c):
        owner = int(c.a.hex_owner[h])
        if owner - s.PLAYERS not in prs and owner not in converted:
            yield f"{hex_place(c.cards, h)} becomes {s.FAITHS[int(held_in(c.a.protestant, h))]}"


def _players_out(c: Change) -> Iterator[str]:
    for player in c.changed("fp_edge"):
        edge = EDGE_NAMES[int(c.a.fp_edge[player])]
        yield f"{s.SEATS[player]} is a Foreign Power from now on, with a home province in the {edge}"


def _electors(c: Change) -> Iterator[str]:
    for pr in range(s.ROSTER):
        was, now = int(c.b.electors) >> pr & 1, int(c.a.electors) >> pr & 1
        if was != now and c.b.turn > 0:
            yield f"{pr_name(c.cards, pr)} is {'an Elector now' if now else 'no Elector any more'}"


def _allies(c: Change) -> Iterator[str]:
    lost: dict[int, list[str]] = {}
    for pr in c.changed("ally"):
        name, old, now = pr_name(c.cards, pr), int(c.b.ally[pr]), int(c.a.ally[pr])
        if now >= 0:
            instead = f", in place of {s.SEATS[old]}" if old >= 0 else ""
            yield f"{s.SEATS[now]} becomes the ally of {name}{instead}"
        elif int(c.a.on_map) >> pr & 1:
            lost.setdefault(old, []).append(name)
    for old, names in lost.items():
        yield f"{s.SEATS[old]} is not the ally of {joined(names)} any more"


# --- Phase 7 and the end -----------------------------------------------------------------------


def _election(c: Change) -> Iterator[str]:
    if not c.fired(rule.WP_ELE_04):
        return
    free = [pr for pr in range(s.ROSTER) if int(c.a.electors) >> pr & 1 and int(c.a.elector_vote[pr]) < 0]
    if free:
        yield f"unaligned Electors vote as blocks of their faith: {joined([pr_name(c.cards, pr) for pr in free])}"
    yield f"votes: {c.each({p: int(c.a.votes[p]) for p in c.players})}; {s.SEATS[int(c.a.emperor)]} is Emperor"


def _left_over(c: Change) -> Iterator[str]:
    if (c.fired(rule.WP_ELE_06) and c.a.turn < c.knobs.n_rounds) or c.fired(rule.WP_SET_12):
        yield f"{s.SEATS[int(c.a.emperor)]} stores {int(c.knobs.emperor_di)} influence as Emperor"
    if c.fired(rule.WP_ELE_07):
        gold = {p: -c.gain("gold", p) for p in c.players if c.gain("gold", p) < 0}
        yield f"Gold left over becomes influence: {c.each(gold)}"


def _end_tests(c: Change) -> Iterator[str]:
    for faith in range(2):
        last = int(c.a.turn == c.knobs.n_rounds)
        if not c.fired(rule.WP_END_02) or int(c.a.gates[last, faith]) < 0:
            continue  # not tested: the other faith has already won
        met = "met" if int(c.a.gates[last, faith]) == 0 else "not met"
        yield f"test of a {s.FAITHS[faith]} victory, {met}: {_standing(c, faith)}"
    if c.a.over and c.a.ending == s.PEACE_OF_WESTPHALIA and not c.b.over:
        powers = {p: int(c.a.final_ip[p]) for p in c.players}
        order = sorted(c.players, key=lambda p: -powers[p])
        yield f"Peace of Westphalia, final Imperial Power: {', '.join(f'{s.SEATS[p]} {powers[p]}' for p in order)}"
    elif c.a.over and not c.b.over:
        card = "Saved by Faith and Works" if c.a.ending == s.CATHOLIC_VICTORY else "Saved by Faith Alone"
        winners = [s.SEATS[p] for p in c.players if int(c.a.winners) >> p & 1]
        yield f"{joined(winners)} {'win' if len(winners) > 1 else 'wins'}, with the card {card}"


def _standing(c: Change, faith: int) -> str:
    """The three numbers of a religious victory, each with its requirement."""
    place = int(c.a.players) - 5
    provinces = sum(int(word).bit_count() for word in c.a.protestant)
    provinces = provinces if faith else int(c.a.hexes) - provinces
    needed = int(c.knobs.need_provinces)
    wanted = -(-needed * int(c.a.hexes) // 100) if needed > 0 else int(c.cards.provinces[place])
    electors = sum(int(c.a.electors) >> pr & 1 and int(c.a.pr_faith[pr]) == faith for pr in range(s.ROSTER))
    least = int(c.knobs.need_electors) if int(c.knobs.need_electors) > 0 else int(c.cards.electors[place])
    emperor = s.FAITHS[int(c.a.faith[int(c.a.emperor)])]
    provinces_text = f"{amount(provinces, 'province', 'provinces')} ({wanted} needed)"
    return f"{provinces_text}, {amount(electors, 'Elector', 'Electors')} ({least} needed), a {emperor} Emperor"


def _turned(c: Change) -> list[int]:
    """Hexes that changed faith."""
    both = [int(x) ^ int(y) for x, y in zip(c.b.protestant, c.a.protestant, strict=True)]
    return [h for h in range(s.HEXES) if both[h // s.WORD] >> (h % s.WORD) & 1] if any(both) else []


def _power(c: Change, power: int) -> str:
    return s.SEATS[power] if power < s.PLAYERS else pr_name(c.cards, power - s.PLAYERS)


_PARTS: tuple[Callable[[Change], Iterator[str]], ...] = (
    _only_option, _upheaval, _conversions, _council, _dice_earned, _dice_rolled, _dice_placed, _dice_resolved,
    _diplomacy_game, _declarations, _doctrines, _battle_begins, _clash, _battle_ends, _duels, _land, _faiths,
    _influence_lost, _players_out, _electors, _allies, _election, _left_over, _end_tests,
)  # fmt: skip
