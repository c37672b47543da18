"""Montségur in words: what an action is called, what a person sees of a position."""

from __future__ import annotations

from simlab.game import Cards, Description, Knobs, State, read_text
from simlab.games.montsegur.board import defence_bonus, least_crusaders
from simlab.games.montsegur.deck import card_cp, card_symbols
from simlab.games.montsegur.state import (
    CARDS_MAX,
    CAT,
    CODES,
    CRU,
    D_ACTION,
    D_DESERT,
    D_EDGE,
    D_ESCAPE_OPT,
    D_FORCE,
    D_INIT,
    D_PLAY,
    D_PREEMPT,
    D_REDEP_PICK,
    D_REDEP_SET,
    D_REDRAW,
    D_RING,
    D_STRATEGY,
    D_STRIKE,
    D_TRIGGER,
    DECLINE_ATTACK,
    DISCARD,
    DOVE,
    FACE_DOWN,
    HAND_MAX,
    IN_PLAY,
    LOCATIONS,
    LOG_EVENT,
    LOG_PASS,
    LOG_PREEMPTED,
    LOG_TRIGGERED,
    NUMBERS,
    PLAY_COMMANDER,
    PLAY_CP,
    PLAY_PASS,
    RESOLVED,
    SEATS,
    STOP_PICKING,
    TOKENS,
    ZONE,
)

ACTIONS = ("Attack", "Reinforcements", "Redeploy", "Intelligence", "Boost Morale", "Escape", "Consolamentum")
SLOTS = tuple(f"card {n}" for n in range(1, HAND_MAX + 1))
PLAYS = (
    *(f"event, card {n}" for n in range(1, HAND_MAX + 1)),
    *(f"points, card {n}" for n in range(1, HAND_MAX + 1)),
    "commander",
    "pass",
)
SIDES = ("Cathars", "Crusaders")
COMMANDERS = ("Pierre Roger de Mirepoix", "Hugues des Arcis")
CHECKS = ("Leadership Check", "Escape Check", "Repentance Check", "last Repentance Check")
_MARKS = ("Cathar", "Crusader", "neutral")


def card_title(cards: Cards, card: int) -> str:
    """A card as `S01 Ambush`."""
    return f"{read_text(cards.card_id[card])} {read_text(cards.card_name[card])}"


def card_words(knobs: Knobs, cards: Cards, card: int) -> str:
    """A card with its points, symbols and text."""
    side = int(cards.side[card])
    symbols = card_symbols(knobs, cards, card, side) if side < 2 else 0
    mark = _MARKS[side] + (f" x{int(symbols)}" if symbols else "")
    points = int(card_cp(knobs, cards, card))
    return f"{card_title(cards, card)} ({points} CP, {mark}): {read_text(cards.card_text[card])}"


def place_name(cards: Cards, place: int) -> str:
    return read_text(cards.place_name[place])


def token_name(state: State, token: int) -> str:
    """A token as `+2/-1`: the Cathar side, then the Crusader side."""
    if token >= NUMBERS:
        return "dove" if token == DOVE else "cross"
    return f"{int(state.token_value[CAT, token]):+d}/{int(state.token_value[CRU, token]):+d}"


def _soldiers(number: int) -> str:
    return f"{number} soldier{'' if number == 1 else 's'}"


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """What a person calls the action."""
    kind = int(state.decision)
    seat = int(state.seat)
    if kind == D_INIT:
        return f"{SIDES[seat] if action == 0 else SIDES[1 - seat]} start"
    if kind == D_PLAY:
        return _play_label(state, knobs, cards, seat, action)
    if kind == D_ACTION:
        return f"{ACTIONS[action]} with {int(state.cp)} CP"
    if kind == D_EDGE:
        return "do not attack" if action == DECLINE_ATTACK else _edge_label(state, knobs, cards, action)
    if kind == D_FORCE:
        return f"attack with {_soldiers(action + 1)}"
    if kind == D_REDEP_PICK:
        return "no more locations" if action == STOP_PICKING else f"choose {place_name(cards, action)}"
    if kind == D_REDEP_SET:
        return f"{_soldiers(action)} in {place_name(cards, int(state.placing))}"
    if kind == D_STRATEGY:
        return f"put on the stack: {card_words(knobs, cards, int(state.hand[seat, action]))}"
    if kind in (D_STRIKE, D_RING, D_DESERT):
        return place_name(cards, action)
    card = card_words(knobs, cards, int(state.card)) if state.card >= 0 else ""
    words = {
        D_PREEMPT: ("leave the event open", f"pay {int(knobs.preempt_cost)} to preempt"),
        D_REDRAW: ("accept the failure", f"pay {int(knobs.redraw_cost)} and draw another token"),
        D_TRIGGER: ("let it pass", f"pay {int(knobs.trigger_cost)} and trigger {card}"),
        D_ESCAPE_OPT: ("stay", "try to escape"),
    }
    return words[kind][action]


