"""Simple Siege in words: what an action is called, what a person sees of a position."""

from __future__ import annotations

from pathlib import Path

from simlab.game import Cards, Description, Knobs, State, read_text
from simlab.games.simple_siege.state import (
    ASSAULT_SIZE,
    BESIEGED_ACTS,
    BESIEGER_ACTS,
    CONSTRUCT,
    COUNTER_IDS,
    COUNTERS,
    DESTROY,
    PLAN_MENU,
    PLAN_PICK,
    SEATS,
    TABLES,
)

BESIEGER_ACTIONS = ("Besiege", "Plan", "Bombard (Walls)", "Bombard (Enemy)", "Assault", "Resupply")
BESIEGED_ACTIONS = (
    "Besieged",
    "Repair and Strengthen",
    "Plan",
    "Sally (Siege Equipment)",
    "Sally (Enemy)",
    "Rationing",
)
_PRINTED = {str(row["id"]): str(row["name"]) for row in TABLES[0].read(Path(__file__).with_name("counters.csv"))}
COUNTER_NAMES = tuple(_PRINTED[counter] for counter in COUNTER_IDS)
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
    """What a person calls the action."""
    kind = int(state.decision)
    if kind == BESIEGER_ACTS:
        if action >= CONSTRUCT:
            counter = action - CONSTRUCT
            costs = f"costs {state.price[counter]}"
            return f"Construct {counter_name(cards, counter)} (+{state.modifier[counter]}, {costs})"
        return BESIEGER_ACTIONS[action]
    if kind == BESIEGED_ACTS:
        return BESIEGED_ACTIONS[action]
    if kind == ASSAULT_SIZE:
        return f"throw {some_cards(action + 1)}"
    if kind == PLAN_PICK:
        side = int(state.seat)
        place = int(state.deck_len[side]) - 1 - int(state.plan_placed) - action
        return f"next from the top: {card_name(state.deck[side, place])}"
    if kind == PLAN_MENU:
        return PLAN_ORDERS[action]
    if kind == DESTROY:
        return f"destroy {counter_name(cards, action)}"
    return f"draw {some_cards(action)} to defend" if action else "draw no card"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees all that is settled.

    Returns:
        texts by name; a tuple is a list of things, so that a replay can show what came and went.
    """
    seen: Description = {"walls": str(int(state.walls))}
    seen["counters in play"] = tuple(counter_name(cards, c) for c in range(COUNTERS) if state.built[c])
    for side, name in enumerate(SEATS):
        seen[f"{name}'s deck"] = some_cards(int(state.deck_len[side]))
        known = int(state.known_top[side])
        if known and (seat is None or seat == side):
            top = int(state.deck_len[side]) - 1
            seen[f"{name} knows on top"] = " ".join(card_name(state.deck[side, top - i]) for i in range(known))
        elif known:
            seen[f"{name} knows on top"] = some_cards(known)
        thrown = int(state.aside_len[side])
        if thrown:
            hidden = seat is not None and seat != side and int(state.decision) != DESTROY
            drawn = " ".join(card_name(state.aside[side, i]) for i in range(thrown))
            seen[f"{name}'s contest cards"] = f"{thrown} face down" if hidden else drawn
        pile = range(int(state.pile_len[side]))
        seen[f"{name}'s pile"] = tuple(card_name(state.pile[side, i]) for i in pile)
    if state.fate_card >= 0:
        turn = int(state.turn) - (state.fate_phase == 0)  # by its end a turn has got to the next one
        then = "" if state.fate_left < state.fate_len else ", then all shuffled"
        seen["Fate"] = f"{fate_name(cards, int(state.fate_card))} (turn {turn}){then}"
    gone = [int(k) for k in state.fate[state.fate_left : state.fate_len]][::-1]
    seen["Fate turned up"] = tuple(fate_name(cards, k) for k in gone)
    seen["Fate since the shuffle"] = f"{int(state.fate_seen[0])} red, {int(state.fate_seen[1])} black"
    return seen
