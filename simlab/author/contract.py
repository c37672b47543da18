"""The functions of the lab's contract (simlab.spec.contract) for a game's class, from one template of their source.

Names in the template that begin with `_` are from simlab.author.runtime, numbers of rules, or defined here.
"""

from __future__ import annotations

import functools
from typing import Any, Final

from simlab.author.base import Blueprint
from simlab.author.blocks import MORE
from simlab.author.fields import Choice
from simlab.author.inventory import Uses, counts
from simlab.author.maps import Pieces
from simlab.author.measures import offsets
from simlab.author.shelf import Component, Hand, Row
from simlab.author.sources import more_parameters
from simlab.author.translate import Program

MOST_TESTS: Final = 12  #: options of a decision that are tested one by one

_SOURCE: Final = """
@kernel
def _end(state, ending):
    state.over = True
    state.ending = ending
% for rule in program.at_end
    _count_rule(state, _rule_{{ program.rule_number(rule) }})
% endfor

@kernel
def _end_with(state, ending, winner):
    if winner < ALL or winner >= _int(state.stream_seats):
        raise ValueError("end() takes a seat, NONE or ALL as the winner, not", winner)
    state.won = NOBODY
    if winner == ALL:
        state.won = (_int(1) << _int(state.stream_seats)) - 1
    elif winner >= 0:
        state.won = _int(1) << winner
    _end(state, ending)

@kernel
def _resume(state, knobs, cards):
    if not game__play(state, knobs, cards) and not state.over:
        raise ValueError("play() has ended, but the game is not over. End it: self.end('goal', seat)")

@kernel
def initial_state(state, knobs, cards):
    # Fields are prepared once for all games of a match (simlab.author.plain.prepare).
    state.turn = 1
    _resume(state, knobs, cards)

@kernel
def legal_actions(state, knobs, cards):
% for name, chosen in plan.choices.items()
    if state.decision == {{ loop.index0 }}:
%   set last = chosen.counted if short(chosen) else chosen.size
%   set more = "range(%d, %d)" % (chosen.counted if chosen.cards else chosen.first, last)
%   set asked = "state, knobs, cards, _int(option)" ~ (more_of(name) if "may_" ~ name in methods else "")
%   set legal = "game__may_%s(%s)" % (name, asked) if "may_" ~ name in methods else "True"
%   for options in (["range(_int(cards.%s_size))" % chosen.component.called] if chosen.cards else []) + [more]
        for option in {{ options }}:
            if {{ legal }}:
                _offer(state, option)
%   endfor
%   for option in range(last, chosen.size)
%     set asked = "state, knobs, cards, _int(%d)" % option ~ (more_of(name) if "may_" ~ name in methods else "")
        if {{ "game__may_%s(%s)" % (name, asked) if "may_" ~ name in methods else "True" }}:
            _offer(state, {{ option }})
%   endfor
        return
% endfor

@kernel
def _note_use(state, cards, action):
    # The item that an answer uses, for the statistics.
% for name, chosen in plan.choices.items() if uses.of_decision(name)
%   set use = uses.of_decision(name)
    if state.decision == {{ program.choice_numbers[name] }}:
        if action < {{ chosen.counted }}:
%     if chosen.component is a_row
            item = _int(state.{{ chosen.component.called }}_slots[action])
%     else
            item = _int(action)
%     endif
            if item >= 0:
%     if use.deck
                item = _int(cards.{{ use.deck }}_item[item])
%     endif
                place = {{ use.offset }} + item
                state.used_items[place] = state.used_items[place] | (_int(1) << _int(state.seat))
% endfor
    pass

@kernel
def apply_action(state, knobs, cards, action):
% for name, chosen in plan.choices.items() if program.refusals[name]
    if state.decision == {{ program.choice_numbers[name] }} and state.n_legal < {{ chosen.size }}:
%   for rule in program.refusals[name]
        _count_rule(state, _rule_{{ program.rule_number(rule) }})
%   endfor
% endfor
% if uses.marks
    _note_use(state, cards, _int(action))
% endif
    state.frame_answer = action
    _resume(state, knobs, cards)

@kernel
def _is_forced(state, knobs, cards):
    # Whether one option is legal, which is then the answer.
    state.n_legal = 0
    legal_actions(state, knobs, cards)
    if state.n_legal != 1:
        return False
% if uses.marks
    _note_use(state, cards, _int(state.legal[0]))
% endif
    state.frame_answer = state.legal[0]
    return True

@kernel
def outcome(state, knobs, cards, row):
    winners = _int(state.won)
    seats = _int(state.stream_seats)
% if "wins" in methods
    if winners == 0:
        for seat in range(seats):
            if game__wins(state, knobs, cards, _int(seat)):
                winners |= _int(1) << seat
% elif "score" in methods
    if winners == 0:
        best, second = _int(0), _int(0)
        for seat in range(seats):
            score = _checked_whole(game__score(state, knobs, cards, _int(seat)), _int({{ line_of("score") }}))
%   if "tie_break" in methods
            tie = _checked_whole(game__tie_break(state, knobs, cards, _int(seat)), _int({{ line_of("tie_break") }}))
%   else
            tie = _int(0)
%   endif
            if seat == 0 or score > best or (score == best and tie > second):
                best, second, winners = score, tie, _int(0)
            if score == best and tie == second:
                winners |= _int(1) << seat
% endif
    winners = max(winners, 0)
    row.winners = winners
    row.winner = -1
    n = 0
    for seat in range(seats):
        if winners >> seat & 1:
            row.winner = seat
            n += 1
    if n > 1:
        row.winner = -2
    row.ending = state.ending
    row.turns = state.turn
% if "score" in methods
    for seat in range(seats):
        row.score[seat] = _checked_whole(game__score(state, knobs, cards, _int(seat)), _int({{ line_of("score") }}))
% endif
% for one in plan.measures if one.kind == "metric" and not one.each
    row.{{ one.name }} = {{ one.value("") }}
% endfor
% for name, field in plan.fields.items() if field.is_category
    for seat in range(seats):
        row.category[{{ loop.index0 }}, seat] = state.{{ name }}[seat]
% endfor

@kernel
def track_values(state, knobs, cards, values):
    seats = _int(state.stream_seats)
% for one, single, each in offsets(plan.measures)
%   if one.each
    for seat in range(seats):
        values[{{ single }} + {{ each }} * seats + seat] = {{ one.value("_int(seat)") }}
%   else
    values[{{ single }} + {{ each }} * seats] = {{ one.value("") }}
%   endif
% endfor

% if "could_hold" in methods
@kernel
def _misplaced(state, knobs, cards, holder, card):
    return 1 if holder >= 0 and not game__could_hold(state, knobs, cards, holder, card) else 0
% endif

@kernel
def determinize(state, knobs, cards, seat):
    # Deck by deck, the cards that the seat does not see are put in a new order; hidden numbers are drawn again. With
    # seat -1, only what no seat sees is drawn again, but for the order of decks (reshuffle).
% for deck in plan.decks
%   set hands = hidden_hands(plan, deck)
%   set checked = hands and "could_hold" in methods
%   set nobodys = hands | selectattr(1, "equalto", "True") | list
    if {{ "True" if nobodys else "seat >= 0" }}:
        left = _int(state.{{ deck.called }}_left)
        hidden = np.empty({{ deck.capacity }}, np.int16)
        n = left
        for i in range(left):
            hidden[i] = state.{{ deck.called }}_order[i]
%   if checked
        holder = np.full({{ deck.capacity }}, -1, np.int16)
%   endif
%   for hand, hides in hands
        for owner in range(_int(state.stream_seats)):
            if {{ hides }}:
                for card in range(_int(cards.{{ deck.called }}_size)):
                    if state.{{ hand }}_held[owner, card]:
                        hidden[n] = card
%     if checked
                        holder[n] = owner
%     endif
                        n += 1
                        state.{{ hand }}_held[owner, card] = False
%   endfor
        _redraw_order(state, hidden[:n])
%   if checked
        for _ in range(100_000):  # random swaps, none of which misplaces more cards, until each lies where it could be
            wrong = -1
            for i in range(left, n):
                if _misplaced(state, knobs, cards, _int(holder[i]), _int(hidden[i])):
                    wrong = i
                    break
            if wrong < 0:
                break
            other = _redraw_below(state, n)
            now = 1 + _misplaced(state, knobs, cards, _int(holder[other]), _int(hidden[other]))
            then = _misplaced(state, knobs, cards, _int(holder[other]), _int(hidden[wrong]))
            then += _misplaced(state, knobs, cards, _int(holder[wrong]), _int(hidden[other]))
            if then <= now:
                hidden[wrong], hidden[other] = hidden[other], hidden[wrong]
%   endif
        for i in range(left):
            state.{{ deck.called }}_order[i] = hidden[i]
        n = left
%   for hand, hides in hands
        for owner in range(_int(state.stream_seats)):
            if {{ hides }}:
                for _ in range(_int(state.{{ hand }}_counts[owner])):
                    state.{{ hand }}_held[owner, hidden[n]] = True
                    n += 1
%   endfor
% endfor
% for name, field in plan.fields.items() if field.seen_by != "all" and none not in (field.low, field.high)
%   set drawn = "%d + _redraw_below(state, %d)" % (field.low, field.high - field.low + 1)
%   set others = "seat >= 0 and owner != seat and " if field.seen_by == "owner" else ""
%   if field.shape | length == 2
    for owner in range(state.{{ name }}.shape[0]):
        for place in range(state.{{ name }}.shape[1]):
            if {{ others }}state.{{ name }}[owner, place] != {{ field.start }}:
                state.{{ name }}[owner, place] = {{ drawn }}
%   elif field.shape
    for owner in range(state.{{ name }}.size):
        if {{ others }}state.{{ name }}[owner] != {{ field.start }}:
            state.{{ name }}[owner] = {{ drawn }}
%   else
    if state.{{ name }} != {{ field.start }}:
        state.{{ name }} = {{ drawn }}
%   endif
% endfor
% for name, holder in program.parts.items() if "redraw" in holder.methods
    if seat >= 0:
        {{ name }}__redraw(state, knobs, cards, _int(seat))
% endfor
% if "redraw" in methods
    if seat >= 0:
        game__redraw(state, knobs, cards, _int(seat))
% endif
    pass

% if plan.stores_unseen
@kernel
def reshuffle(state, knobs, cards, unseen):
%   if plan.hides_from_all
    if unseen:
        determinize(state, knobs, cards, -1)
%   endif
%   for name, holder in program.parts.items() if "mix_again" in holder.methods
    {{ name }}__mix_again(state, knobs, cards)
%   endfor
%   for deck in plan.decks
    _reshuffle(state, {{ stream(deck) }}, state.{{ deck.called }}_order, _int(state.{{ deck.called }}_mixed),
                _int(cards.{{ deck.called }}_size))
%   endfor
%   for own in plan.own_decks
    for seat in range(_int(state.stream_seats)):
        left = _int(state.{{ own.called }}_left[seat])
        _reshuffle(state, {{ stream(own) }}, state.{{ own.called }}_order[seat], left,
                   _int(cards.{{ own.deck.called }}_size))
%   endfor
    pass
% endif

@kernel
def item_uses(state, knobs, cards, used):
    seats = _int(state.stream_seats)
% for use, number in uses.numbered()
%   set first = uses.firsts[use.items.called]
%   set bits = "_int(1) << (%d * seats + seat)" % number ~ (" | _int(1) << seat" if number else "")
    for item in range({{ "_int(cards.%s_size)" % use.deck if use.part else use.size }}):
        for seat in range(seats):
%   if use.part
            if {{ use.part.called }}__{{ use.part.whose }}(state, knobs, cards, _int(seat), _int(item)):
                used[{{ first }} + _int(cards.{{ use.deck }}_item[item])] |= {{ bits }}
%   else
            if _int(state.used_items[{{ use.offset }} + item]) >> seat & 1:
                used[{{ first }} + item] |= {{ bits }}
%   endif
% endfor

@kernel
def component_values(state, knobs, cards, values):
% for _, call in counts(plan)
    values[{{ loop.index0 }}] = {{ call }}
% endfor
    pass

% if pieces
@kernel
def hex_values(state, knobs, cards, values):
    for region in range(values.shape[1]):
        for seat in range(_int(state.stream_seats)):
            if {{ pieces.called }}__rank(state, knobs, cards, _int(seat), _int(region)) == 1:
                if {{ pieces.called }}__tied(state, knobs, cards, _int(seat), _int(region)) == 1:
                    values[seat, region] = 1
% endif
"""


