"""Montségur in words: names of actions, positions as a person sees them."""

from __future__ import annotations

import numpy as np

from simlab.game import Cards, Description, Knobs, State, read_text
from simlab.games.montsegur import rule
from simlab.games.montsegur import state as s
from simlab.games.montsegur.actions import scouts_bought, sneak_through
from simlab.games.montsegur.board import bonus_met, defence_bonus, flanking, least_crusaders, on_the_path
from simlab.games.montsegur.deck import card_cp, card_symbols

ACTIONS = ("Attack", "Reinforcements", "Redeploy", "Intelligence", "Boost Morale", "Escape", "Consolamentum")
SLOTS = tuple(f"card {n}" for n in range(1, s.HAND_MAX + 1))
PLAYS = (
    *(f"event, card {n}" for n in range(1, s.HAND_MAX + 1)),
    *(f"points, card {n}" for n in range(1, s.HAND_MAX + 1)),
    "commander",
    "pass",
)
SIDES = ("Cathars", "Crusaders")
COMMANDERS = ("Pierre Roger de Mirepoix", "Hugues des Arcis")
CHECKS = ("Leadership Check", "Escape Check", "Repentance Check", "last Repentance Check")
_AT = {s.D_STRIKE: "in", s.D_RING: "a soldier in", s.D_DESERT: "a soldier deserts from"}
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
    """A token as the rulebook calls it, `Cathar +2 / Crusader -1`, `dove` or `cross`."""
    if token >= s.NUMBERS:
        return "dove" if token == s.DOVE else "cross"
    return f"Cathar {int(state.token_value[s.CAT, token]):+d} / Crusader {int(state.token_value[s.CRU, token]):+d}"


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """Label of the action."""
    kind = int(state.decision)
    seat = int(state.seat)
    if kind == s.D_INIT:
        return f"{SIDES[seat] if action == 0 else SIDES[1 - seat]} start"
    if kind == s.D_PLAY:
        return _play_label(state, knobs, cards, seat, action)
    if kind == s.D_ACTION:
        return _action_label(state, knobs, cards, action)
    if kind == s.D_EDGE:
        return "do not attack" if action == s.DECLINE_ATTACK else _edge_label(state, knobs, cards, action)
    if kind == s.D_FORCE:
        target = int(cards.edge_to[int(state.attack_edge)])
        return f"attack {place_name(cards, target)} with {_many(action + 1, 'soldier')}"
    if kind == s.D_REDEP_PICK:
        return "no more locations" if action == s.STOP_PICKING else f"choose {place_name(cards, action)}"
    if kind == s.D_REDEP_SET:
        return f"{_many(action, 'soldier')} in {place_name(cards, int(state.placing))}"
    if kind == s.D_STRATEGY:
        return f"put on the stack: {card_words(knobs, cards, int(state.hand[seat, action]))}"
    if kind in (s.D_STRIKE, s.D_RING, s.D_DESERT):
        return f"{_AT[kind]} {place_name(cards, action)}"
    card = card_words(knobs, cards, int(state.card)) if state.card >= 0 else ""
    title = card_title(cards, int(state.card)) if state.card >= 0 else ""
    check = CHECKS[int(state.check)]
    crusaders = _many(int(on_the_path(state, cards)), "Crusader")
    words = {
        s.D_PREEMPT: ("do not preempt", f"preempt {title} for {_many(int(knobs.preempt_cost), 'marker')}"),
        s.D_REDRAW: (
            f"accept the failed {check}", f"draw another token for {_many(int(knobs.redraw_cost), 'marker')}"
        ),
        s.D_TRIGGER: (
            f"do not trigger {title}", f"trigger for {_many(int(knobs.trigger_cost), 'marker')}: {card}"
        ),
        s.D_ESCAPE_OPT: ("do not escape", f"attempt to escape: {crusaders} on the path"),
    }  # fmt: skip
    return words[kind][action]


def _action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """An action with its effect, if that is known beforehand."""
    side, points = int(state.active), int(state.cp)
    name = f"{ACTIONS[action]} with {points} CP"
    if action == s.REINFORCE:
        gained = max(0, points + int(state.reinf_mod[side]))
        if side == s.CAT:
            gained = int(sneak_through(knobs, gained, int(on_the_path(state, cards))))
        return f"{name}: {_many(gained, 'soldier')}"
    if action == s.SCOUT:
        return f"{name}: {_many(int(scouts_bought(knobs, points)), 'scout')}"
    if action == s.BOOST:
        total = points + int(state.lead[side])
        return f"{name}: token of {int(knobs.leadership_threshold) + 1 - total:+d} or higher"
    if action == s.ESCAPE:
        crusaders = int(on_the_path(state, cards))
        if crusaders == 0:
            return f"{name}: no Crusader on the path"
        total = points + int(state.escape_mod)
        return f"{name}: {_many(crusaders, 'Crusader')} on the path, token of {crusaders + 1 - total:+d} or higher"
    if action == s.CONSOLE:
        return f"{name}: {_many(points // int(knobs.aspire_cost), 'Aspiring Perfect')}"
    return name


