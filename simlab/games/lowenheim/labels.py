"""Lowenheim in words: names of actions, positions as a person sees them, the map drawn in text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from simlab.game import Array, Cards, Description, HexContent, Knobs, State, read_text
from simlab.games.lowenheim import rule
from simlab.games.lowenheim import state as st
from simlab.games.lowenheim.cards import other, owner_of, secret_of
from simlab.games.lowenheim.rules import OTHERS
from simlab.games.lowenheim.tables import LETTERS, TERRAINS, WAYS
from simlab.games.lowenheim.upkeep import destroyable
from simlab.games.lowenheim.wizards import spell_of

DUE_NAMES = (
    "stone bridge", "footbridge", "counter mine", "new wells", "water", "hospital", "food", "mobile reserve",
    "cannon 1", "cannon 1", "cannon 2", "cannon 2", "demon's upkeep",
)  # fmt: skip
SECRETS = ("the werewolf", "the tunnel", "the artefacts", "the Silver Hair")
ARTEFACT_NAMES = ("Mask", "Box", "Altar", "Teleporter")
PRINTED = tuple("".join(LETTERS[name]) for name in TERRAINS)
_YES_NO = {
    st.D_BOX: ("do not pay for the Box", "pay two cards for the Box"),
    st.D_QUEEN: ("the Queen stays", "escort the Queen"),
    st.D_RITE: ("no rite", "declare the rite of the Silver Hair"),
    st.D_BRUNHILDE: ("without Lady Brunhilde", "with Lady Brunhilde"),
    st.D_ANSWER: ("decline", "accept"),
    st.D_REVEAL: ("keep the secret", "make the secret public"),
}
_VICTIMS = (
    "a Rat Ogre", "a skaven", *(f"a figure of {seat}" for seat in st.SEATS),
    *(f"a character of {seat}" for seat in st.SEATS),
)  # fmt: skip
_DELEGATES = (
    "the first character", "the second character", "the third character", "a mounted figure", "a foot figure"
)  # fmt: skip


FACTION_NAMES = (
    "City Guard", "Palace Guard", "Queen's Own Elven Guard", "Wizard's Council", "Embassy of Bretonnia",
    "Blue Lotus Society of Cathay",
)  # fmt: skip
LEGEND = (
    f"{', '.join(f'{code} {name}' for code, name in zip(st.SEATS, FACTION_NAMES, strict=True))}. A1 or 67 is the name "
    "of a hex, h24 a house with a sewer (dice 2 and 4), # the city wall, ~ the canal. 5!6 in a hex is five defenders "
    "and six intruders; * is burning, % is burnt down."
)


#: The rulebook's names of the steps of a turn, by the last stage of each.
_STEPS = {
    st.FIRST_VOTE: "Pre-game", st.DISCARDING: "Discard and refill", st.EVENT: "Special event card",
    st.BOX_USE: "Command card",
    st.ENEMY_MOVE: "Enemy movement", st.ENEMY_COMBAT: "Enemy combat", st.SLOT_END: "All player movement",
    st.COMBAT_END: "All player combat", st.HAND_LIMIT: "Trading cards", st.DISCHARGES: "Healing from the Temple",
    st.WOLF_CARD: "Food", st.FIRES: "Fires", st.BUILDING: "Barricades", st.UPKEEP: "React to the command",
    st.VOTES: "End of turn",
    st.NEXT_TURN: "Discard and refill",
}  # fmt: skip


# --- Names ----------------------------------------------------------------------


def hex_name(cards: Cards, h: int) -> str:
    """The name of a passable hex, `A1`, or its id."""
    return _texts(cards.hex_name.tobytes(), cards.hex_name.shape[1])[h]


@lru_cache(maxsize=64)
def _texts(cells: bytes, width: int) -> tuple[str, ...]:
    """The texts of a column of names, cached because an order has more than a hundred options."""
    return tuple(read_text(cell) for cell in np.frombuffer(cells, np.uint8).reshape(-1, width))


def card_type(cards: Cards, kind: int) -> str:
    return _texts(cards.action_name.tobytes(), cards.action_name.shape[1])[kind]


def kind_name(cards: Cards, kind: int) -> str:
    return _texts(cards.kind_name.tobytes(), cards.kind_name.shape[1])[kind]


def figure_name(state: State, cards: Cards, f: int) -> str:
    return kind_name(cards, int(state.kind[f]))


def _cards_text(cards: Cards, counts: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{card_type(cards, kind)} x{int(n)}" for kind, n in enumerate(counts) if n)


def _group(state: State, cards: Cards) -> str:
    """The group that gets an order, as `3 Foot Soldiers in A2`."""
    f = int(state.queue[state.group_at])
    n = int(state.group_end) - int(state.group_at)
    strangers = int(state.ctrl[f]) == st.WZ and int(cards.owner[f]) != st.WZ
    what = "figures under control" if n > 1 and strangers else several(figure_name(state, cards, f), n)
    return f"{f'{n} ' if n > 1 else ''}{what} in {hex_name(cards, int(state.hex[f]))}"


def several(name: str, n: int) -> str:
    """The name of a kind of figure, singular or plural by n; `Skaven` is its own plural."""
    return name if n == 1 or name == "Skaven" else f"{name}s"


def _counted(n: int, name: str) -> str:
    return f"{n} {several(name, n)}"


def figure_at(state: State, cards: Cards, f: int) -> str:
    """A figure with its faction and hex, as `CG Foot Soldier in A2`."""
    name, h = figure_name(state, cards, f), int(state.hex[f])
    if f < st.ROSTER:
        name = f"{st.SEATS[int(cards.owner[f])]} {name}"
    return f"{name} in {hex_name(cards, h)}" if h >= 0 else name


# --- Actions --------------------------------------------------------------------


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """Label of the action."""
    kind = int(state.decision)
    if kind in _YES_NO:
        return _YES_NO[kind][action]
    if kind == st.D_ORDER:
        return _order_label(state, cards, action)
    if kind in (st.D_DISCARD, st.D_GIVE, st.D_WANT, st.D_CUT, st.D_PAY_PRESSURE):
        return _card_label(cards, kind, action)
    if kind in (
        st.D_MAGIC,
        st.D_BATTLE_MAGIC,
        st.D_TARGET,
        st.D_VICTIM,
        st.D_POWER,
        st.D_DIRECTION,
        st.D_ROB,
        st.D_WEAR,
    ):
        return _magic_label(state, cards, kind, action)
    if kind in (st.D_COUNT, st.D_HAND_IN, st.D_QUENCH, st.D_RESERVE, st.D_CREW):
        return _count_label(state, cards, kind, action)
    if kind in (st.D_PLAN, st.D_MASKS, st.D_VOTE, st.D_START, st.D_PARTNER, st.D_PRESS):
        return _talk_label(state, kind, action)
    return _other_label(state, cards, kind, action)


def _order_label(state: State, cards: Cards, action: int) -> str:
    n = int(cards.n_hexes)
    group = _group(state, cards)
    return f"{group}: {'hold' if action == n else _order_text(state, cards, action)}"


def _order_text(state: State, cards: Cards, order: int) -> str:
    if order > cards.n_hexes:
        return "escape through the tunnel"
    here = int(state.hex[int(state.queue[state.group_at])])
    return f"{'stay in' if order == here else 'move towards'} {hex_name(cards, order)}"


def _card_label(cards: Cards, kind: int, action: int) -> str:
    none = {st.D_DISCARD: "no more discards", st.D_WANT: "want nothing: a gift", st.D_PAY_PRESSURE: "refuse"}
    verb = {
        st.D_DISCARD: "discard",
        st.D_GIVE: "give",
        st.D_WANT: "want",
        st.D_CUT: "discard",
        st.D_PAY_PRESSURE: "give",
    }
    return none[kind] if action == 0 else f"{verb[kind]} {card_type(cards, action - 1)}"


def _magic_label(state: State, cards: Cards, kind: int, action: int) -> str:
    if kind == st.D_WEAR:
        return "nobody wears the Mask" if action == 0 else f"{_wizard(state, cards, action - 1)} wears the Mask"
    if kind == st.D_TARGET:
        return f"at {hex_name(cards, action)}"
    if kind == st.D_VICTIM:
        return f"control {_VICTIMS[action]}"
    if kind == st.D_POWER:
        return f"{action + 1} cards: +{action}"
    if kind == st.D_DIRECTION:
        return f"to the {WAYS[action]}"
    if kind == st.D_ROB:
        return f"rob {st.SEATS[action]}"
    wizard = _wizard(state, cards, int(state.wizard))
    if action == 0:
        return f"{wizard} casts nothing"
    if kind == st.D_MAGIC and action >= st.ALTAR_9:
        return {
            int(st.ALTAR_9): f"{wizard} summons the demon at the Altar",
            int(st.OUT_9): f"{wizard} teleports out of the tower",
            int(st.IN_9): f"{wizard} teleports into the tower",
            int(st.BOX_9): f"{wizard} takes the Box",
        }[action]
    return f"{wizard} casts {read_text(cards.spell_name[int(spell_of(kind, action))])}"


def _wizard(state: State, cards: Cards, wizard: int) -> str:
    return figure_name(state, cards, int(st.SEVERUS) + wizard)


def _count_label(state: State, cards: Cards, kind: int, action: int) -> str:
    if kind == st.D_COUNT:
        f, n = int(state.queue[state.group_at]), int(state.group_end) - int(state.group_at)
        part = f"{'all' if action == n else action} of the {n} {several(figure_name(state, cards, f), n)}"
        one, more = ("stays", "stay") if int(state.order) == int(state.hex[f]) else ("goes", "go")
        return f"{part} {one if action == 1 else more}"
    if kind == st.D_RESERVE:
        return f"give {action} to the mobile reserve"
    if kind == st.D_CREW:
        return f"give {action} as crew"
    if kind == st.D_QUENCH:
        return f"{action} Water on {fire_name(cards, int(state.at))}"
    demand = int(state.at)
    return f"hand in {action} {card_type(cards, int(st.DEMAND_TYPE[demand]))} for {DUE_NAMES[demand]}"


def fire_name(cards: Cards, k: int) -> str:
    """Name of a hex that can burn; houses are named by their two dice, as in the rulebook."""
    h = int(cards.fire_on[k])
    return hex_name(cards, h) if h >= 0 else house_name(cards.house_fire.tolist().index(k))


def house_name(house: int) -> str:
    """A house by its two dice, as `house 24`."""
    return f"house {house // 6 + 1}{house % 6 + 1}"


def _talk_label(state: State, kind: int, action: int) -> str:
    seat = int(state.seat)
    if kind == st.D_PLAN:
        return "everybody at home" if action == 0 else "a detachment outside"
    if kind == st.D_MASKS:
        free = [st.SEATS[int(other(seat, at))] for at in range(OTHERS) if action >> at & 1]
        return f"may pass: {', '.join(free) or 'nobody'}"
    if kind == st.D_VOTE:
        return f"vote for {st.SEATS[action]}"
    if kind == st.D_START:
        return f"{st.SEATS[action]} begins"
    if kind == st.D_PARTNER:
        return "no offer" if action == 0 else f"offer to {st.SEATS[int(other(seat, action - 1))]}"
    if action == 0:
        return "press nobody"
    secret = int(secret_of(seat, action))
    return f"press {st.SEATS[int(owner_of(secret))]} about {SECRETS[secret]}"


def _other_label(state: State, cards: Cards, kind: int, action: int) -> str:
    if kind == st.D_FIGHT:
        here = hex_name(cards, int(state.target))
        if action < 3:
            return (f"no fight in {here}", f"fight in {here}", f"fight in {here}, first in the hex itself")[action]
        return f"fight in {here}, first to the {WAYS[action - 3]}"
    if kind == st.D_CANNON:
        return "no shot" if action == 0 else f"shoot at {hex_name(cards, action - 1)}"
    if kind == st.D_CONFER:
        return f"send {_DELEGATES[action]}"
    if kind == st.D_DISCHARGE:
        return ("no discharge", "discharge the commander", "discharge the second wizard", "discharge the third wizard",
                "discharge a mounted figure", "discharge a foot figure")[action]  # fmt: skip
    if kind == st.D_FEED:
        return ("lose a figure", f"pay {card_type(cards, int(st.FOOD))}", "pay a Blank by the well")[action]
    if kind == st.D_STARVE:
        f = int(state.queue[action])
        return f"lose {figure_name(state, cards, f)} in {hex_name(cards, int(state.hex[f]))}"
    if kind == st.D_REGAIN:
        return f"bring back {('nobody', 'a mounted figure', 'a foot figure', 'a character')[action]}"
    if kind == st.D_WOLF:
        return "let the wolf out" if action == 0 else f"pay {card_type(cards, int((st.FOOD, st.PEASANTS)[action - 1]))}"
    assert kind == st.D_BUILD
    if action == 0:
        return "no more barricades"
    if action < 7:
        return f"build a barricade to the {WAYS[action - 1]}"
    side = int(destroyable(state, cards, np.int64(state.seat), np.int64(action) - 7))
    return f"destroy the barricade of {hex_name(cards, side >> 3)} to the {WAYS[side & 7]}"


# --- What happened --------------------------------------------------------------


def part_name(state: State, knobs: Knobs, cards: Cards) -> str:
    """The step of the turn that was played last."""
    part = int(state.part)
    name = next(name for last, name in _STEPS.items() if part <= int(last))
    if (
        int(st.DISCHARGES) < part <= int(st.WOLF_CARD)
    ):  # each faction eats separately: its losses are listed under its own name
        return f"{name}: {st.SEATS[int(state.seat)]}"
    return name


def asides(before: State, after: State, knobs: Knobs, cards: Cards) -> list[str]:
    """Cards drawn, attacks with their results, and other dice results."""
    texts = []
    for field, what, names in (
        ("event_drawn", "event", cards.event_name), ("command_drawn", "command", cards.command_name)
    ):  # fmt: skip
        card = int(after[field])
        if card >= 0 and card != int(before[field]):
            texts.append(f"{what}: {read_text(names[card])}")
    more = _More(after.count.astype(int) - before.count.astype(int))
    tried = int(after.fired[rule.LW_MOV_06]) - int(before.fired[rule.LW_MOV_06])
    if tried > 0 and int(after.part) > st.ENEMY_COMBAT:
        moved = int((after.hex != before.hex).sum())
        texts.append(f"leaving a hex with enemies: {_times(tried, 'figure')} tried, {moved} moved")
    texts += _moves(before, after, cards)
    texts += [text for counter, text in _arrivals(more) if counter]
    for name, attacks, wounds in _attacks(more):
        if attacks:
            texts.append(f"{name}: {_times(attacks, 'attack')}, {_times(wounds, 'wound')}")
    stunned = sum(more[st.N_STUNNED + seat] for seat in range(st.FACTIONS))
    if stunned:
        texts.append(f"{_times(stunned, 'defender')} stunned")
    if int(before.decision) == st.D_WANT and int(after.decision) != st.D_ANSWER:
        texts.append(f"{st.SEATS[int(after.partner)]} has no such card: declined")
    for f in np.flatnonzero((after.wounds > before.wounds) & (before.hex >= 0) & (after.hex >= 0)).tolist():
        texts.append(f"{figure_at(after, cards, f)} is healed and has {_counted(int(after.wounds[f]), 'wound')} left")
    removed = np.flatnonzero((before.status != after.status) & (after.status == st.LOST)).tolist()
    return [*texts, *(f"{figure_at(before, cards, f)} is removed from the game" for f in removed)]


def _moves(before: State, after: State, cards: Cards) -> list[str]:
    """Moves and arrivals: figures of one kind, from one hex to another, in one line."""
    moves: dict[tuple[str, int, int], int] = {}
    for f in np.flatnonzero((before.hex != after.hex) & (after.hex >= 0)).tolist():
        name = figure_name(after, cards, f)
        key = (
            f"{st.SEATS[int(cards.owner[f])]} {name}" if f < st.ROSTER else name,
            int(before.hex[f]),
            int(after.hex[f]),
        )
        moves[key] = moves.get(key, 0) + 1
    texts = []
    for (name, start, end), n in moves.items():
        route = f"{hex_name(cards, start)} to {hex_name(cards, end)}" if start >= 0 else f"into {hex_name(cards, end)}"
        texts.append(f"{n} {several(name, n)}: {route}")
    return texts


class _More:
    """How much the counters of a game grew, as Python integers."""

    def __init__(self, counts: Array) -> None:
        self._counts: list[int] = counts.tolist()

    def __getitem__(self, counter: Any) -> int:
        return self._counts[int(counter)]


def _times(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _arrivals(more: _More) -> list[tuple[int, str]]:
    """Events in the city, as (count, text); `more` holds counter differences."""
    return [
        (more[st.N_ARRIVED], f"{_times(more[st.N_ARRIVED], 'intruder')} arrived"),
        (more[st.N_NOT_PLACED], f"no room for {_times(more[st.N_NOT_PLACED], 'intruder')}"),
        (more[st.N_BROKEN], f"{_times(more[st.N_BROKEN], 'barricade')} broken"),
        (more[st.N_J_DOWN], "the stone bridge is down"),
        (more[st.N_K_DOWN], "the footbridge is down"),
        (more[st.N_BURNT], f"{_times(more[st.N_BURNT], 'fire')} burnt out"),
        (more[st.N_MET], f"{_times(more[st.N_MET], 'demand')} met"),
        (more[st.N_MISSED], f"{_times(more[st.N_MISSED], 'demand')} not met"),
        (more[st.N_RAGES], "the werewolf rages"),
        (more[st.N_ELF_OUTBURSTS], "the elves attack the Cathayans"),
        (more[st.N_CATHAY_OUTBURSTS], "the Cathayans attack the elves"),
    ]


def _attacks(more: _More) -> list[tuple[str, int, int]]:
    """Attacks as (attacker, attacks, wounds caused); `more` holds counter differences."""
    factions = [(seat, more[st.N_ATTACKS + at], more[st.N_WOUNDS + at]) for at, seat in enumerate(st.SEATS)]
    return [*factions, ("intruders", more[st.N_INTRUDER_ATTACKS], more[st.N_INTRUDER_WOUNDS])]


# --- The position ---------------------------------------------------------------


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees all."""
    seen: Description = {"turn": f"{int(state.turn)} of {int(knobs.turn_limit)}"}
    seen["city"] = (
        f"defenders {int(state.our_size)}, intruders {int(state.their_size)}, "
        f"gate held {_counted(int(state.gate_turns), 'turn')}, "
        f"leader {st.SEATS[int(state.leader)]}"
    )
    seen["overrun"] = ", ".join(lost_places(state, cards)) or "nothing"
    if int(state.turn) >= 1 and state.our_size > 0:
        seen["map"] = draw_map(state, cards)
    seen["troops"] = _troops(state, cards)
    seen["Temple"] = _with_status(state, cards, int(st.TEMPLE))
    seen["starved"] = _with_status(state, cards, int(st.STARVED))
    seen["cards of this turn"] = _drawn(state, cards)
    seen["due"] = tuple(
        f"{DUE_NAMES[demand]}: {due} {card_type(cards, int(st.DEMAND_TYPE[demand]))}"
        for demand, due in enumerate(state.due.tolist())
        if due
    )
    seen["fires"] = tuple(fire_name(cards, k) for k, fire in enumerate(state.fire.tolist()) if 0 < fire < st.BURNT)
    seen["works"] = _works(state, cards)
    seen["tokens"] = _tokens(state, cards)
    seen["known"] = _known(state)
    if seat is None or seat == st.WZ:
        at = int(state.box_at)
        seen["Box"] = (
            "in the tower" if at == 0 else "lost" if at > st.WIZARDS else f"with {_wizard(state, cards, at - 1)}"
        )
    seen["deck"] = _counted(int(state.deck_len), "card")
    pending = _pending(state, cards)
    if pending:
        seen["pending"] = pending
    # The seat's own cards come last: in manual play they then appear next to the options.
    order = range(st.FACTIONS) if seat is None else [*(s for s in range(st.FACTIONS) if s != seat), seat]
    for who in order:
        name = f"{st.SEATS[who]}'s hand"
        if seat is None or who == seat:
            seen[name] = _cards_text(cards, state.hand[who])
        else:
            seen[name] = _counted(int(state.held[who]), "card")
    return seen


