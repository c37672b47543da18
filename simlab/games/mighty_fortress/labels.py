"""A Mighty Fortress Is Our God in words: names of actions, positions as a person sees them."""

from __future__ import annotations

from simlab.game import Cards, Description, Knobs, State, read_text
from simlab.games.mighty_fortress import effects as fx
from simlab.games.mighty_fortress import rule
from simlab.games.mighty_fortress import state as s

PLAIN = (
    "end the Action Phase", "Ration & Scrounge", "Patrol", "Counter-Battery (Entrenchment)",
    "Counter-Battery (Bombardment)",
    "Deconstruction", "Execute a die for Unrest", "Execute a die for Pressure",
)  # fmt: skip
IN_QUEUE_WORDS = ("Convert", "Negotiate", "Raid", "Dispatch, move to the Support Track:")
TRACK_NAMES = {number: name for name, number in fx.READABLE.items()}
SIGNS = {op: sign for sign, op in fx.COMPARISONS.items()}
CAUSES = ("", "Bombardment 5", "Unrest 10", "Traitor Failure", "a card")
ACTION_NAMES = (
    *PLAIN,
    *(f"Execute Elder in space {n}" for n in (2, 3, 4)),
    *(f"activate Elder in space {n}" for n in (2, 3, 4)),
    *(f"seat Elder {n}" for n in range(1, 13)),
    *(f"{word} slot {n}" for word in ("Convert", "Negotiate", "Raid", "Dispatch move") for n in range(1, 7)),
    *(f"Dispatch advance city {n}" for n in range(1, 9)),
    *(f"Execute Outsider {n}" for n in range(1, 49)),
    "Execute Elder in space 5",
    "activate Elder in space 5",
)
DICE_NAMES = (
    *(f"{colour} {pip}" for colour in s.COLOURS for pip in range(1, 7)),
    *(f"{colour} Exhausted" for colour in s.COLOURS),
)


def card_name(cards: Cards, card: int) -> str:
    """An Outsider or a Nearby City."""
    return read_text(cards.card_name[card])


def elder_name(cards: Cards, elder: int) -> str:
    return read_text(cards.elder_name[elder])


def die_name(die: int) -> str:
    """A class of dice as `Red 5` or `Red Exhausted`."""
    return DICE_NAMES[die]


def card_words(cards: Cards, card: int) -> str:
    """The text of an Outsider or a city of the Queue."""
    parts = [f"rating {int(cards.rating[card])}", f"resistance {int(cards.resistance[card])}"]
    if card >= s.CITY:
        city = card - s.CITY
        parts.append(f"Dispatch costs food {int(cards.city_food[city])}, materials {int(cards.city_materials[city])}")
    else:
        tags = [read_text(cards.tag_name[int(tag)]) for tag in cards.tag[card] if tag >= 0]
        parts += [*tags, f"{int(cards.vp[card])} VP"]
        if int(cards.ability[card]) >= 0:
            parts.append(f"{s.ABILITIES[int(cards.ability[card])]} {int(cards.ability_n[card]):+}")
        elif int(cards.once[card]):
            parts.append(f"once {effect_words(cards, int(cards.once[card]))}")
    return f"{card_name(cards, card)}: {', '.join(parts)}; reward {effect_words(cards, int(cards.reward[card]))}"


def elder_words(cards: Cards, elder: int) -> str:
    """The text of an Elder."""
    ability = effect_words(cards, int(cards.elder_program[elder]))
    if int(cards.elder_pays[elder]) >= 0:
        ability = f"pay {list(fx.TRACKS)[int(cards.elder_pays[elder])]} {int(cards.elder_price[elder])}: {ability}"
    return f"{elder_name(cards, elder)}: {ability}, {int(cards.elder_vp[elder])} VP if executed"