def _play_label(state: State, knobs: Knobs, cards: Cards, seat: int, action: int) -> str:
    if action == PLAY_COMMANDER:
        return f"{COMMANDERS[seat]} for {int(knobs.commander_cp)} CP"
    if action == PLAY_PASS:
        return "pass"
    if action < PLAY_CP:
        return f"event: {card_words(knobs, cards, int(state.hand[seat, action]))}"
    card = int(state.hand[seat, action - PLAY_CP])
    return f"for {int(card_cp(knobs, cards, card))} CP: {card_title(cards, card)}"


def _edge_label(state: State, knobs: Knobs, cards: Cards, edge: int) -> str:
    start, end = int(cards.edge_from[edge]), int(cards.edge_to[edge])
    defenders = int(state.soldiers[1 - int(state.actor), end])
    bonus = int(defence_bonus(state, knobs, cards, edge))
    return (
        f"from {place_name(cards, start)} attack {place_name(cards, end)} "
        f"({_soldiers(defenders)}, defence bonus {bonus if defenders else 0})"
    )


def _play_text(state: State, cards: Cards, entry: int) -> str:
    card, how = int(state.log_card[entry]), int(state.log_how[entry])
    second = entry % 2 == 1
    side = int(state.start_player) if not second else 1 - int(state.start_player)
    what = card_title(cards, card) if card >= 0 else COMMANDERS[side]
    bare = how & ~(LOG_TRIGGERED | LOG_PREEMPTED)
    if bare == LOG_PASS:
        return f"{SIDES[side]}: pass"
    use = "event" if bare == LOG_EVENT else ACTIONS[bare]
    extra = ", triggered" if how & LOG_TRIGGERED else ", preempted" if how & LOG_PREEMPTED else ""
    return f"{SIDES[side]}: {what}, {use}{extra}"


def _lasting(state: State) -> tuple[str, ...]:
    texts = []
    for side, name in enumerate(SIDES):
        if state.lead[side]:
            texts.append(f"{name}: Leadership Checks {int(state.lead[side]):+d} this turn")
        if state.reinf_mod[side]:
            texts.append(f"{name}: reinforcement points {int(state.reinf_mod[side]):+d} this turn")
        if state.caves[side]:
            texts.append(f"the Caves are open to the {name}")
    if state.escape_mod:
        texts.append(f"Escape Checks {int(state.escape_mod):+d} this turn")
    if state.path_less:
        texts.append(f"{int(state.path_less)} Crusaders fewer on the Cathars' path this turn")
    if state.no_attack:
        texts.append("no attacks this turn")
    if state.grail:
        texts.append("the Grail has been played")
    if state.broken_line:
        texts.append("A Broken Line has been played")
    if state.walls_mended:
        texts.append("the Eastern Walls are mended: +1 against the Crest")
    return tuple(texts)


def _pile(state: State, cards: Cards, zone: int) -> tuple[str, ...]:
    n = min(int(cards.n_cards), CARDS_MAX)
    return tuple(card_title(cards, card) for card in range(n) if int(state.place[card]) & ZONE == zone)


