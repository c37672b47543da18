"""Exact chances in Simple Siege (P-01..P-09 of the ledger): fractions and recursion, no simulation.

Everything starts from freshly shuffled decks of 40 cards (values 1..10 four times, 20 red, 20 black) and the
printed rules. Nothing here uses the reference or the program under test.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from math import comb

ALL_CARDS = [value for value in range(1, 11) for _suit in range(4)]
RED_IN_DECK = BLACK_IN_DECK = 20


# --- Contests: P-01 .. P-05 ---------------------------------------------------------------------------------


@cache
def sum_chances(n: int) -> dict[int, Fraction]:
    """Chance of every sum of n cards drawn without replacement."""
    ways: dict[tuple[int, int], int] = {(0, 0): 1}  # (cards chosen, their sum) -> how many choices
    for value in ALL_CARDS:
        for (chosen, total), count in list(ways.items()):
            if chosen < n:
                key = (chosen + 1, total + value)
                ways[key] = ways.get(key, 0) + count
    return {total: Fraction(count, comb(40, n)) for (chosen, total), count in ways.items() if chosen == n}


def contest_chance(n: int, m: int, edge: int) -> Fraction:
    """Chance that n attack cards + `edge` (modifiers minus static strength) exceed m defence cards."""
    return sum(
        (
            attack_chance * defence_chance
            for attack, attack_chance in sum_chances(n).items()
            for defence, defence_chance in sum_chances(m).items()
            if attack + edge > defence
        ),
        Fraction(0),
    )


def p_01() -> Fraction:
    """Bombard without modifiers against walls of 5 and no card."""
    return contest_chance(1, 0, -5)


def p_02() -> Fraction:
    """Bombard without modifiers against walls of 5 and one card."""
    return contest_chance(1, 1, -5)


def p_03() -> Fraction:
    """Assault, 1 against 1, modifiers 3, walls 5."""
    return contest_chance(1, 1, 3 - 5)


def p_04() -> Fraction:
    """Assault, 3 against 3, modifiers 6, walls 5."""
    return contest_chance(3, 3, 6 - 5)


def p_05() -> tuple[Fraction, Fraction]:
    """Sally, 1 against 1, camp strength 0 and 3."""
    return contest_chance(1, 1, 0), contest_chance(1, 1, -3)


# --- Fate and Jokers: P-06, P-07 ----------------------------------------------------------------------------


def cycle_length_chances(reset_count: int = 3, per_colour: int = 7) -> dict[int, Fraction]:
    """Chance of every length of a Fate cycle: cards turned up until `reset_count` are of one colour."""
    chances: dict[int, Fraction] = defaultdict(Fraction)

    def turn_up(red: int, black: int, chance: Fraction) -> None:
        if max(red, black) == reset_count:
            chances[red + black] += chance
            return
        left = 2 * per_colour - red - black
        turn_up(red + 1, black, chance * Fraction(per_colour - red, left))
        turn_up(red, black + 1, chance * Fraction(per_colour - black, left))

    turn_up(0, 0, Fraction(1))
    return dict(chances)


def p_06() -> tuple[Fraction, Fraction]:
    """Chance of a cycle of exactly 3 cards; mean length of a cycle."""
    chances = cycle_length_chances()
    return chances[3], sum((length * chance for length, chance in chances.items()), Fraction(0))


def first_red_chances() -> dict[int, Fraction]:
    """Chance that the first red card of a fresh deck lies at a place, from 1."""
    chances = {}
    no_red_so_far = Fraction(1)
    for place in range(1, BLACK_IN_DECK + 2):
        left = 40 - (place - 1)
        chances[place] = no_red_so_far * Fraction(RED_IN_DECK, left)
        no_red_so_far *= Fraction(left - RED_IN_DECK, left)
    return chances


def p_07() -> tuple[Fraction, Fraction, Fraction]:
    """Cards the red Joker costs a fresh deck: the mean, exactly 1, exactly 2."""
    chances = first_red_chances()
    mean = sum((place * chance for place, chance in chances.items()), Fraction(0))
    return mean, chances[1], chances[2]


# --- Resupply: P-08 -----------------------------------------------------------------------------------------


def p_08() -> tuple[Fraction, Fraction]:
    """Resupply after 4 plain discards: mean number of cards put back; chance that no Heart comes."""
    mean = Fraction(0)
    for heart in range(1, 11):
        for black in range(5):
            chance = Fraction(comb(20, black) * comb(19, 4 - black), comb(39, 4))
            mean += Fraction(1, 40) * chance * min(heart, black)
    return mean, Fraction(30, 40)


# --- Mutual waiting: P-09 -----------------------------------------------------------------------------------

FATE_SCALE = 14 * 13 * 12 * 11 * 10  # each chance of a Fate card is a whole number over this


def waiting_chance(red: int = RED_IN_DECK, black: int = BLACK_IN_DECK) -> Fraction:
    """Chance that the Besieger wins when both sides only discard one card a turn and Fate does the rest.

    Given the run of Fate cards the two decks are independent, and for one deck only the length of that run,
    the number of its courts and the number of its Jokers matter. The cards that Jokers turn over one after
    the other are a random draw from the deck, and so are the cards paid in between; hence the deck has lasted
    through p payments (own actions and courts) and j Jokers exactly if the j-th card of the fitting colour is
    among the first (deck size - p) cards of a shuffled deck. The recursion over turns carries the chances of
    (red courts, red Jokers, black courts, black Jokers so far; state of the Fate cycle).

    Args:
        red, black: cards of either colour in each of the two decks.
    """
    deck_size = red + black
    all_decks = comb(deck_size, red)

    @cache
    def lasting_decks(fitting: int, paid: int, jokers: int) -> int:
        """How many of the `all_decks` colour orders last through that much."""
        first = deck_size - paid
        if first < 0:
            return 0
        return sum(
            comb(first, fits) * comb(deck_size - first, fitting - fits)
            for fits in range(jokers, min(fitting, first) + 1)
        )

    @cache
    def besieger_lasts(turns: int, courts: int, jokers: int) -> int:
        return lasting_decks(black, turns + courts, jokers)

    @cache
    def besieged_lasts(turns: int, courts: int, jokers: int) -> int:
        return lasting_decks(red, turns + courts, jokers)

    # (red courts, red Jokers, black courts, black Jokers) -> state of the cycle -> chance, scaled by
    # FATE_SCALE ** turns. State of the cycle: the same four counts since the last shuffle.
    start: tuple[int, ...] = (0, 0, 0, 0)
    weights = {start: {start: 1}}
    besieger_wins = Fraction(0)
    turn = 0
    while weights:
        turn += 1
        surrenders = 0
        after: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        for so_far, cycles in weights.items():
            red_courts, red_jokers, black_courts, black_jokers = so_far
            besieger = besieger_lasts(turn, black_courts, black_jokers)
            besieged_before = besieged_lasts(turn - 1, red_courts, red_jokers)
            besieged = besieged_lasts(turn, red_courts, red_jokers)
            surrenders += sum(cycles.values()) * FATE_SCALE * besieger * (besieged_before - besieged)
            if besieger * besieged == 0:
                continue
            for kind in range(4):
                then = tuple(count + (index == kind) for index, count in enumerate(so_far))
                fallen = besieged - besieged_lasts(turn, then[0], then[1])
                target = after.setdefault(then, {})
                for cycle, weight in cycles.items():
                    left = 14 - sum(cycle)
                    of_kind = (6, 1, 6, 1)[kind] - cycle[kind]
                    if of_kind == 0:
                        continue
                    grown = weight * of_kind * (FATE_SCALE // left)
                    surrenders += grown * besieger * fallen
                    new_cycle = tuple(count + (index == kind) for index, count in enumerate(cycle))
                    if new_cycle[0] + new_cycle[1] == 3 or new_cycle[2] + new_cycle[3] == 3:
                        new_cycle = start
                    target[new_cycle] = target.get(new_cycle, 0) + grown
        besieger_wins += Fraction(surrenders, FATE_SCALE**turn * all_decks**2)
        weights = after
    return besieger_wins


def waiting_chance_card_by_card(red: int, black: int) -> Fraction:
    """The same chance by plain recursion over the cards left: a check of `waiting_chance` on small decks."""

    def discarded(deck: tuple[int, int]) -> list[tuple[tuple[int, int], Fraction, bool]]:
        """Ways to discard the top card: (deck left, chance, the card was red)."""
        reds, blacks = deck
        ways = []
        if reds:
            ways.append(((reds - 1, blacks), Fraction(reds, reds + blacks), True))
        if blacks:
            ways.append(((reds, blacks - 1), Fraction(blacks, reds + blacks), False))
        return ways

    def joker(deck: tuple[int, int], red_fits: bool) -> list[tuple[tuple[int, int], Fraction]]:
        """Ways a Joker can end with a fitting card; what is missing to 1 is the loss of the game."""
        ways = []
        for rest, chance, was_red in discarded(deck):
            if was_red == red_fits:
                ways.append((rest, chance))
            else:
                ways += [(end, chance * further) for end, further in joker(rest, red_fits)]
        return ways

    @cache
    def besieger_acts(besieger: tuple[int, int], besieged: tuple[int, int], cycle: tuple[int, ...]) -> Fraction:
        """Chance that the Besieger wins from here."""
        if besieger == (0, 0):
            return Fraction(0)
        if besieged == (0, 0):
            return Fraction(1)
        return sum(
            (
                chance * other_chance * fate(rest, other_rest, cycle)
                for rest, chance, _ in discarded(besieger)
                for other_rest, other_chance, _ in discarded(besieged)
            ),
            Fraction(0),
        )

    @cache
    def fate(besieger: tuple[int, int], besieged: tuple[int, int], cycle: tuple[int, ...]) -> Fraction:
        left = 14 - sum(cycle)
        total = Fraction(0)
        for kind in range(4):
            chance = Fraction((6, 1, 6, 1)[kind] - cycle[kind], left)
            new_cycle = tuple(count + (index == kind) for index, count in enumerate(cycle))
            if new_cycle[0] + new_cycle[1] == 3 or new_cycle[2] + new_cycle[3] == 3:
                new_cycle = (0, 0, 0, 0)
            if kind in (0, 1):
                ends = [way[:2] for way in discarded(besieged)] if kind == 0 else joker(besieged, True)
                fallen = 1 - sum((share for _, share in ends), Fraction(0))
                inner = sum((share * besieger_acts(besieger, end, new_cycle) for end, share in ends), fallen)
            else:
                ends = [way[:2] for way in discarded(besieger)] if kind == 2 else joker(besieger, False)
                inner = sum((share * besieger_acts(end, besieged, new_cycle) for end, share in ends), Fraction(0))
            total += chance * inner
        return total

    return besieger_acts((red, black), (red, black), (0, 0, 0, 0))


def p_09() -> Fraction:
    """`waiter` against `waiter`: the Besieger wins."""
    return waiting_chance()