def price_words(cards: Cards, elder: int) -> str:
    """The die and the cost that seat an Elder."""
    costs = [f"{name} {int(n)}" for name, n in zip(fx.PRICES, cards.elder_cost[elder], strict=True) if n]
    return ", ".join([f"a {s.COLOURS[int(cards.elder_die[elder])]} die", *costs])


def effect_words(cards: Cards, start: int, stop: int = -1) -> str:
    """A program in its original words, from `start` to `stop` or to its end."""
    parts: list[str] = []
    simple = {
        fx.SUPPORT_UP: "support +1", fx.SUPPORT_DOWN: "support -1", fx.CASUALTY_OP: "casualty {}",
        fx.RECOVER_OP: "recover {}", fx.ASSAULT_OP: "assault_check {:+}", fx.REQUIREMENT_OP: "requirement_mod {:+}",
        fx.PURGE_OP: "purge", fx.HERALD_OP: "herald",
        fx.COUNTER_COST_OP: "this_turn counter_battery_cost {:+}", fx.RAID_ROLL_OP: "this_turn raid_roll {:+}",
    }  # fmt: skip
    at = start
    while at != stop:
        op, what, n = (int(v) for v in cards.code[at][:3])
        if op in (fx.END, fx.JUMP):
            break
        if op in (fx.GAIN, fx.REWARD_FOOD):
            parts.append(f"{TRACK_NAMES[what]} {n:+}")
        elif op in simple:
            parts.append(simple[op].format(n))
        elif op != fx.PURGE_TRACK_OP:
            words, at = halves_in_words(cards, at)
            parts.append(words)
            continue
        at += 1
    return "; ".join(parts) or "nothing"


def halves_in_words(cards: Cards, at: int) -> tuple[str, int]:
    """A `choose`, `pay` or `if` in words, and the number of the instruction after it."""
    op, what, n, second = (int(v) for v in cards.code[at])
    first, end = effect_words(cards, at + 1, second), second
    has_second = int(cards.code[second - 1, 0]) == fx.JUMP
    if has_second:
        end = int(cards.code[second - 1, 3])
    other = effect_words(cards, second, end) if has_second else ""
    if op == fx.CHOOSE_OP:
        return f"choose {{{first} / {other}}}", end
    if op == fx.PAY_OP:
        asked = f"pay {TRACK_NAMES[what]} {n}"
    else:
        right = TRACK_NAMES[n - fx.TRACK_OPERAND] if n >= fx.TRACK_OPERAND else str(n)
        asked = f"if {TRACK_NAMES[what]} {SIGNS[op]} {right}"
    return f"{asked} {{{first}}}" + (f" else {{{other}}}" if has_second else ""), end


def part_name(state: State, knobs: Knobs, cards: Cards) -> str:
    """The phase that was played last."""
    return s.PHASES[int(state.phase)]


def action_label(state: State, knobs: Knobs, cards: Cards, action: int) -> str:
    """Label of the action."""
    kind = int(state.decision)
    if kind == s.ACTION:
        return main_action(state, cards, action)
    if kind == s.DIE:
        return f"execute {die_name(action)}" if int(state.about) == s.ABOUT_PURGE else f"with {die_name(action)}"
    if kind == s.COMMIT:
        return f"commit {die_name(action)}"
    if kind == s.CASUALTY:
        return f"{'pay with' if int(state.about) == s.ABOUT_CARD_COST else 'lose'} {die_name(action)}"
    if kind == s.UNFED:
        return "feed the rest" if action == s.STARVE_NO_MORE else f"leave {die_name(action)} unfed"
    if kind == s.CHOICE:
        return choice_label(state, cards, action)
    if kind == s.PICK:
        if int(state.about) == s.ABOUT_CITY:
            return f"Support for {card_name(cards, s.CITY + action)}"
        return f"recover a {s.COLOURS[action]} die"
    if kind == s.HOLD:
        return "hold no more" if action == s.STOP_HOLDING else f"hold {die_name(action)}"
    return f"replace {elder_name(cards, int(state.space[action]))}"