def _play_label(state: State, knobs: Knobs, cards: Cards, seat: int, action: int) -> str:
    if action == s.PLAY_COMMANDER:
        return f"{COMMANDERS[seat]} for {int(knobs.commander_cp)} CP"
    if action == s.PLAY_PASS:
        return "pass"
    if action < s.PLAY_CP:
        return f"event: {card_words(knobs, cards, int(state.hand[seat, action]))}"
    card = int(state.hand[seat, action - s.PLAY_CP])
    return f"for {int(card_cp(knobs, cards, card))} CP: {card_title(cards, card)}"


def _edge_label(state: State, knobs: Knobs, cards: Cards, edge: int) -> str:
    start, end = int(cards.edge_from[edge]), int(cards.edge_to[edge])
    actor = int(state.actor)
    defenders = int(state.soldiers[1 - actor, end])
    bonus = int(bonus_met(state, knobs, cards, actor, edge, int(state.attack_less), int(state.attack_bare)))
    there = f"{_many(defenders, 'soldier')}, defence bonus {bonus}" if defenders or bonus else "empty"
    flanked = int(flanking(state, knobs, cards, actor, edge))
    flank = f", flanking bonus {flanked}" if flanked else ""
    return f"from {place_name(cards, start)} attack {place_name(cards, end)} ({there}{flank})"


def _play_text(state: State, cards: Cards, entry: int) -> str:
    card, how = int(state.log_card[entry]), int(state.log_how[entry])
    second = entry % 2 == 1
    side = int(state.start_player) if not second else 1 - int(state.start_player)
    what = card_title(cards, card) if card >= 0 else COMMANDERS[side]
    bare = how & ~(s.LOG_TRIGGERED | s.LOG_PREEMPTED)
    if bare == s.LOG_PASS:
        return f"{SIDES[side]}: pass"
    use = "event" if bare == s.LOG_EVENT else ACTIONS[bare]
    extra = ", triggered" if how & s.LOG_TRIGGERED else ", preempted" if how & s.LOG_PREEMPTED else ""
    return f"{SIDES[side]}: {what}, {use}{extra}"


def _lasting(state: State) -> tuple[str, ...]:
    texts = []
    for side, name in enumerate(SIDES):
        if state.lead[side]:
            texts.append(f"{name}' Leadership Checks {int(state.lead[side]):+d} this turn")
        if state.reinf_mod[side]:
            texts.append(f"{name}' reinforcement points {int(state.reinf_mod[side]):+d} each time this turn")
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
    n = min(int(cards.n_cards), s.CARDS_MAX)
    return tuple(card_title(cards, card) for card in np.flatnonzero(state.place[:n] & s.ZONE == zone))


def _pending(state: State) -> str:
    """The subject of the current decision, if its options do not name it."""
    kind = int(state.decision)
    if kind == s.D_REDRAW:
        return f"{check_words(state)}: failed"
    if kind in (s.D_REDEP_PICK, s.D_REDEP_SET):
        chosen = " ".join(s.CODES[p] for p in range(s.LOCATIONS) if int(state.picks) >> p & 1)
        text = f"Redeploy with {int(state.redeploy_cp)} CP: {chosen or 'nothing'} chosen"
        return text + (f", {_many(int(state.to_place), 'soldier')} to place" if kind == s.D_REDEP_SET else "")
    if kind == s.D_RING:
        return f"{_many(int(state.ring_left), 'soldier')} to place"
    return ""


def asides(before: State, after: State, knobs: Knobs, cards: Cards) -> list[str]:
    """Attacks and checks that a decision settled, with their results; only the last of several checks is listed."""
    texts = []
    for side, name in enumerate(SIDES):
        attacks, taken = (int(after.count[n + side] - before.count[n + side]) for n in (s.N_ATTACKS, s.N_TAKEN))
        if attacks:
            place = place_name(cards, int(cards.edge_to[after.attack_edge]))
            texts.append(f"{name} attack {place}: {'taken' if taken else 'not taken'}")
    tokens = int(after.fired[rule.MS_FAT_02]) - int(before.fired[rule.MS_FAT_02])
    if tokens:
        of = f"the last of {tokens} tokens, " if tokens > 1 else ""
        texts.append(f"{check_words(after)}: {of}{'success' if check_made(after) else 'failed'}")
    return texts


