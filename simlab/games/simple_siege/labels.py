"""Simple Siege in words: names of actions, positions as a person sees them."""

from __future__ import annotations

from pathlib import Path

from simlab.game import Cards, Description, Knobs, State, read_text
from simlab.games.simple_siege import rule
from simlab.games.simple_siege import state as s

BESIEGER_ACTIONS = ("Besiege", "Plan", "Bombard (Walls)", "Bombard (Enemy)", "Assault", "Resupply")
BESIEGED_ACTIONS = (
    "Besieged",
    "Repair and Strengthen",
    "Plan",
    "Sally (Siege Equipment)",
    "Sally (Enemy)",
    "Rationing",
)
_PRINTED = {str(row["id"]): str(row["name"]) for row in s.TABLES[0].read(Path(__file__).with_name("counters.csv"))}
COUNTER_NAMES = tuple(_PRINTED[counter] for counter in s.COUNTER_IDS)
PLAN_ORDERS = ("keep the order", "ascending", "descending", "storm stack", "Hearts first")


def card_name(card: int) -> str:
    """A card as `10H`: value, then suit."""
    value = int(card) % 10 + 1
    return f"{'A' if value == 1 else value}{'SHDC'[int(card) // 10]}"


def some_cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def counter_name(cards: Cards, counter: int) -> str:
    return read_text(cards.counter_name[counter])


def fate_name(cards: Cards, kind: int) -> str:
    return read_text(cards.fate_name[kind]) or f"kind {kind}"


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """Label of the action."""
    kind = int(state.decision)
    if kind == s.BESIEGER_ACTS:
        if action >= s.CONSTRUCT:
            counter = action - s.CONSTRUCT
            costs = f"costs {state.price[counter]}"
            return f"Construct {counter_name(cards, counter)} (+{state.modifier[counter]}, {costs})"
        return BESIEGER_ACTIONS[action]
    if kind == s.BESIEGED_ACTS:
        return BESIEGED_ACTIONS[action]
    if kind == s.ASSAULT_SIZE:
        return f"throw {some_cards(action + 1)}"
    if kind == s.PLAN_PICK:
        side = int(state.seat)
        place = int(state.deck_len[side]) - 1 - int(state.plan_placed) - action
        return f"next from the top: {card_name(state.deck[side, place])}"
    if kind == s.PLAN_MENU:
        return PLAN_ORDERS[action]
    if kind == s.DESTROY:
        return f"destroy {counter_name(cards, action)}"
    return f"draw {some_cards(action)} to defend" if action else "draw no card"


def contest_words(state: State) -> str:
    """The current contest, or the last one with its scores."""
    if state.attacker < 0:
        return "none yet"
    action = (BESIEGER_ACTIONS, BESIEGED_ACTIONS)[int(state.attacker)][int(state.contest)]
    attack, defence = int(state.attack_score), int(state.defence_score)
    if attack < 0:
        return f"{action}, face down"
    return f"{action}, {attack} against {defence}: {'success' if attack > defence else 'no effect'}"


def asides(before: State, after: State, knobs: Knobs, cards: Cards) -> list[str]:
    """A contest that a decision settled (SS-CON-04)."""
    settled = int(after.fired[rule.SS_CON_04]) - int(before.fired[rule.SS_CON_04])
    return [contest_words(after)] if settled else []


def fate_words(state: State, cards: Cards) -> str:
    """The last Fate card turned up."""
    if state.fate_card < 0:
        return "none yet"
    turn = int(state.turn) - (state.fate_phase == 0)  # once Fate is resolved the next turn has begun
    return f"turn {turn}: {fate_name(cards, int(state.fate_card))}"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees everything that is already fixed.

    Returns:
        texts by name; a tuple is a list of items, so a replay can show additions and removals.
    """
    seen: Description = {"walls": str(int(state.walls))}
    seen["counters in play"] = tuple(counter_name(cards, c) for c in range(s.COUNTERS) if state.built[c])
    seen["contest"] = contest_words(state)
    for side, name in enumerate(s.SEATS):
        seen[f"{name}'s deck"] = some_cards(int(state.deck_len[side]))
        known = int(state.known_top[side])
        if known and (seat is None or seat == side):
            top = int(state.deck_len[side]) - 1
            seen[f"{name} knows on top"] = " ".join(card_name(state.deck[side, top - i]) for i in range(known))
        elif known:
            seen[f"{name} knows on top"] = some_cards(known)
        thrown = int(state.aside_len[side])
        if thrown:
            hidden = seat is not None and seat != side and int(state.decision) != s.DESTROY
            drawn = " ".join(card_name(state.aside[side, i]) for i in range(thrown))
            seen[f"{name}'s contest cards"] = f"{thrown} face down" if hidden else drawn
        pile = range(int(state.pile_len[side]))
        seen[f"{name}'s pile"] = tuple(card_name(state.pile[side, i]) for i in pile)
    seen["Fate"] = fate_words(state, cards)
    seen["Fate since the shuffle"] = f"{int(state.fate_seen[0])} red and {int(state.fate_seen[1])} black"
    gone = [int(k) for k in state.fate[state.fate_left : state.fate_len]][::-1]
    seen["Fate turned up"] = tuple(fate_name(cards, k) for k in gone)
    return seen
