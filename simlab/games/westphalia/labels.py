"""Westphalia in words: names of actions, positions as a person sees them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from simlab.game import Cards, Description, HexContent, Knobs, State, read_text
from simlab.games.westphalia import state as s

KIND_NAMES = ("Musketeer", "Pikeman", "Cavalry")
KIND_PLURALS = ("Musketeers", "Pikemen", "Cavalry")
EDGE_NAMES = ("north", "east", "south-east", "south", "west", "north-west")
OPTIONS: dict[int, tuple[str, ...]] = {
    int(s.D_CONVERT): ("stay", "convert"),
    int(s.D_TOKEN): ("French Interference", "Council of Trent"),
    int(s.D_GESTURE): ("thumb", "gun"),
    int(s.D_DIPLOMACY): ("end the turn", "place influence", "buy influence", "release a vassal", "give a province"),
    int(s.D_DECLARE): (
        "no war", "war on unaligned principalities", "war on a player", "a Religious War"
    ),
    int(s.D_DEFEND): ("abandon", "defend"),
    int(s.D_EXECUTE): ("do not execute it", "execute it"),
    int(s.D_PEACE): ("take nothing", "conquer", "vassalize", "liberate"),
    int(s.D_LEAGUE): ("decline", "join the Catholic League", "join the Evangelical League"),
    int(s.D_ASSENT): ("no", "yes"),
    int(s.D_LEAVE): (*(f"leave, home in the {name}" for name in EDGE_NAMES), "stay in the Empire"),
    int(s.D_EDGE): tuple(f"home in the {name}" for name in EDGE_NAMES),
    int(s.D_BUY): (*(f"buy a {name}" for name in KIND_NAMES), "buy no more"),
    int(s.D_CLASH): KIND_NAMES,
    int(s.D_NAME): tuple(f"name {name}" for name in KIND_NAMES),
    int(s.D_INFANTRY): tuple(f"give up a {name}" for name in KIND_NAMES),
    int(s.D_REINFORCE): (*(f"take a {name}" for name in KIND_NAMES), "take none"),
}  # fmt: skip
_HEX_WORDS = {
    int(s.D_CAPITAL): "place the capital on", int(s.D_SECOND): "place the second province on",
    int(s.D_THIRD): "place the third province on", int(s.D_ELECTOR_HEX): "place it on", int(s.D_PLACE): "place it on",
    int(s.D_DIE): "place a die on", int(s.D_PROVINCE): "", int(s.D_CONQUER): "conquer", int(s.D_LIBERATE): "liberate",
    int(s.D_CLAIM): "", int(s.D_GIFT): "give away",
}  # fmt: skip
_PR_WORDS = {
    int(s.D_ELECTOR): "place the Elector", int(s.D_FIRST_DI): "place 1 influence on",
    int(s.D_PRINCIPALITY): "place 1 influence on", int(s.D_TARGET): "name as a target:",
    int(s.D_CRUSADE): "declare a Religious War over", int(s.D_RANK): "give the rank of Elector to",
    int(s.D_RECIPIENT): "give it to", int(s.D_IMPERIAL_DI): "place 1 influence on",
}  # fmt: skip
#: Names of actions in a replay, by kind of decision; OPTIONS has the short names for the report.
_PHRASES: dict[int, tuple[str, ...]] = {
    int(s.D_TOKEN): ("submit the French Interference token", "submit the Council of Trent token"),
    int(s.D_DIPLOMACY): (
        "end the turn", "place influence", "buy 1 influence for 1 Gold", "release a vassal", "give a province away"
    ),
    int(s.D_DECLARE): (
        "declare no war", "declare war on unaligned principalities", "declare war on a player",
        "declare a Religious War",
    ),
    int(s.D_EXECUTE): ("do not execute the Doctrine", "execute the Doctrine"),
    int(s.D_PEACE): (
        "peace treaty: take nothing", "peace treaty: conquer", "peace treaty: vassalize", "peace treaty: liberate"
    ),
    int(s.D_LEAGUE): ("decline to join a League", "join the Catholic League", "join the Evangelical League"),
    int(s.D_ASSENT): ("vote no", "vote yes"),
    int(s.D_LEAVE): (
        *(f"become a Foreign Power, with a home province in the {name}" for name in EDGE_NAMES), "stay in the Empire"
    ),
    int(s.D_EDGE): tuple(f"put the home province in the {name}" for name in EDGE_NAMES),
}  # fmt: skip


#: Decisions about a card of a kind: the words before its name.
_CARD_WORDS = {
    int(s.D_BUY): "buy ", int(s.D_CLASH): "play ", int(s.D_NAME): "name ", int(s.D_INFANTRY): "discard ",
    int(s.D_REINFORCE): "reinforcements: take back ",
}  # fmt: skip


class Record:
    """A record that caches its fields: reading a NumPy record's field is much slower than an object's attribute."""

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


def a_card(cards: Cards, kind: int) -> str:
    """`a Pikeman`, `Cavalry`."""
    name = kind_name(cards, kind)
    return name if name == KIND_NAMES[s.CAVALRY] else f"a {name}"


def pr_name(cards: Cards, pr: int) -> str:
    return read_text(cards.pr_name[pr])


def role_name(cards: Cards, state: State, player: int) -> str:
    return read_text(cards.role_name[int(state.role[player])])


def doctrine_words(cards: Cards, doctrine: int) -> str:
    """A Doctrine and its effect, `Tercio: discard 2 Cavalry for 2 Musketeers and 2 Pikemen`."""
    name, text = read_text(cards.doctrine_name[doctrine]), read_text(cards.doctrine_text[doctrine])
    give, arrow, get = text.removeprefix("swap(").removesuffix(")").partition(" -> ")
    if not arrow:
        look = "discard cards to see the other hand and discard from it"
        return f"{name}: {look if text == 'ambush' else text}"
    return f"{name}: discard {_pieces(give)} for {_pieces(get)}"


def _pieces(text: str) -> str:
    """`1 M + 1 C` in words."""
    words = []
    for part in text.split(" + "):
        number, _, letter = part.partition(" ")
        kinds = dict(zip("MPC", zip(KIND_NAMES, KIND_PLURALS, strict=True), strict=True))
        words.append(f"{number} {kinds[letter][number != '1']}" if letter in kinds else f"{number} cards of any kind")
    return joined(words)


def joined(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def amount(number: int, one: str, several: str) -> str:
    """`1 cross`, `2 crosses`, `no crosses`."""
    return f"1 {one}" if number == 1 else f"{number or 'no'} {several}"


@lru_cache(maxsize=4)
def _short_names(names: bytes, width: int) -> tuple[str, ...]:
    """Four letters for each principality; unique if the names differ early enough."""
    found: list[str] = []
    for start in range(0, len(names), width):
        letters = [c for c in names[start : start + width].split(b"\0")[0].decode().removeprefix("The ") if c.isalpha()]
        stem = "".join(letters[:3])
        found.append(next((stem + c for c in letters[3:] if stem + c not in found), stem))
    return tuple(found)


def short_name(cards: Cards, pr: int) -> str:
    """A principality's short name on the map, `Hess`."""
    return _short_names(cards.pr_name.tobytes(), cards.pr_name.shape[1])[pr]