def check_words(state: State) -> str:
    """The current check, or the last one, with its token."""
    check, token = CHECKS[int(state.check)], token_name(state, int(state.token))
    return f"{check}: {int(state.check_base)} and {token}, which had to exceed {int(state.check_limit)}"


def check_made(state: State) -> bool:
    """MS-FAT-05, MS-FAT-10: whether the last check succeeded."""
    side, token = int(state.check_side), int(state.token)
    if token >= s.NUMBERS:
        return (token == s.DOVE) == (side == s.CAT)
    return bool(state.check_base + state.token_value[side, token] > state.check_limit)


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees all.

    Returns:
        texts by name; a tuple is a list of items, so a replay can show additions and removals.
    """
    seen: Description = {"turn": f"{int(state.turn)}, phase {min(int(state.phase) + 1, int(knobs.activity_phases))}"}
    seen["tracks"] = (
        f"Faith {int(state.faith)}, Food {int(state.food)}, Cathar Morale {int(state.morale[s.CAT])}, "
        f"Crusader Morale {int(state.morale[s.CRU])}"
    )
    seen["perfects"] = (
        f"Montségur {int(state.montsegur)}, Aspiring {int(state.aspiring)}, Escaped {int(state.escaped)}, "
        f"Captured {int(state.captured)}, Burned {int(state.burned)}, Repenting {int(state.repenting)}"
    )
    seen["map"] = _locations(state, knobs, cards)
    seen["best path to the outside"] = _many(int(least_crusaders(state, cards)), "Crusader")
    seen["Battlefield"] = (
        f"{_many(int(state.battlefield[s.CAT]), 'Cathar')}, {_many(int(state.battlefield[s.CRU]), 'Crusader')}"
    )
    for side, name in enumerate(SIDES):
        seen[name] = (
            f"{_many(int(state.markers[side]), 'advantage marker')}, {_many(int(state.scouts[side]), 'scout')}, "
            f"commander {'active' if state.commander[side] else 'exhausted'}"
        )
    seen["trebuchets"] = str(int(state.trebuchets))
    seen["in force"] = _lasting(state)
    on_trail = [token for token in range(s.TOKENS) if not int(state.bag) >> token & 1]
    seen["Trail of Fate"] = tuple(token_name(state, token) for token in on_trail)
    seen["last token"] = token_name(state, int(state.token)) if state.token >= 0 else "none"
    seen["this turn"] = tuple(_play_text(state, cards, entry) for entry in range(int(state.log_len)))
    seen["in play"] = _pile(state, cards, s.IN_PLAY)
    pending = _pending(state)
    if pending:
        seen["pending"] = pending
    seen["resolved"] = _pile(state, cards, s.RESOLVED)
    seen["discarded"] = _pile(state, cards, s.DISCARD)
    face_down = len(_pile(state, cards, s.FACE_DOWN))
    if face_down:
        seen["discarded face down"] = _many(face_down, "card")
    seen["deck"] = _many(int(state.deck_len), "card")
    # The seat's own cards come last: in manual play they then appear next to the options.
    for side in (s.CAT, s.CRU) if seat is None else (1 - seat, seat):
        name = s.SEATS[side]
        hand = [int(card) for card in state.hand[side, : int(state.hand_len[side])]]
        if seat is None or seat == side:
            stack = [int(card) for card in state.stack[side, : int(state.stack_len[side])]]
            seen[f"{name}'s stack"] = tuple(card_title(cards, card) for card in stack)
            seen[f"{name}'s hand"] = tuple(card_words(knobs, cards, card) for card in hand)
        else:
            seen[f"{name}'s stack"] = _many(int(state.stack_len[side]), "card")
            seen[f"{name}'s hand"] = _many(len(hand), "card")
    return seen


def _locations(state: State, knobs: Knobs, cards: Cards) -> tuple[str, ...]:
    """The soldiers in each location, and the paths into it, each with the defence bonus against an attack along it."""
    start, end, passable = cards.edge_from.tolist(), cards.edge_to.tolist(), (cards.edge_open == 1).tolist()
    caves = bool(state.caves[s.CAT] or state.caves[s.CRU])
    paths: list[list[str]] = [[] for _ in range(s.LOCATIONS)]
    for edge in range(s.EDGES):
        if caves or passable[edge]:
            bonus = int(defence_bonus(state, knobs, cards, edge))
            paths[end[edge]].append(f"{s.CODES[start[edge]]}{f' {bonus:+d}' if bonus else ''}")
    texts = []
    for place, numbers in enumerate(state.soldiers[:, : s.LOCATIONS].T.tolist()):
        held = "empty"
        for number, owner in zip(numbers, ("Cathar", "Crusader"), strict=True):
            if number:
                held = _many(number, owner)
        texts.append(f"{s.CODES[place]} {place_name(cards, place)}: {held} | from {', '.join(paths[place])}")
    return tuple(texts)
