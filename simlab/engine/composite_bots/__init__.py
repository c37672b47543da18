"""Bots made of other bots, for any game: mixed, weakened, or one after the other.

    --bot 'cathar=mix(value:0.8,random:0.2)'    at each decision one of them, by chance
    --bot 'cathar=noisy(value:0.05)'            value, except for 5 % of its decisions, which are random
    --bot 'cathar=opening(random:4,value)'      random through turn 4 of the game, value from then on

The part that chooses is drawn from the stream of the seat's bot, so a game is the same on any machine. Shares and
turns are traits, not code, so changing them needs no compilation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simlab import compiler
from simlab.engine.search import called
from simlab.engine.streams import bot_below
from simlab.game import Policy

HELP = {
    "mix": "mix({bot}:0.8,random:0.2): at each decision one of these bots, by chance, in these shares.",
    "noisy": "noisy({bot}:0.05): the bot, except for a share of its decisions, which are random.",
    "opening": "opening(random:4,{bot}): the first bot through turn 4 of the game, then the next; the last to the end.",
}


# --- How a bot made of others chooses which of them to ask. `bound` and `with_rules` fill in the names --------------

which = choice = refuses = ask = bot = others = compiler.unbound
BOTS = 1
PLACE = 0  #: position in the chain of the bot that a link asks
START = STOP = 0  #: bounds of that bot's traits in the array
OWN = 0  #: number of traits of a list of rules
FINE = 1 << 30  #: resolution of shares


def by_chance(state: Any, knobs: Any, cards: Any, traits: Any) -> int:
    """Draws which bot to ask, by shares; with only one legal action nothing is drawn."""
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


KINDS = {"mix": by_chance, "noisy": by_chance, "opening": by_turn, "one_of": by_number}


# --- Their functions ----------------------------------------------------------------


def mixing_bots(example: str = "random") -> dict[str, Policy]:
    """The kinds of composite bots by name, for listing, with `example` as a part in their help; not bound to parts."""
    texts = {name: text.format(bot=example) for name, text in HELP.items()}
    return {name: Policy(name, compiler.unbound, "", (), {}, text, __name__) for name, text in texts.items()}


def bound(kind: str, bots: Sequence[Policy], sizes: Sequence[int]) -> Callable[..., int]:
    """The function of a composite bot, made of the functions of its bots.

    Args:
        kind: one of KINDS. bots: at least one.
        sizes: how many traits each bot reads. The traits start with one number per bot (the upper end of its share,
            from 0 to 1, or the last turn that it plays; for `one_of` the number of a bot); those of the bots follow.
    """
    return _bound(KINDS[kind], tuple(policy.function for policy in bots), tuple(sizes))


@functools.cache
def _bound(
    choose: Callable[..., int], bots: tuple[Callable[..., int], ...], sizes: tuple[int, ...]
) -> Callable[..., int]:
    ask: Callable[..., int] = compiler.unbound
    stop = len(bots) + sum(sizes)
    for place in range(len(bots) - 1, -1, -1):
        own = {"bot": called(bots[place]), "START": stop - sizes[place], "STOP": stop, "PLACE": place}
        link = ask_last if place == len(bots) - 1 else ask_link
        ask = compiler.kernel(compiler.specialise(link, **own, others=ask))
        stop -= sizes[place]
    return compiler.kernel(compiler.specialise(choose, ask=ask, BOTS=len(bots)))


def with_rules(rules: Policy, refuses: Callable[..., int], bot: Policy) -> Policy:
    """Rules, and another bot for the decisions that no rule decides; its traits follow those of the rules.

    Args:
        refuses: returns 1 if the rules forbid the option that follows their traits in the array.
    """
    return replace(rules, function=_ruled(rules.which, rules.function, refuses, bot.function, len(rules.traits)))


@functools.cache
def _ruled(which: Any, choice: Any, refuses: Any, bot: Any, own: int) -> Callable[..., int]:
    names = {"which": called(which), "choice": called(choice), "refuses": called(refuses), "bot": called(bot)}
    return compiler.kernel(compiler.specialise(by_rules, **names, OWN=own))