def hidden_hands(plan: Blueprint, deck: object) -> list[tuple[str, str]]:
    """The hands of a deck's cards that are not open, each with the condition on which a seat's hand is hidden."""
    hands = [part for part in plan.components.values() if isinstance(part, Hand) and part.deck is deck]
    others = "seat >= 0 and owner != seat"
    return [(hand.called, others if hand.seen_by == "owner" else "True") for hand in hands if hand.seen_by != "all"]


def drawn_pieces(plan: Blueprint) -> Pieces | None:
    """The first pieces that lie on a map of hexes."""
    return next((part for part in plan.components.values() if isinstance(part, Pieces) and part.map.hexes), None)


def _stream(part: Component) -> str:
    """A component's random stream, or that of `seat`, in the code of a kernel."""
    of_seat = " + seat * _seat_streams" if part.draws_by_seat else ""
    return f"_int(state.stream_seats) + _stream_{part.called}{of_seat}"


@functools.cache
def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(line_statement_prefix="%", undefined=jinja2.StrictUndefined)
    environment.tests["a_row"] = lambda part: isinstance(part, Row)
    return environment.from_string(_SOURCE)


def source_of_contract(plan: Blueprint, program: Program) -> str:
    """Source of the functions of the contract."""

    def more_of(choice: str) -> str:
        """The further arguments of a decision's `may_` method."""
        return "".join(
            f", _int(state.{name})" for name in MORE[: more_parameters(program.game.methods[f"may_{choice}"])]
        )

    def short(chosen: Choice) -> bool:
        """Whether each option with a name has a test of its own, in which the option is a constant."""
        return chosen.size - chosen.counted <= MOST_TESTS and len(chosen.names) >= chosen.size - chosen.counted

    source: str = _template().render(
        short=short,
        more_of=more_of,
        plan=plan, program=program, methods=program.game.methods, uses=Uses(plan, plan.players[1]), counts=counts,
        offsets=offsets,
        hidden_hands=hidden_hands, pieces=drawn_pieces(plan), stream=_stream,
        line_of=lambda name: program.game.methods[name].__code__.co_firstlineno,
    )  # fmt: skip
    return source