def main_action(state: State, cards: Cards, action: int) -> str:
    """MF-D-01."""
    if action < s.EXECUTE_ELDER:
        return PLAIN[action]
    if s.EXECUTE_OUTSIDER <= action < s.EXECUTE_FIFTH:
        return f"Execute {card_name(cards, action - s.EXECUTE_OUTSIDER)}"
    if action == s.EXECUTE_FIFTH or action < s.ACTIVATE:
        space = 3 if action == s.EXECUTE_FIFTH else action - s.EXECUTE_ELDER
        return f"Execute {elder_name(cards, int(state.space[space]))}"
    if action == s.ACTIVATE_FIFTH or action < s.SEAT:
        space = 3 if action == s.ACTIVATE_FIFTH else action - s.ACTIVATE
        return f"activate {elder_name(cards, int(state.space[space]))}"
    if action < s.CONVERT:
        return f"seat {elder_words(cards, action - s.SEAT)} (for {price_words(cards, action - s.SEAT)})"
    if action < s.ADVANCE:
        word, slot = IN_QUEUE_WORDS[(action - s.CONVERT) // s.SLOTS], (action - s.CONVERT) % s.SLOTS
        return f"{word} {card_name(cards, int(state.queue[slot]))} (slot {slot + 1})"
    return f"Dispatch, advance {card_name(cards, s.CITY + action - s.ADVANCE)}"


def choice_label(state: State, cards: Cards, action: int) -> str:
    """MF-D-06."""
    about = int(state.about)
    if about == s.ABOUT_PURGE_TRACK:
        return "lower Pressure" if action else "lower Unrest"
    if about == s.ABOUT_TAG:
        tag = int(cards.tag[int(state.doing) - s.EXECUTE_OUTSIDER, action])
        return f"as {read_text(cards.tag_name[tag])}: {effect_words(cards, int(cards.tag_program[tag]))}"
    asked = int(state.pc) - 1
    second = int(cards.code[asked, 3])
    if about == s.ABOUT_PAY:
        price = f"{TRACK_NAMES[int(cards.code[asked, 1])]} {int(cards.code[asked, 2])}"
        return "do not pay" if action else f"pay {price}: {effect_words(cards, asked + 1, second)}"
    return f"choose half {action + 1}: {effect_words(cards, second if action else asked + 1)}"


def asides(before: State, after: State, knobs: Knobs, cards: Cards) -> list[str]:
    """Assault Checks, Raid rolls and Traitor Checks with their results; choices that had only one option."""
    texts = []
    if int(before.step) == s.RAIDED_STEP and int(after.step) == s.ACTION_STEP:
        cost = "a casualty" if after.raid_total <= knobs.raid_casualty_max else "no casualty"
        texts.append(f"Raid roll: {int(after.raid_rolled)}, total {int(after.raid_total)}: {cost}")
    for number, word in ((rule.MF_TRA_02, "passed"), (rule.MF_TRA_03, "failed")):
        if int(after.fired[number]) > int(before.fired[number]):
            black = int(after.avail_of[s.BLACK]) + int(after.black_executed_turn)
            texts.append(f"Traitor Check: {black} of {int(after.requirement)} Black dice: {word}")
    if int(after.assaults.sum()) > int(before.assaults.sum()):
        texts.append(f"Assault Check ({CAUSES[int(after.assault_cause)]}): {assault_words(after, knobs)}")
    options = int(after.options)
    if after.asking and not after.over and options and options & (options - 1) == 0:
        texts.append(f"one option: {action_label(after, knobs, cards, options.bit_length() - 1)}")
    return texts


def assault_words(state: State, knobs: Knobs) -> str:
    """MF-ASL-01: the last Assault Check's roll, total and result."""
    total = int(state.assault_total)
    result = (
        "Breach" if total <= knobs.breach_max
        else "Heroic Defense, Cohesion +1" if total > knobs.strong_repel_max
        else "repelled, Entrenchment -1" if total > knobs.repel_max
        else "repelled"
    )  # fmt: skip
    return f"rolled {int(state.assault_roll)}, total {total}: {result}"


def describe(state: State, knobs: Knobs, cards: Cards, seat: int | None) -> Description:
    """The position, in the order of a turn; none of it is hidden (MF-GEN-05).

    Returns:
        texts by name. A list is a tuple of its items, so that a replay can show which were added and removed.
    """
    turn = int(state.turn)
    fate, decree = int(state.fate_drawn), int(state.decree)
    seen: Description = {"turn": f"{turn} of {int(knobs.turn_limit)}", "phase": s.PHASES[int(state.phase)]}
    card = f"{read_text(cards.fate_name[fate])}: {effect_words(cards, int(cards.fate_program[fate]))}"
    seen["Fate"] = card if turn else "none"
    if turn > 1 and int(state.phase) != s.FATE_PHASE:
        unfed = int(state.unfed)
        seen["Food bill"] = f"{int(state.bill)} on turn {turn}, {unfed} {'die' if unfed == 1 else 'dice'} unfed"
    if decree:
        words = effect_words(cards, int(cards.decree_program[decree]))
        seen["decree"] = f"{decree} on turn {turn}, {read_text(cards.decree_name[decree])}: {words}"
    if int(state.assault_roll):
        seen["last Assault Check"] = (
            f"turn {int(state.assault_turn)}, {CAUSES[int(state.assault_cause)]}: "
            f"rolled {int(state.assault_roll)}, "
            f"total {int(state.assault_total)}"
        )
    if int(state.raid_rolled):
        seen["last Raid roll"] = f"{int(state.raid_rolled)}, total {int(state.raid_total)} (Raid {int(state.raids)})"
    for name in (
        "defense", "siege_strength", "entrenchment", "bombardment", "consumption", "cohesion", "unrest",
        "pressure",
        "requirement", "piety", "influence", "food", "materials", "luxuries", "vp",
    ):  # fmt: skip
        seen[name.replace("_", " ")] = str(int(state[name]))
    seen["Available"] = tuple(DICE_NAMES[die] for die in range(s.CLASSES) for _ in range(int(state.avail[die])))
    seen["Held"] = tuple(DICE_NAMES[die] for die in range(s.CLASSES) for _ in range(int(state.held[die])))
    seen["Exhausted"] = tuple(s.COLOURS[c] for c in range(6) for _ in range(int(state.exhausted[c])))
    seen["Lost box"] = tuple(s.COLOURS[c] for c in range(5) for _ in range(int(state.lost[c])))
    seen["bag"] = ", ".join(f"{int(state.bag[c])} {s.COLOURS[c]}" for c in range(5))
    seen["Traitor Pool"] = f"{int(state.black_pool)} Black, {int(state.black_dead)} dead"
    slots = [int(card) for card in state.queue]
    seen["Queue"] = tuple(f"{i + 1} {card_name(cards, c)}" for i, c in enumerate(slots) if c != s.EMPTY)
    seen["cards of the Queue"] = tuple(card_words(cards, c) for c in sorted(slots) if c != s.EMPTY)
    seen["tableau"] = tuple(card_name(cards, c) for c in range(int(cards.n_outsiders)) if (int(state.tableau) >> c) & 1)
    council = [int(state.space[i]) for i in range(s.SPACES)]
    seen["council"] = ("King Jan", *(elder_words(cards, e) for e in council if e != s.EMPTY))
    on_track = [c for c in range(s.MAX_CITIES) if int(state.support[c]) != s.OFF_TRACK]
    seen["Support"] = tuple(f"{card_name(cards, s.CITY + c)} {int(state.support[c])}" for c in on_track)
    seen["Outsider deck"] = (
        f"{int(state.deck_left)} {'card' if state.deck_left == 1 else 'cards'}, {int(state.discard_len)} discarded"
    )
    return seen
