"""Westphalia in words: what an action is called, what a person sees of a position."""

from __future__ import annotations

from typing import Any

from simlab.game import Cards, Description, HexContent, Knobs, State, read_text
from simlab.games.westphalia import rule
from simlab.games.westphalia.state import (
    D_AMBUSH,
    D_ASSENT,
    D_BUY,
    D_CAPITAL,
    D_CLAIM,
    D_CLASH,
    D_CONQUER,
    D_CONVERT,
    D_CRUSADE,
    D_DECLARE,
    D_DEFEND,
    D_DIE,
    D_DIPLOMACY,
    D_DOCTRINE,
    D_EDGE,
    D_ELECTOR,
    D_ELECTOR_HEX,
    D_EXECUTE,
    D_FIRST_DI,
    D_GESTURE,
    D_GIFT,
    D_IMPERIAL_DI,
    D_INFANTRY,
    D_LEAGUE,
    D_LEAVE,
    D_LIBERATE,
    D_NAME,
    D_PATRONAGE,
    D_PEACE,
    D_PLACE,
    D_PRINCIPALITY,
    D_PROVINCE,
    D_RANK,
    D_RECIPIENT,
    D_REINFORCE,
    D_SECOND,
    D_SWAP,
    D_TARGET,
    D_THIRD,
    D_TOKEN,
    D_VASSAL,
    D_VICTIM,
    D_VOTE,
    D_WINNER,
    DOCTRINES,
    DUELS,
    FAITHS,
    FIRST_PRINCIPALITY,
    HEXES,
    KINDS,
    LYING,
    NO_TARGET,
    PHASES,
    PLAYERS,
    ROSTER,
    SEATS,
    WORD,
)

KIND_NAMES = ("Musketeer", "Pikeman", "Cavalry")
EDGE_NAMES = ("north", "east", "south-east", "south", "west", "north-west")
OPTIONS: dict[int, tuple[str, ...]] = {
    int(D_CONVERT): ("stay", "convert"),
    int(D_TOKEN): ("French Interference", "Council of Trent"),
    int(D_GESTURE): ("thumb", "gun"),
    int(D_DIPLOMACY): ("end the turn", "place influence", "buy influence", "release a vassal", "give a province"),
    int(D_DECLARE): (
        "no war", "war on unaligned principalities", "war on a player", "a Religious War"
    ),
    int(D_DEFEND): ("abandon", "defend"),
    int(D_EXECUTE): ("do not execute it", "execute it"),
    int(D_PEACE): ("take nothing", "conquer", "vassalize", "liberate"),
    int(D_LEAGUE): ("decline", "join the Catholic League", "join the Evangelical League"),
    int(D_ASSENT): ("no", "yes"),
    int(D_LEAVE): (*(f"leave, home in the {name}" for name in EDGE_NAMES), "stay in the Empire"),
    int(D_EDGE): tuple(f"home in the {name}" for name in EDGE_NAMES),
    int(D_BUY): (*(f"buy a {name}" for name in KIND_NAMES), "buy no more"),
    int(D_CLASH): KIND_NAMES,
    int(D_NAME): tuple(f"name {name}" for name in KIND_NAMES),
    int(D_INFANTRY): tuple(f"give up a {name}" for name in KIND_NAMES),
    int(D_REINFORCE): (*(f"take a {name}" for name in KIND_NAMES), "take none"),
}  # fmt: skip
_HEX_WORDS = {
    int(D_CAPITAL): "capital at", int(D_SECOND): "second hex", int(D_THIRD): "third hex", int(D_ELECTOR_HEX): "at",
    int(D_PLACE): "at", int(D_DIE): "a die on", int(D_PROVINCE): "", int(D_CONQUER): "conquer",
    int(D_LIBERATE): "liberate", int(D_CLAIM): "", int(D_GIFT): "give",
}  # fmt: skip
_PR_WORDS = {
    int(D_ELECTOR): "place", int(D_FIRST_DI): "influence on", int(D_PRINCIPALITY): "on", int(D_TARGET): "name",
    int(D_CRUSADE): "Religious War over", int(D_RANK): "rank to", int(D_RECIPIENT): "to",
    int(D_IMPERIAL_DI): "influence on",
}  # fmt: skip


