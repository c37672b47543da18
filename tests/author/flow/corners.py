"""One corner of Python around a question in each method: where a game may stop, plain and compiled play must agree."""

from simlab.author import ALL, Deck, Game, Hand, choice, number, numbers, per_seat

ROOM = 400
SIZES = (3, 1, 2)


def twice(value):
    return 2 * value


class Corners(Game):
    """Asks in every place where Python lets a call stand."""

    players = (2, 4)
    max_turns = 100
    deck = Deck(12)
    hand = Hand(deck)
    notes = numbers(ROOM)
    written = number()
    points = per_seat()
    heap = numbers(6, start=2)
    pick = choice(range(5))
    say_so = choice("no", "yes")
    react = choice("pass", "block", "strike")
    card = choice(deck, "none")
    small = choice(range(9))

    def play(self):
        self.deck.shuffle()
        self.hand.deal(3)
        self.in_an_expression()
        self.before_and_after()
        self.augmented()
        self.augmented_item()
        self.short_circuit_and()
        self.short_circuit_or()
        self.three_conditions()
        self.negated()
        self.conditional_value()
        self.nested_conditional_value()
        self.chained_comparison()
        self.while_asks()
        self.while_with_else()
        self.while_broken()
        self.for_with_else()
        self.for_range_down()
        self.for_range_of_answers()
        self.for_over_field_that_changes()
        self.for_over_hand_that_changes()
        self.for_over_tuple()
        self.for_over_constant()
        self.for_changes_its_counter()
        self.nested_loops()
        self.continue_in_if()
        self.break_out_of_inner_loop()
        self.returns_early(1)
        self.returns_early(0)
        self.note(self.returned_value(2) + self.returned_value(3))
        self.note(self.with_default(1))
        self.note(self.with_default(1, 4))
        self.note(self.with_default(more=3, first=2))
        self.arguments_in_order()
        self.argument_and_field()
        self.tuple_of_answers()
        self.swapped()
        self.as_index()
        self.as_index_left()
        self.in_assert()
        self.texts_compared()
        self.kept_texts()
        self.limited()
        self.reacting()
        self.seat_is_restored()
        self.asked_in_call_of_helper()
        self.deep()
        self.booleans_kept()
        self.locals_live_in_loops()
        self.all_asked()
        self.walrus()
        self.end_in_the_middle()
        self.note(999)
        self.end("finished", ALL)

    def note(self, value):
        self.notes[self.written] = value
        self.written += 1

    def may_small(self, option, most):
        return option <= most

    def may_card(self, option):
        return option == "none" or self.hand.has(self.seat, option)

    def in_an_expression(self):
        self.note(10 * self.ask(self.pick) + 1)

    def before_and_after(self):
        self.points[0] = 5
        value = self.points[0] + self.lowered_points() * 10 + self.points[0]
        self.note(value)

    def lowered_points(self):
        self.points[0] -= 1
        return self.ask(self.pick)

    def augmented(self):
        self.points[1] = 3
        self.points[1] += self.raised_points()
        self.note(self.points[1])

    def raised_points(self):
        self.points[1] += 100
        return self.ask(self.pick)

    def augmented_item(self):
        place = 0
        for _ in range(2):
            self.heap[place + 1] += self.ask(self.pick)
            place += 1
        self.note(self.heap[1] * 10 + self.heap[2])

    def short_circuit_and(self):
        if self.ask(self.pick) > 2 and self.ask(self.pick) > 1:
            self.note(1)
        else:
            self.note(2)

    def short_circuit_or(self):
        value = self.ask(self.say_so) == "yes" or self.ask(self.pick)
        self.note(value * 3)

    def three_conditions(self):
        if self.seat == 0 and self.ask(self.pick) > 1 and (self.points[0] > 90 or self.ask(self.pick) > 2):
            self.note(11)
        self.note(12)

    def negated(self):
        if not self.ask(self.say_so) == "yes":
            self.note(20)
        self.note(-self.ask(self.pick))

    def conditional_value(self):
        value = self.ask(self.pick) if self.ask(self.say_so) == "yes" else -1
        self.note(value)

    def nested_conditional_value(self):
        low = 1 if self.ask(self.pick) < 2 else self.ask(self.pick) if self.ask(self.pick) < 2 else 7
        self.note(low)

    def chained_comparison(self):
        self.note(1 if 0 < self.ask(self.pick) < 3 else 0)

    def while_asks(self):
        total = 0
        while self.ask(self.pick) > 1 and total < 4:
            total += 1
        self.note(total)

    def while_with_else(self):
        tries = 0
        while tries < 2:
            if self.ask(self.pick) == 4:
                break
            tries += 1
        else:
            self.note(77)
        self.note(tries)

    def while_broken(self):
        count = 0
        while True:
            count += 1
            if count == 3 or self.ask(self.say_so) == "yes":
                break
            if count == 2:
                continue
            self.note(30 + count)
        self.note(count)

    def for_with_else(self):
        for step in range(3):
            if self.ask(self.pick) == step:
                self.note(step)
                break
        else:
            self.note(55)

    def for_range_down(self):
        last = 0
        for step in range(4, 0, -2):
            last = 10 * last + step + self.ask(self.pick)
        self.note(last)

    def for_range_of_answers(self):
        first, last = self.ask(self.pick), self.ask(self.pick)
        for step in range(first, last):
            self.note(100 + step + self.ask(self.pick))
            last = 0

    def for_over_field_that_changes(self):
        for value in self.heap:
            self.note(value)
            self.heap[3] = self.ask(self.pick)

    def for_over_hand_that_changes(self):
        for card in self.hand.of(self.seat):
            if self.ask(self.say_so) == "yes":
                self.hand.remove(self.seat, card)
            else:
                self.note(card)
        self.note(self.hand.count(self.seat))

    def for_over_tuple(self):
        for value in (4, self.points[0], 6):
            self.points[0] = 50
            self.note(value + self.ask(self.pick))

    def for_over_constant(self):
        for size in SIZES:
            self.note(size * self.ask(self.pick))

    def for_changes_its_counter(self):
        for step in range(3):
            step += self.ask(self.pick)
            self.note(step)

    def nested_loops(self):
        for row in range(2):
            for column in range(row + 1):
                self.note(10 * row + column + 100 * self.ask(self.pick))

    def continue_in_if(self):
        for step in range(4):
            if step % 2 == 0:
                continue
            self.note(step * 1000 + self.ask(self.pick))

    def break_out_of_inner_loop(self):
        for row in range(2):
            for column in range(3):
                if column > self.ask(self.pick):
                    break
                self.note(column)
            self.note(60 + row)

    def returns_early(self, value):
        if value:
            if self.ask(self.pick) > 2:
                return
            self.note(5)
        for step in range(3):
            if self.ask(self.pick) < step:
                return
        self.note(6)

    def returned_value(self, base):
        if self.ask(self.pick) > 2:
            return base
        return base * 10 + self.ask(self.pick)

    def with_default(self, first, more=2):
        return first + more * self.ask(self.pick)

    def arguments_in_order(self):
        self.note(self.sum_of(self.ask(self.pick), self.counted(), self.ask(self.pick), self.counted()))

    def counted(self):
        self.points[0] += 1
        return self.points[0]

    def sum_of(self, a, b, c, d):
        return a + 10 * b + 100 * c + 1000 * d

    def argument_and_field(self):
        self.points[0] = 1
        self.note(max(self.points[0], self.lowered_points()) + self.points[0])

    def tuple_of_answers(self):
        a, b = self.ask(self.pick), self.ask(self.pick)
        self.note(10 * a + b)

    def swapped(self):
        a, b = 1, self.ask(self.pick)
        a, b = b, a
        self.note(10 * a + b + 100 * self.ask(self.pick))

    def as_index(self):
        self.note(self.heap[self.ask(self.pick)])

    def as_index_left(self):
        place = self.ask(self.pick)
        self.heap[place] = self.ask(self.pick)
        self.note(self.heap[place])

    def in_assert(self):
        assert self.ask(self.pick) < 5

    def texts_compared(self):
        answer = self.ask(self.react)
        other = self.ask(self.say_so)
        if answer == "strike" and other != "no":
            self.note(3)
        elif answer == "block":
            self.note(2)

    def kept_texts(self):
        kind = self.reaction()
        self.note(self.ask(self.pick))
        self.take_note_of(kind)

    def reaction(self):
        return self.ask(self.react) if self.ask(self.say_so) == "yes" else self.ask(self.react)

    def take_note_of(self, kind):
        self.note(1 if kind == "strike" else 2 if kind == "block" else 3)

    def limited(self):
        for most in range(1, 4):
            self.note(self.ask(self.small, self.seat, most))

    def reacting(self):
        self.seat = 1
        for seat in self.others():
            if self.ask(self.react, seat) == "block":
                self.note(seat)
                break
        else:
            self.note(70)
        self.note(self.seat)

    def seat_is_restored(self):
        for self.seat in self.seats:
            self.note(self.ask(self.pick, self.next_seat()) + 10 * self.seat)
        self.seat = 0

    def asked_in_call_of_helper(self):
        self.note(twice(self.ask(self.pick)) + abs(-self.ask(self.pick)))

    def deep(self):
        self.note(self.deeper(1) + self.deeper(2))

    def deeper(self, value):
        return self.deepest(value + 1) * self.ask(self.pick)

    def deepest(self, value):
        total = 0
        for step in range(value):
            total += self.ask(self.pick) * step
        return total

    def booleans_kept(self):
        rich = self.points[0] > 3
        answer = self.ask(self.pick)
        if rich and answer:
            self.note(8)
        self.note(rich + answer)

    def locals_live_in_loops(self):
        before = 0
        for step in range(3):
            now = self.ask(self.pick)
            self.note(10 * before + now + step)
            before = now

    def all_asked(self):
        self.ask_all(self.pick, self.seats, into=self.points)
        self.note(sum(self.points))

    def walrus(self):
        if (answer := self.ask(self.pick)) > 2:
            self.note(answer)
        self.note(answer + self.ask(self.pick))

    def end_in_the_middle(self):
        for step in range(2):
            if self.ask(self.pick) == 4:
                self.note(self.ends(step) + 1)
        self.note(80)

    def ends(self, step):
        if step == 1:
            self.end("early", 0)
        return step
