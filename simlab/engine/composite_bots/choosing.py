"""How a bot made of others chooses which of them to ask. `simlab.engine.composite_bots.bound` fills in the names."""

from __future__ import annotations

from typing import Any

import numpy as np

from simlab.compiler import unbound
from simlab.engine.streams import bot_below

ask = bot = others = which = choice = refuses = unbound
BOTS = 1
PLACE = 0  #: of the bot that a link asks
START = STOP = 0  #: its traits in the array
OWN = 0  #: traits of a list of rules
FINE = 1 << 30  #: resolution of shares


def by_chance(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """Draws which bot to ask, by shares; a decision with one legal action takes no draw."""
    if state.n_legal == 1:
        return state.legal[0]
    drawn = bot_below(state, FINE) / FINE
    place = 0
    while place < BOTS - 1 and drawn >= traits[place]:
        place += 1
    return ask(state, knobs, cards, traits, place)


def by_turn(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """Asks the bot that plays in the current turn."""
    place = 0
    while place < BOTS - 1 and state.turn > traits[place]:
        place += 1
    return ask(state, knobs, cards, traits, place)


def by_number(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """Asks the bot whose number is the first trait."""
    return ask(state, knobs, cards, traits, int(traits[0]))


def by_rules(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """Follows the rules, or another bot if none decides; if a rule forbids that bot's choice, takes another option."""
    if which(state, knobs, cards, traits) > 0:
        return choice(state, knobs, cards, traits)
    action = np.int64(bot(state, knobs, cards, traits[OWN:]))
    own = np.empty(OWN + 1)
    own[:OWN] = traits[:OWN]
    own[OWN] = action
    if refuses(state, knobs, cards, own) > 0:
        return choice(state, knobs, cards, traits)
    return action


def ask_link(state: Any, knobs: Any, cards: Any, traits: Any, place: int) -> int:
    """The answer of the bot at a position of the chain: this link's bot, or one further down."""
    if place == PLACE:
        return bot(state, knobs, cards, traits[START:STOP])
    return others(state, knobs, cards, traits, place)


def ask_last(state: Any, knobs: Any, cards: Any, traits: Any, place: int) -> int:
    """The end of the chain."""
    return bot(state, knobs, cards, traits[START:STOP])