def draw_map(state: State, cards: Cards) -> tuple[str, ...]:
    """The city without its outer walls, one line per row: names of hexes, troops and fires (LEGEND)."""
    fires = dict(zip(cards.fire_hex.tolist(), state.fire.tolist(), strict=True))
    houses = {int(cards.fire_hex[k]): number for number, k in enumerate(cards.house_fire.tolist())}
    terrain, number_of = cards.terrain.tolist(), cards.number_of.tolist()
    rows = []
    for row in range(st.GRID // st.COLUMNS):
        cells = []
        for hex_id in range(row * st.COLUMNS + 1, (row + 1) * st.COLUMNS - 1):
            h = number_of[hex_id]
            text = hex_name(cards, h) if h >= 0 else PRINTED[terrain[hex_id]]
            if hex_id in houses:
                text = house_name(houses[hex_id]).replace("house ", "h")
            troops = _troops_sign(state, h) if h >= 0 else ""
            burns = fires.get(hex_id, 0)
            fire = "" if not burns else "%" if burns == st.BURNT else "*"
            cells.append(f"{text}{fire}{':' if troops else ''}{troops}")
        rows.append(cells)
    rows = [row for row in rows if any(cell != PRINTED[0] for cell in row)]
    wide = 2 * (max(len(cell) for row in rows for cell in row) // 2 + 1)
    first = 0 if len(rows) == st.GRID // st.COLUMNS else 1
    return tuple(
        f"{' ' * (wide // 2) if (first + at) % 2 else ''}{''.join(cell.ljust(wide) for cell in row)}".rstrip()
        for at, row in enumerate(rows)
    )


def _troops_sign(state: State, h: int) -> str:
    """Numbers of figures in a hex: defenders, then `!` and intruders."""
    ours, theirs = int(state.our_heads[h]), int(state.their_heads[h])
    return (str(ours) if ours else "") + (f"!{theirs}" if theirs else "")


def lost_places(state: State, cards: Cards) -> list[str]:
    """Places with more intruder size than defender size in their hexes now (LW-END-02)."""
    lead = (state.theirs.astype(int) - state.ours.astype(int)).tolist()
    places, lengths = cards.place.tolist(), cards.place_len.tolist()
    return [st.PLACE_NAMES[p] for p in range(st.PLACES) if sum(lead[h] for h in places[p][: lengths[p]]) > 0]


def _troops(state: State, cards: Cards) -> tuple[str, ...]:
    """The figures on the map, one line per occupied hex."""
    there = _standing(state, cards)
    return tuple(f"{hex_name(cards, h)}: {_listed(there[h])}" for h in sorted(there))


def _listed(figures: dict[str, int]) -> str:
    texts = []
    for name, n in figures.items():
        kind, bracket, notes = name.partition(" (")
        texts.append(f"{n} {several(kind, n)}{bracket}{notes}")
    return ", ".join(texts)


def _standing(state: State, cards: Cards) -> dict[int, dict[str, int]]:
    """Hex -> figure name with faction and condition -> number of such figures."""
    hexes, kinds, stuns, wounds = (state[name].tolist() for name in ("hex", "kind", "stun", "wounds"))
    marks, commands = state.marks.tolist(), state.ctrl.tolist()
    whole, owners = cards.wounds.tolist(), cards.owner.tolist()
    there: dict[int, dict[str, int]] = {}
    for f, h in enumerate(hexes):
        if h < 0:
            continue
        name = kind_name(cards, kinds[f])
        if f < st.ROSTER:
            name = f"{st.SEATS[owners[f]]} {name}"
        notes = [
            *(["stunned"] if stuns[f] else []), *(["wounded"] if wounds[f] < whole[kinds[f]] else []),
            *(["conferring"] if marks[f] & st.CONFERRING else []), *(["reserve"] if marks[f] & st.RESERVE else []),
            *(["controlled"] if commands[f] == st.WZ and owners[f] != st.WZ else []),
        ]  # fmt: skip
        name += f" ({', '.join(notes)})" if notes else ""
        parts = there.setdefault(h, {})
        parts[name] = parts.get(name, 0) + 1
    return there


def hex_contents(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> dict[int, HexContent]:
    """The map of a position, as LEGEND explains it."""
    there = _standing(state, cards)
    strength = (state.ours.astype(int) - state.theirs.astype(int)).tolist()
    burning = {h: k for k, h in enumerate(cards.fire_on.tolist()) if h >= 0 and state.fire[k]}
    contents = {}
    for h in sorted({*there, *burning}):
        words, text = [], ""
        if h in there:
            words.append(_listed(there[h]))
            text = _troops_sign(state, h)
        if h in burning:
            burnt = int(state.fire[burning[h]]) == st.BURNT
            words.append("burnt down" if burnt else "burning")
            text += "%" if burnt else "*"
        factions = {name.partition(" ")[0] for name in there.get(h, ())} & set(st.SEATS)
        owner = factions.pop() if len(factions) == 1 else ""
        contents[h] = HexContent(text, "enemy" if strength[h] < 0 else owner, "; ".join(words))
    return contents


def _with_status(state: State, cards: Cards, status: int) -> tuple[str, ...]:
    names: dict[str, int] = {}
    kinds, owners = state.kind.tolist(), cards.owner.tolist()
    for f, now in enumerate(state.status[: st.ROSTER].tolist()):
        if now == status:
            name = f"{st.SEATS[owners[f]]} {kind_name(cards, kinds[f])}"
            names[name] = names.get(name, 0) + 1
    return tuple(f"{name} x{n}" for name, n in names.items())


def _drawn(state: State, cards: Cards) -> str:
    texts = []
    if state.event_drawn >= 0:
        texts.append(read_text(cards.event_name[int(state.event_drawn)]))
    if state.command_drawn >= 0:
        texts.append(read_text(cards.command_name[int(state.command_drawn)]))
    return ", ".join(texts) or "none"


def _works(state: State, cards: Cards) -> tuple[str, ...]:
    """Bridges, breaches, barricades, walls of water, cannons."""
    texts = []
    for which, name in enumerate(("stone bridge", "footbridge")):
        if not int(state.config) >> which & 1:
            texts.append(f"{name} down")
    texts += [f"breach at {hex_name(cards, int(cards.site[s]))}" for s in range(4) if int(state.config) >> (2 + s) & 1]
    for h in np.flatnonzero(state.barricade).tolist():
        for way in range(3):
            if int(state.barricade[h]) >> way & 1:
                texts.append(f"barricade {hex_name(cards, h)}-{hex_name(cards, int(cards.beside[h, way]))}")
    texts += [
        f"water at {hex_name(cards, int(state.wall_hex[at]))} {WAYS[int(state.wall_dir[at])]}"
        for at in range(len(state.wall_hex)) if state.wall_last[at]
    ]  # fmt: skip
    texts += [f"cannon {gun + 1} in place" for gun in range(st.CANNONS) if int(state.cannon[gun]) == st.PLACED]
    return tuple(texts)


def _tokens(state: State, cards: Cards) -> str:
    def where(h: int, captured: int, with_whom: str) -> str:
        if captured:
            return "captured"
        if h < 0:
            return "escaped"
        return f"in {hex_name(cards, h)}{with_whom}"

    queen = where(int(state.queen), int(state.queen_captured), " with Alavandrel" if state.queen_escorted else "")
    escort = " with Sigisbiduwald" if state.brunhilde_with else ""
    lady = where(int(state.brunhilde), int(state.brunhilde_captured), escort)
    statue = ("whole", "shattered", "broken by intruders")[int(state.statue)]
    return f"Queen {queen}, Brunhilde {lady}, statue {statue}"


def _known(state: State) -> tuple[str, ...]:
    """Secrets that are public."""
    texts = []
    if state.wolf_public:
        texts.append("werewolf" + (" (loose)" if state.wolf_until else ""))
    if state.tunnel_public:
        texts.append("tunnel")
    if state.hair_public:
        texts.append("Silver Hair")
    for artefact in range(st.ARTEFACTS):
        if state.artefact_public[artefact]:
            lost = " (lost)" if state.artefact_lost[artefact] and artefact != st.BOX else ""
            texts.append(ARTEFACT_NAMES[artefact] + lost)
    if int(state.status[st.SIGIS]) == st.ESCAPED:
        texts.append("Sigisbiduwald has escaped")
    if state.plundered:
        texts.append("the tower is plundered")
    return tuple(texts)


def _pending(state: State, cards: Cards) -> str:
    """The subject of the current decision, if its options do not name it."""
    kind = int(state.decision)
    if kind == st.D_ANSWER:
        want = int(state.want)
        wanted = card_type(cards, want - 1) if want else "nothing"
        return f"{st.SEATS[int(state.at)]} offers {card_type(cards, int(state.give))} for {wanted}"
    if kind == st.D_WANT:
        return f"offer of {card_type(cards, int(state.give))} to {st.SEATS[int(state.partner)]}"
    if kind in (st.D_PAY_PRESSURE, st.D_REVEAL):
        return f"pressure about {SECRETS[int(state.pressed)]}"
    if kind in (st.D_TARGET, st.D_DIRECTION, st.D_POWER, st.D_ROB):
        spell = int(state.spell)
        return "Teleporter" if spell >= st.ALTAR_9 else read_text(cards.spell_name[spell])
    return ""