def power_name(cards: Cards, power: int) -> str:
    """A player's seat, or a principality."""
    return s.SEATS[power] if power < s.PLAYERS else pr_name(cards, power - s.PLAYERS)


def held_in(words: object, hex_: int) -> bool:
    """Whether a set of hexes holds a hex."""
    return bool(int(words[hex_ // s.WORD]) >> (hex_ % s.WORD) & 1)  # type: ignore[index]


def hex_place(cards: Cards, hex_: int) -> str:
    """The number of a hex, as the map shows it."""
    return f"{int(cards.hex_q[hex_])}/{int(cards.hex_r[hex_])}"


def hex_name(state: State, cards: Cards, hex_: int) -> str:
    """A hex by its place and its owner."""
    place = hex_place(cards, hex_)
    owner = int(state.hex_owner[hex_])
    if owner < 0:
        return place
    kind = "capital " if held_in(state.capital, hex_) else "town " if held_in(state.town, hex_) else ""
    return f"{power_name(cards, owner)}'s {kind}{place}"


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """Label of the action."""
    kind = int(state.decision)
    if kind in _CARD_WORDS and action < s.KINDS:
        return f"{_CARD_WORDS[kind]}{a_card(cards, action)}"
    if kind == s.D_CONVERT:
        faith = int(state.faith[int(state.seat)])
        return f"convert, and become {s.FAITHS[1 - faith]}" if action else f"stay {s.FAITHS[faith]}"
    if kind == s.D_GESTURE:
        return f"{('thumbs up', 'finger gun')[action]} to {s.SEATS[_partner(state)]}"
    if kind == s.D_DEFEND:
        name = pr_name(cards, int(state.target))
        return f"defend {name}" if action else f"do not defend {name}, and remove all own influence there"
    if kind == s.D_REINFORCE:
        return "call no reinforcements" if state.called[int(state.seat)] == 0 else "take no more reinforcements"
    if kind in _PHRASES:
        return _PHRASES[kind][action]
    if kind in OPTIONS:
        return OPTIONS[kind][action]
    if kind in _HEX_WORDS:
        return _hex_label(state, cards, kind, action)
    if kind in _PR_WORDS:
        if action == s.NO_TARGET:
            pr = pr_name(cards, int(state.at[state.depth - 1])) if kind == s.D_RANK else ""
            return {int(s.D_TARGET): "name no more targets", int(s.D_RANK): f"let {pr} stay an Elector"}.get(
                kind, "stop"
            )
        if kind == s.D_PRINCIPALITY and state.giving >= 0:
            return f"give {hex_name(state, cards, int(state.giving))} to {_principality(state, cards, action)}"
        return f"{_PR_WORDS[kind]} {_principality(state, cards, action)}"
    if kind == s.D_PATRONAGE:
        if action == 0:
            return "no Gold for Church Patronage"
        return f"{action} Gold of Church Patronage for {action * int(knobs.patronage_dice)} more Faith dice"
    if kind == s.D_VOTE:
        return f"{pr_name(cards, _next_elector(state))} votes for {s.SEATS[action]}"
    if kind == s.D_VICTIM:
        return f"declare war on {s.SEATS[action]}"
    if kind == s.D_DOCTRINE:
        if action == s.DOCTRINES:
            return "play no Doctrine"
        return f"play the Doctrine {doctrine_words(cards, action)}"
    if kind == s.D_SWAP:
        return f"{'discard' if state.give_left > 0 else 'take'} {a_card(cards, action)}"
    if kind == s.D_AMBUSH:
        return f"{'discard' if state.give_left > 0 else 'discard from the other hand'} {a_card(cards, action)}"
    if kind == s.D_VASSAL:
        return f"vassalize {pr_name(cards, action) if action < s.ROSTER else s.SEATS[action - s.ROSTER]}"
    if kind == s.D_WINNER:
        return f"{s.SEATS[action]} wins"
    raise ValueError(f"no label for decision {kind}")


def _partner(state: State) -> int:
    """The partner of the seat to act in the Diplomacy Game."""
    place, players = int(state.at[state.depth - 1]), int(state.players)
    pair = int(state.initiative[place]), int(state.initiative[(place + 1) % players])
    return pair[1] if int(state.seat) == pair[0] else pair[0]


def _hex_label(state: State, cards: Cards, kind: int, action: int) -> str:
    if action == s.HEXES:
        return "no second province" if kind == s.D_CONQUER else "claim nothing"
    if kind == s.D_CLAIM:
        return f"{pr_name(cards, int(state.at[state.depth - 1]))} takes {hex_name(state, cards, action)}"
    if kind == s.D_PROVINCE:
        verb = "release" if state.giving < 0 else "give"
        return f"{verb} {hex_name(state, cards, action)}"
    owner = int(state.hex_owner[action])
    if kind == s.D_DIE and owner >= s.PLAYERS:
        return f"place a die on {pr_name(cards, owner - s.PLAYERS)}"
    return f"{_HEX_WORDS[kind]} {hex_name(state, cards, action)}"


def _next_elector(state: State) -> int:
    for pr in range(s.ROSTER):
        mine = int(state.electors) >> pr & 1 and int(state.ally[pr]) == int(state.seat)
        if mine and int(state.elector_vote[pr]) < 0:
            return pr
    return 0


def _principality(state: State, cards: Cards, pr: int) -> str:
    return f"{pr_name(cards, pr)} ({int(state.extent[s.FIRST_PRINCIPALITY + pr])})"


# --- A position in words -----------------------------------------------------------------

#: The signs of the map, in the text of a position and below the drawn map.
SIGNS = "* capital, + town-province; numbers are those of the hexes"
LEGEND = (
    "A player's land has the player's colour, and C or P for its faith; a principality has its first letters, and is "
    f"apricot while Catholic, brown while Protestant. {SIGNS}."
)
_FILL = ("#f6d9b8", "#a98467")  # the colours of the Electors' markers, by faith


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position as `seat` sees it; None sees all."""
    players = range(int(state.players))
    state, knobs, cards = Record(state), Record(knobs), Record(cards)
    seen: Description = {"round": f"{int(state.turn)}, {s.PHASES[int(state.phase)]}"}
    order = tuple(s.SEATS[int(state.initiative[place])] for place in players)
    seen["Setup Order" if state.turn == 0 else "Initiative Order"] = order
    seen["Emperor"] = s.SEATS[int(state.emperor)] if state.emperor >= 0 else "none"
    seen["Catholic Reformation"] = "begun" if state.reformation else "not yet"
    protestant = sum(int(word).bit_count() for word in state.protestant)
    seen["provinces"] = f"Catholic {int(state.hexes) - protestant}, Protestant {protestant}"
    seen["map"] = _map_lines(state, cards)
    for player in players:
        seen[s.SEATS[player]] = _player_line(state, knobs, cards, player)
    for pr in range(s.ROSTER):
        if int(state.on_map) >> pr & 1:
            seen[pr_name(cards, pr)] = _principality_line(state, cards, pr)
    wars = _war_lines(state)
    if wars:
        seen["wars"] = wars
    if state.phase == s.HERESY and any(int(n) for n in state.dice[: int(state.players)]):
        name = "Faith dice to roll" if state.decision == s.D_PATRONAGE else "successes to place"
        seen[name] = ", ".join(f"{s.SEATS[p]} {int(state.dice[p])}" for p in players if state.dice[p])
        if state.decision == s.D_DIE:
            seen["dice placed"] = _dice_lines(state, cards)
    seen |= _armies(state, cards, seat)
    for player in players:
        held = _doctrines(state, cards, player)
        if held:
            seen[f"{s.SEATS[player]}'s Doctrines"] = held if seat in (None, player) else f"{len(held)} cards"
    played = [n for n in range(s.DOCTRINES) for _ in range(int(state.doctrine_played[n]))]
    if played:
        seen["Doctrines played"] = tuple(read_text(cards.doctrine_name[n]) for n in played)
    pending = _pending(state, cards)
    if pending:
        seen["pending"] = pending
    return seen


def _map_lines(state: State, cards: Cards) -> tuple[str, ...]:
    """One line per row of the map; the signs are those of `SIGNS`."""
    rows: dict[int, dict[int, str]] = {}
    for hex_ in range(s.HEXES):
        owner = int(state.hex_owner[hex_])
        if owner == -1:
            continue
        name = (
            "...."
            if owner < 0
            else s.SEATS[owner][:4].upper()
            if owner < s.PLAYERS
            else short_name(cards, owner - s.PLAYERS)
        )
        kind = "*" if held_in(state.capital, hex_) else "+" if held_in(state.town, hex_) else ""
        faith = "'" if held_in(state.protestant, hex_) else ""
        rows.setdefault(int(cards.hex_r[hex_]), {})[int(cards.hex_q[hex_])] = f"{name}{kind}{faith}"
    lines: list[str] = []
    for r, cells in sorted(rows.items()):
        text = " ".join(f"{cells.get(q, ''):6}" for q in range(12))
        first = f"{min(cells)}/{r}"
        lines.append(f"{first:5}{'   ' * r}{'   '}{text}".rstrip())
    signs = f"players in capitals; ' Protestant; {SIGNS}, and a line begins with that of its first hex"
    return (*lines, f"{'':8}{signs}")


def hex_contents(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> dict[int, HexContent]:
    """The map of a position, as LEGEND explains it."""
    contents = {}
    state, cards = Record(state), Record(cards)
    for hex_ in range(s.HEXES):
        owner = int(state.hex_owner[hex_])
        if owner == -1:
            continue
        faith = int(held_in(state.protestant, hex_))
        text = short_name(cards, owner - s.PLAYERS) if owner >= s.PLAYERS else s.FAITHS[faith][0]
        text += "*" if held_in(state.capital, hex_) else "+" if held_in(state.town, hex_) else ""
        words = hex_name(state, cards, hex_) if owner >= 0 else "nobody's"
        player = s.SEATS[owner] if 0 <= owner < s.PLAYERS else ""
        help_ = f"{words}, {s.FAITHS[faith]}"
        contents[hex_] = HexContent(text, player, help_, str(owner), "" if player else _FILL[faith])
    return contents


def _player_line(state: State, knobs: Knobs, cards: Cards, player: int) -> str:
    text = f"{s.FAITHS[int(state.faith[player])]}, {role_name(cards, state, player)}"
    text += f", Imperial Power {int(_power(state, knobs, player))}"
    text += f", Gold {int(state.gold[player])}, influence stored {int(state.di_stored[player])}"
    if state.faith[player] == 0:
        text += f", Saints {int(state.saints[player])}, Good Works {int(state.gw_die[player])}"
    if state.monastery[player]:
        text += ", Monastery"
    if state.fp_edge[player] >= 0:
        text += f", Foreign Power in the {EDGE_NAMES[int(state.fp_edge[player])]}"
    if state.league[player]:
        text += f", {('', 'Catholic', 'Evangelical')[int(state.league[player])]} League"
    return text


def _power(state: State, knobs: Knobs, player: int) -> int:
    """WP-IP-01 for display; counts no rule."""
    allied = [pr for pr in range(s.ROSTER) if int(state.on_map) >> pr & 1 and int(state.ally[pr]) == player]
    total = int(state.extent[player]) * int(knobs.ip_per_province)
    total += sum(int(state.extent[s.PLAYERS + pr]) for pr in allied) * int(knobs.ip_per_allied_province)
    total += sum(int(state.electors) >> pr & 1 for pr in allied) * int(knobs.ip_elector_ally_bonus)
    total += int(knobs.ip_emperor_bonus) * (int(state.emperor) == player)
    if knobs.ip_town_bonus:
        faith = int(state.faith[player])
        towns = [h for h in range(s.HEXES) if int(state.hex_owner[h]) == player and held_in(state.town, h)]
        total += int(knobs.ip_town_bonus) * sum(held_in(state.protestant, h) == bool(faith) for h in towns)
    if state.fp_edge[player] >= 0:
        now = int(state.turn) + int(knobs.home_ip_schedule)
        total += int(knobs[f"home_ip_{min(max(now, 1), 5)}"])
    return total


def _principality_line(state: State, cards: Cards, pr: int) -> str:
    text = f"{s.FAITHS[int(state.pr_faith[pr])]}, size {int(state.extent[s.FIRST_PRINCIPALITY + pr])}"
    if int(state.electors) >> pr & 1:
        text += ", Elector"
    if state.marker[pr]:
        text += ", flame" if state.marker[pr] == s.LYING else ", Target Principality"
    for player in range(int(state.players)):
        if state.di[pr, player]:
            text += f", {s.SEATS[player]}'s influence {int(state.di[pr, player])}"
    if state.ally[pr] >= 0:
        text += f", ally {s.SEATS[int(state.ally[pr])]}"
    return text


def _war_lines(state: State) -> tuple[str, ...]:
    results = ("White Peace", "the attacker won", "the defender won", "called off", "")
    lines: list[str] = []
    if state.phase != 4:
        return ()
    for war in range(int(state.wars)):
        line = f"{s.SEATS[int(state.war_attacker[war])]} on {s.SEATS[int(state.war_defender[war])]}"
        line += f": Battle Phase {int(state.war_phase[war])}"
        result = results[int(state.war_result[war])]
        lines.append(f"{line}, {result}" if result else line)
    return tuple(lines)


def _dice_lines(state: State, cards: Cards) -> tuple[str, ...]:
    lines: list[str] = []
    for pr in range(s.ROSTER):
        lines.extend(
            f"{pr_name(cards, pr)}: {int(state.pr_dice[pr, faith])} {s.FAITHS[faith]}"
            for faith in range(2)
            if state.pr_dice[pr, faith]
        )
    for hex_ in range(s.HEXES):
        lines.extend(
            f"{hex_name(state, cards, hex_)}: {int(state.hex_dice[hex_, faith])} {s.FAITHS[faith]}"
            for faith in range(2)
            if state.hex_dice[hex_, faith]
        )
    return tuple(lines)


def _hand(numbers: object) -> str:
    """`3 Musketeers 1 Pikeman`."""
    names = tuple(zip(KIND_NAMES, KIND_PLURALS, strict=True))
    held = [int(numbers[kind]) for kind in range(s.KINDS)]  # type: ignore[index]
    return " ".join(f"{n} {names[kind][n > 1]}" for kind, n in enumerate(held) if n) or "none"


def _armies(state: State, cards: Cards, seat: int | None) -> dict[str, str]:
    """The Military Cards of all players who fight or wait, as a seat sees them."""
    armies: dict[str, str] = {}
    for slot in range(s.DUELS):
        pair = [int(player) for player in state.slot[slot]]
        if min(pair) < 0:
            continue
        for player, other in (pair, pair[::-1]):
            parts = [f"against {s.SEATS[other]}", *_cards_held(state, player, seat)]
            parts += [f"discarded {_hand(state.discard[player])}", f"reserve {int(state.reserve[player])}"]
            if state.called[player]:
                parts.append("reinforcements called")
            if state.barred[player]:
                parts.append("no Cavalry in the next clash")
            if state.played[player] >= 0:
                parts.append(f"Doctrine {read_text(cards.doctrine_name[int(state.played[player])])}")
            armies[f"{s.SEATS[player]}'s army"] = ", ".join(parts)
    if state.melee:
        for side in range(2):
            for place in range(int(state.queue_len[side])):
                player = int(state.queue[side, place])
                armies[f"{s.SEATS[player]}'s army"] = ", ".join(["waiting", *_cards_held(state, player, seat)])
    return armies


def _cards_held(state: State, player: int, seat: int | None) -> list[str]:
    """A player's hand: the number of each kind; for other seats, the number of cards and the known cards."""
    if seat is None or seat == player:
        return [f"{name} {int(state.hand[player][kind])}" for kind, name in enumerate(KIND_PLURALS)]
    known = state.foe_shown if int(state.peeker[player]) == seat else state.shown
    return [f"cards {sum(int(n) for n in state.hand[player])}", f"known of them {_hand(known[player])}"]


def _doctrines(state: State, cards: Cards, player: int) -> tuple[str, ...]:
    held = [n for n in range(s.DOCTRINES) for _ in range(int(state.doctrine[player, n]))]
    return tuple(read_text(cards.doctrine_name[n]) for n in held)


def _pending(state: State, cards: Cards) -> str:
    """The subject of the current decision, if its options do not name it."""
    kind = int(state.decision)
    if kind in (s.D_DEFEND, s.D_TARGET) and int(state.named):
        names = [pr_name(cards, pr) for pr in range(s.ROSTER) if int(state.named) >> pr & 1]
        return f"targets named: {', '.join(names)}"
    if kind == s.D_RANK:
        return f"Elector in question: {pr_name(cards, int(state.at[state.depth - 1]))}"
    if kind == s.D_ASSENT:
        old, new = pr_name(cards, int(state.at[state.depth - 2])), pr_name(cards, int(state.proposed))
        return f"{new} as an Elector in place of {old}"
    if kind == s.D_RECIPIENT:
        return f"{hex_name(state, cards, int(state.giving))} is given away"
    return ""


def part_name(state: State, knobs: Knobs, cards: Cards) -> str:
    return s.PHASES[int(state.phase)]