def _pending(state: State, cards: Cards) -> str:
    """What the decision at hand is about."""
    kind = int(state.decision)
    if kind == D_REDRAW:
        check = CHECKS[int(state.check)]
        token = token_name(state, int(state.token))
        return f"{check}: {int(state.check_base)} and token {token}, limit {int(state.check_limit)}: failed"
    if kind in (D_REDEP_PICK, D_REDEP_SET):
        chosen = ", ".join(CODES[p] for p in range(LOCATIONS) if int(state.picks) >> p & 1)
        points = f"Redeploy with {int(state.redeploy_cp)} CP; chosen: {chosen or 'nothing yet'}"
        return points + (f"; {int(state.to_place)} soldiers to place" if kind == D_REDEP_SET else "")
    if kind == D_FORCE:
        edge = int(state.attack_edge)
        start, end = int(cards.edge_from[edge]), int(cards.edge_to[edge])
        return f"attack from {place_name(cards, start)} on {place_name(cards, end)}"
    if kind == D_RING:
        return f"{int(state.ring_left)} soldiers for the ring"
    return "nothing"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees all.

    Returns:
        texts by name; a tuple is a list of things, so that a replay can show what came and went.
    """
    seen: Description = {"turn": f"{int(state.turn)}, phase {min(int(state.phase) + 1, int(knobs.activity_phases))}"}
    seen["tracks"] = (
        f"Faith {int(state.faith)}, Food {int(state.food)}, Morale Cathars {int(state.morale[CAT])}, "
        f"Crusaders {int(state.morale[CRU])}"
    )
    seen["perfects"] = (
        f"Montségur {int(state.montsegur)}, Aspiring {int(state.aspiring)}, Escaped {int(state.escaped)}, "
        f"Captured {int(state.captured)}, Burned {int(state.burned)}, Repenting {int(state.repenting)}"
    )
    seen["map"] = tuple(_location(state, cards, place) for place in range(LOCATIONS))
    seen["best way out"] = f"{int(least_crusaders(state, cards))} Crusaders"
    seen["Battlefield"] = f"Cathars {int(state.battlefield[CAT])}, Crusaders {int(state.battlefield[CRU])}"
    for side, name in enumerate(SIDES):
        seen[name] = (
            f"{int(state.markers[side])} markers, {int(state.scouts[side])} scouts, commander "
            f"{'active' if state.commander[side] else 'exhausted'}, {int(state.stack_len[side])} in the stack"
        )
    seen["trebuchets"] = str(int(state.trebuchets))
    seen["in force"] = _lasting(state)
    on_trail = [token for token in range(TOKENS) if not int(state.bag) >> token & 1]
    seen["Trail of Fate"] = tuple(token_name(state, token) for token in on_trail)
    seen["last token"] = token_name(state, int(state.token)) if state.token >= 0 else "none"
    seen["this turn"] = tuple(_play_text(state, cards, entry) for entry in range(int(state.log_len)))
    seen["in play"] = _pile(state, cards, IN_PLAY)
    seen["about"] = _pending(state, cards)
    for side, name in enumerate(SEATS):
        hand = [int(card) for card in state.hand[side, : int(state.hand_len[side])]]
        if seat is None or seat == side:
            seen[f"{name}'s hand"] = tuple(card_words(knobs, cards, card) for card in hand)
            stack = [int(card) for card in state.stack[side, : int(state.stack_len[side])]]
            seen[f"{name}'s stack"] = tuple(card_title(cards, card) for card in stack)
        else:
            seen[f"{name}'s hand"] = _cards(len(hand))
            seen[f"{name}'s stack"] = _cards(int(state.stack_len[side]))
    seen["deck"] = _cards(int(state.deck_len))
    seen["discarded"] = _pile(state, cards, DISCARD)
    face_down = len(_pile(state, cards, FACE_DOWN))
    if face_down:
        seen["discarded face down"] = _cards(face_down)
    seen["resolved"] = _pile(state, cards, RESOLVED)
    return seen


def _location(state: State, cards: Cards, place: int) -> str:
    name = f"{CODES[place]} {place_name(cards, place)}"
    for side, owner in enumerate(("Cathar", "Crusader")):
        number = int(state.soldiers[side, place])
        if number:
            return f"{name}: {number} {owner}{'' if number == 1 else 's'}"
    return f"{name}: empty"