#: Decisions about a card of a kind, by what stands before its name.
_CARD_WORDS = {
    int(D_BUY): "buy a ", int(D_CLASH): "", int(D_NAME): "name ", int(D_INFANTRY): "give up a ",
    int(D_REINFORCE): "take a ",
}  # fmt: skip


class _Read:
    """A record whose fields are read once each: a field of a NumPy record costs much more than one of an object."""

    def __init__(self, record: Any) -> None:
        self._record = record

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._record, name)
        self.__dict__[name] = value
        return value

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def kind_name(cards: Cards, kind: int) -> str:
    return read_text(cards.card_name[kind])


def pr_name(cards: Cards, pr: int) -> str:
    return read_text(cards.pr_name[pr])


def power_name(cards: Cards, power: int) -> str:
    """A player's seat, or a principality."""
    return SEATS[power] if power < PLAYERS else pr_name(cards, power - PLAYERS)


def _in(words: object, hex_: int) -> bool:
    return bool(int(words[hex_ // WORD]) >> (hex_ % WORD) & 1)  # type: ignore[index]


def hex_name(state: State, cards: Cards, hex_: int) -> str:
    """A hex by its place and its owner."""
    place = f"{int(cards.hex_q[hex_])}/{int(cards.hex_r[hex_])}"
    owner = int(state.hex_owner[hex_])
    if owner < 0:
        return place
    kind = "capital " if _in(state.capital, hex_) else "town " if _in(state.town, hex_) else ""
    return f"{power_name(cards, owner)}'s {kind}{place}"


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """What a person calls the action."""
    kind = int(state.decision)
    if kind in _CARD_WORDS and action < KINDS:
        return f"{_CARD_WORDS[kind]}{kind_name(cards, action)}"
    if kind in OPTIONS:
        return OPTIONS[kind][action]
    if kind in _HEX_WORDS:
        return _hex_label(state, cards, kind, action)
    if kind in _PR_WORDS:
        if action == NO_TARGET:
            return {int(D_TARGET): "no more targets", int(D_RANK): "keep the Elector"}.get(kind, "stop")
        return f"{_PR_WORDS[kind]} {_principality(state, cards, action)}"
    if kind == D_PATRONAGE:
        return f"{action} Gold for {action * int(knobs.patronage_dice)} dice"
    if kind == D_VOTE:
        return f"{pr_name(cards, _next_elector(state))} votes for {SEATS[action]}"
    if kind == D_VICTIM:
        return f"war on {SEATS[action]}"
    if kind == D_DOCTRINE:
        if action == DOCTRINES:
            return "play no Doctrine"
        return f"play {read_text(cards.doctrine_name[action])}: {read_text(cards.doctrine_text[action])}"
    if kind == D_SWAP:
        return f"{'give up' if state.give_left > 0 else 'take'} a {kind_name(cards, action)}"
    if kind == D_AMBUSH:
        return f"{'pay with' if state.give_left > 0 else 'remove'} a {kind_name(cards, action)}"
    if kind == D_VASSAL:
        return f"vassalize {pr_name(cards, action) if action < ROSTER else SEATS[action - ROSTER]}"
    if kind == D_WINNER:
        return f"{SEATS[action]} wins"
    raise ValueError(f"no label for decision {kind}")


def _hex_label(state: State, cards: Cards, kind: int, action: int) -> str:
    if action == HEXES:
        return "no second province" if kind == D_CONQUER else "claim nothing"
    if kind == D_CLAIM:
        return f"{pr_name(cards, int(state.at[state.depth - 1]))} takes {hex_name(state, cards, action)}"
    if kind == D_PROVINCE:
        verb = "release" if state.giving < 0 else "give"
        return f"{verb} {hex_name(state, cards, action)}"
    owner = int(state.hex_owner[action])
    if kind == D_DIE and owner >= PLAYERS:
        return f"a die on {pr_name(cards, owner - PLAYERS)}"
    return f"{_HEX_WORDS[kind]} {hex_name(state, cards, action)}"


def _next_elector(state: State) -> int:
    for pr in range(ROSTER):
        mine = int(state.electors) >> pr & 1 and int(state.ally[pr]) == int(state.seat)
        if mine and int(state.elector_vote[pr]) < 0:
            return pr
    return 0


def _principality(state: State, cards: Cards, pr: int) -> str:
    return f"{pr_name(cards, pr)} ({int(state.extent[FIRST_PRINCIPALITY + pr])})"


# --- A position in words -----------------------------------------------------------------


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees all."""
    players = range(int(state.players))
    state, knobs, cards = _Read(state), _Read(knobs), _Read(cards)
    seen: Description = {"round": f"{int(state.turn)}, {PHASES[int(state.phase)]}"}
    order = ", ".join(SEATS[int(state.initiative[place])] for place in players)
    seen["Setup Order" if state.turn == 0 else "Initiative Order"] = order
    seen["Emperor"] = SEATS[int(state.emperor)] if state.emperor >= 0 else "none"
    seen["Catholic Reformation"] = "begun" if state.reformation else "not yet"
    protestant = sum(int(word).bit_count() for word in state.protestant)
    seen["provinces"] = f"{int(state.hexes) - protestant} Catholic, {protestant} Protestant"
    seen["map"] = _map_lines(state, cards)
    for player in players:
        seen[SEATS[player]] = _player_line(state, knobs, cards, player)
    seen["principalities"] = tuple(
        _principality_line(state, cards, pr) for pr in range(ROSTER) if int(state.on_map) >> pr & 1
    )
    wars = _war_lines(state)
    if wars:
        seen["wars"] = wars
    if any(int(n) for n in state.dice[: int(state.players)]) and state.phase == 2:
        seen["successes to place"] = ", ".join(f"{SEATS[p]} {int(state.dice[p])}" for p in players if state.dice[p])
        seen["dice lying"] = _dice_lines(state, cards)
    battle = _battle_lines(state, cards, seat)
    if battle:
        seen["battle"] = battle
    for player in players:
        held = _doctrines(state, cards, player)
        if seat is None or seat == player:
            seen[f"{SEATS[player]}'s Doctrines"] = held
        elif held:
            seen[f"{SEATS[player]}'s Doctrines"] = f"{len(held)} cards"
    played = [n for n in range(DOCTRINES) for _ in range(int(state.doctrine_played[n]))]
    if played:
        seen["Doctrines played"] = tuple(read_text(cards.doctrine_name[n]) for n in played)
    pending = _pending(state, cards)
    if pending:
        seen["pending"] = pending
    return seen


def _map_lines(state: State, cards: Cards) -> tuple[str, ...]:
    """A line a row: ID of the principality or letter of the seat; * capital, + town; small letters and ' Protestant."""
    rows: dict[int, dict[int, str]] = {}
    for hex_ in range(HEXES):
        owner = int(state.hex_owner[hex_])
        if owner == -1:
            continue
        name = ".." if owner < 0 else SEATS[owner][:2].upper() if owner < PLAYERS else f"{owner - PLAYERS:02d}"
        kind = "*" if _in(state.capital, hex_) else "+" if _in(state.town, hex_) else " "
        faith = "'" if _in(state.protestant, hex_) else " "
        rows.setdefault(int(cards.hex_r[hex_]), {})[int(cards.hex_q[hex_])] = f"{name}{kind}{faith}"
    lines: list[str] = []
    for r, cells in sorted(rows.items()):
        text = " ".join(cells.get(q, "    ") for q in range(12))
        lines.append(f"r={r} {'  ' * r}{text}".rstrip())
    return tuple(lines)


def hex_contents(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> dict[int, HexContent]:
    """The map of a position: ID of the principality; * capital, + town; C Catholic, P Protestant."""
    contents = {}
    for hex_ in range(HEXES):
        owner = int(state.hex_owner[hex_])
        if owner == -1:
            continue
        faith = int(_in(state.protestant, hex_))
        text = f"{owner - PLAYERS:02d}" if owner >= PLAYERS else ""
        text += "*" if _in(state.capital, hex_) else "+" if _in(state.town, hex_) else ""
        words = hex_name(state, cards, hex_) if owner >= 0 else "nobody's"
        player = SEATS[owner] if 0 <= owner < PLAYERS else ""
        contents[hex_] = HexContent(text + FAITHS[faith][0], player, f"{words}, {FAITHS[faith]}", str(owner))
    return contents


def _player_line(state: State, knobs: Knobs, cards: Cards, player: int) -> str:
    role = read_text(cards.role_name[int(state.role[player])])
    text = f"{FAITHS[int(state.faith[player])]}, {role}, IP {int(_power(state, knobs, player))}"
    text += f", Gold {int(state.gold[player])}, DI stored {int(state.di_stored[player])}"
    if state.faith[player] == 0:
        text += f", Saints {int(state.saints[player])}, Good Works {int(state.gw_die[player])}"
        text += f" (T {_rank(state, knobs, player)})"
    if state.monastery[player]:
        text += ", Monastery"
    if state.fp_edge[player] >= 0:
        text += f", Foreign Power in the {EDGE_NAMES[int(state.fp_edge[player])]}"
    if state.league[player]:
        text += f", {('', 'Catholic', 'Evangelical')[int(state.league[player])]} League"
    return text


def _power(state: State, knobs: Knobs, player: int) -> int:
    """WP-IP-01 for the eyes of a person; counts no rule."""
    allied = [pr for pr in range(ROSTER) if int(state.on_map) >> pr & 1 and int(state.ally[pr]) == player]
    total = int(state.extent[player]) * int(knobs.ip_per_province)
    total += sum(int(state.extent[PLAYERS + pr]) for pr in allied) * int(knobs.ip_per_allied_province)
    total += sum(int(state.electors) >> pr & 1 for pr in allied) * int(knobs.ip_elector_ally_bonus)
    total += int(knobs.ip_emperor_bonus) * (int(state.emperor) == player)
    if knobs.ip_town_bonus:
        faith = int(state.faith[player])
        towns = [h for h in range(HEXES) if int(state.hex_owner[h]) == player and _in(state.town, h)]
        total += int(knobs.ip_town_bonus) * sum(_in(state.protestant, h) == bool(faith) for h in towns)
    if state.fp_edge[player] >= 0:
        now = int(state.turn) + int(knobs.home_ip_schedule)
        total += int(knobs[f"home_ip_{min(max(now, 1), 5)}"])
    return total


def _rank(state: State, knobs: Knobs, player: int) -> int:
    saints = 0 if knobs.gw_rank_counts_saints else int(knobs.gw_per_saint) * int(state.saints[player])
    return saints + int(state.gw_die[player])


def _principality_line(state: State, cards: Cards, pr: int) -> str:
    text = f"{pr:02d} {_principality(state, cards, pr)} {FAITHS[int(state.pr_faith[pr])]}"
    if int(state.electors) >> pr & 1:
        text += ", Elector"
    if state.marker[pr]:
        text += ", flame" if state.marker[pr] == LYING else ", Target Principality"
    shares = [f"{SEATS[p]} {int(state.di[pr, p])}" for p in range(int(state.players)) if state.di[pr, p]]
    if shares:
        text += f": {', '.join(shares)}"
    if state.ally[pr] >= 0:
        text += f"; ally of {SEATS[int(state.ally[pr])]}"
    return text


def _war_lines(state: State) -> tuple[str, ...]:
    results = ("White Peace", "the attacker won", "the defender won", "called off", "")
    lines: list[str] = []
    if state.phase != 4:
        return ()
    for war in range(int(state.wars)):
        line = f"{SEATS[int(state.war_attacker[war])]} on {SEATS[int(state.war_defender[war])]}"
        line += f", Battle Phase {int(state.war_phase[war])}"
        result = results[int(state.war_result[war])]
        lines.append(f"{line}: {result}" if result else line)
    return tuple(lines)


def _dice_lines(state: State, cards: Cards) -> tuple[str, ...]:
    lines: list[str] = []
    for pr in range(ROSTER):
        lines.extend(
            f"{pr_name(cards, pr)}: {int(state.pr_dice[pr, faith])} {FAITHS[faith]}"
            for faith in range(2)
            if state.pr_dice[pr, faith]
        )
    for hex_ in range(HEXES):
        lines.extend(
            f"{hex_name(state, cards, hex_)}: {int(state.hex_dice[hex_, faith])} {FAITHS[faith]}"
            for faith in range(2)
            if state.hex_dice[hex_, faith]
        )
    return tuple(lines)


def _hand(numbers: object) -> str:
    return " ".join(f"{'MPC'[kind]}{int(numbers[kind])}" for kind in range(KINDS))  # type: ignore[index]


def _battle_lines(state: State, cards: Cards, seat: int | None) -> tuple[str, ...]:
    lines: list[str] = []
    for slot in range(DUELS):
        pair = [int(player) for player in state.slot[slot]]
        if min(pair) < 0:
            continue
        for player, other in (pair, pair[::-1]):
            held = sum(int(n) for n in state.hand[player])
            text = f"{SEATS[player]} against {SEATS[other]}: {held} cards"
            if seat is None or seat == player:
                text += f" ({_hand(state.hand[player])})"
            elif int(state.peeker[player]) == seat:
                text += f" (known: {_hand(state.foe_shown[player])})"
            else:
                text += f" (known: {_hand(state.shown[player])})"
            text += f", discarded {_hand(state.discard[player])}, reserve {int(state.reserve[player])}"
            if state.called[player]:
                text += ", called"
            if state.barred[player]:
                text += ", no Cavalry"
            if state.played[player] >= 0:
                text += f", {read_text(cards.doctrine_name[int(state.played[player])])}"
            lines.append(text)
    if state.melee:
        for side in range(2):
            for place in range(int(state.queue_len[side])):
                player = int(state.queue[side, place])
                text = f"{SEATS[player]} waits: {sum(int(n) for n in state.hand[player])} cards"
                lines.append(text + (f" ({_hand(state.hand[player])})" if seat in (None, player) else ""))
    return tuple(lines)


def _doctrines(state: State, cards: Cards, player: int) -> tuple[str, ...]:
    held = [n for n in range(DOCTRINES) for _ in range(int(state.doctrine[player, n]))]
    return tuple(read_text(cards.doctrine_name[n]) for n in held)


def _pending(state: State, cards: Cards) -> str:
    """What the decision at hand is about, where its options do not say it."""
    kind = int(state.decision)
    if kind in (D_DEFEND, D_TARGET) and int(state.named):
        names = [pr_name(cards, pr) for pr in range(ROSTER) if int(state.named) >> pr & 1]
        return f"declaration on {', '.join(names)}"
    if kind == D_RANK:
        return f"the rank of {pr_name(cards, int(state.at[state.depth - 1]))}"
    if kind == D_ASSENT:
        return f"the rank of {pr_name(cards, int(state.at[state.depth - 2]))} to {pr_name(cards, int(state.proposed))}"
    if kind == D_RECIPIENT or (kind == D_PRINCIPALITY and state.giving >= 0):
        return f"{hex_name(state, cards, int(state.giving))} is given away"
    return ""


def part_name(state: State, knobs: Knobs, cards: Cards) -> str:
    return PHASES[int(state.phase)]


def asides(before: State, after: State, knobs: Knobs, cards: Cards) -> list[str]:
    """Cards of a clash, the Ottoman die, conversions and elections that a decision brought."""
    texts = []
    if int(after.fired[rule.WP_TRE_04]) > int(before.fired[rule.WP_TRE_04]):
        word = "the Council concludes" if after.reformation else "the Council disperses"
        texts.append(f"Ottoman die {int(after.last_roll) + 1}: {word}")
    texts.extend(
        f"{SEATS[player]} becomes {FAITHS[int(after.faith[player])]}"
        for player in range(int(after.players))
        if after.faith[player] != before.faith[player]
    )
    if int(after.fired[rule.WP_ELE_04]) > int(before.fired[rule.WP_ELE_04]):
        votes = ", ".join(f"{SEATS[p]} {int(after.votes[p])}" for p in range(int(after.players)) if after.votes[p])
        texts.append(f"votes: {votes}; Emperor {SEATS[int(after.emperor)]}")
    for war in range(int(after.wars)):
        if after.war_result[war] != before.war_result[war] and after.war_result[war] < 3:
            result = ("White Peace", "the attacker won", "the defender won")[int(after.war_result[war])]
            attacker, defender = SEATS[int(after.war_attacker[war])], SEATS[int(after.war_defender[war])]
            texts.append(f"{attacker} against {defender}: {result}")
    return texts
