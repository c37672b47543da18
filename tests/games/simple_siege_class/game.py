"""Simple Siege, by Matthew Hartley: storm the walls or outlast the other side's deck. In the order of its rulebook.

"l." in a rule's place is a line of the rulebook's text, headed by its section; "silent" means that the rulebook says
nothing. Milling: cards go one by one from the top of a player's deck to the top of that player's discard pile.
"""

import numpy as np

from simlab.author import (
    Deck,
    DrawPiles,
    Game,
    Pile,
    Roster,
    Table,
    bot,
    choice,
    flag,
    knob,
    metric,
    number,
    track,
    trait,
    word,
)  # fmt: skip

BESIEGER, BESIEGED = 0, 1
HEARTS, DIAMONDS = 1, 2
PACK = [f"{value}{suit}" for suit in "SHDC" for value in ("A", *range(2, 11))]  # a card is 10 * suit + value - 1
CONTESTS = ("none yet", "Bombard (Walls)", "Bombard (Enemy)", "Assault", "Sally (Siege Equipment)", "Sally (Enemy)")
NO_CONTEST, BOMBARD_WALLS, BOMBARD_ENEMY, ASSAULT, SALLY_EQUIPMENT, SALLY_ENEMY = range(6)
MINE, TOWER, LADDERS, TREBUCHET, CATAPULT, AMMUNITION, CAMP_1, CAMP_2, CAMP_3 = range(9)  # rows of counters.csv


class Siege(Game):
    """Two-player card game: the Besieger storms the walls or outlasts the Besieged's deck."""

    title = "Simple Siege"
    players = 2
    seat_names = ("besieger", "besieged")
    # Deck, values of the Hearts and Diamonds, and one, with ace_value = 11 and resupply_suits = H+D: 171.
    max_turns = 172
    max_decisions = 4_000  # at most about 22 per turn

    counters = Roster("counters.csv", built=flag(), bonus=number(low=0, high=4), price=number(low=0, high=8))
    pack = Table(PACK)
    decks = DrawPiles(pack, aside=5)
    fate = Deck("fate.csv", packs=2)
    turned_up = Pile(fate)

    walls_start = knob(5, 1, 10, "City Walls at the start; must lie between walls_floor and walls_max", unit="points")
    walls_max = knob(10, 6, 12, "highest City Walls; Repair is not possible there", unit="points")
    walls_floor = knob(0, 0, 1, "lowest City Walls; Bombard (Walls) is not possible there", unit="points")
    bombard_penalty = knob(3, 1, 6, "cards the Besieged loses to a successful Bombard (Enemy)", unit="cards")
    sally_penalty = knob(3, 1, 6, "cards the Besieger loses to a successful Sally (Enemy)", unit="cards")
    wall_damage = knob(1, 1, 3, "City Walls lost to a successful Bombard (Walls)", unit="points")
    repair_cost = knob(2, 1, 4, "price of Repair and Strengthen the Walls", unit="cards")
    repair_gain = knob(1, 1, 2, "City Walls gained by a Repair", unit="points")
    assault_entry_cost = knob(1, 0, 3, "cards the Besieger discards to begin an Assault", unit="cards")
    assault_fail_cost = knob(1, 0, 4, "further cards the Besieger discards when an Assault fails", unit="cards")
    assault_max_cards = knob(3, 1, 5, "most cards that either side can throw into an Assault", unit="cards")
    fate_reset_count = knob(3, 2, 6, "Fate cards of one colour that trigger the reshuffle", unit="cards")
    fate_jokers = knob(True, "whether the Jokers are in the Fate deck", switch=False)
    max_rank = knob(10, 6, 10, "highest number card; each deck holds four times this many cards", unit="cards per suit")
    resupply_suits = knob(
        "H", ("H", "H+D"), "suits that trigger Resupply and Rationing: Hearts, or Hearts and Diamonds"
    )

    # Siege Equipment: the modifiers (0 takes a counter out of the game), and the price list, which is read only under
    # equipment_cost_model = table.
    mod_mine = knob(counters.cell("mine", "modifier"), 0, 4, "strength of the Mine", unit="points")
    mod_tower = knob(counters.cell("tower", "modifier"), 0, 4, "strength of the Siege Tower", unit="points")
    mod_ladders = knob(counters.cell("ladders", "modifier"), 0, 4, "strength of the Ladders", unit="points")
    mod_trebuchet = knob(counters.cell("trebuchet", "modifier"), 0, 4, "strength of the Trebuchet", unit="points")
    mod_catapult = knob(counters.cell("catapult", "modifier"), 0, 4, "strength of the Catapult", unit="points")
    mod_ammunition = knob(counters.cell("ammunition", "modifier"), 0, 2, "strength of Ample Ammunition", unit="points")
    mod_camp1 = knob(counters.cell("camp1", "modifier"), 0, 4, "strength of Camp Defences I", unit="points")
    mod_camp2 = knob(counters.cell("camp2", "modifier"), 0, 4, "strength of Camp Defences II", unit="points")
    mod_camp3 = knob(counters.cell("camp3", "modifier"), 0, 2, "strength of Camp Defences III", unit="points")
    cost_mine = knob(counters.cell("mine", "cost"), 1, 6, "Mine: price in the price list", unit="cards")
    cost_tower = knob(counters.cell("tower", "cost"), 1, 6, "Siege Tower: price in the price list", unit="cards")
    cost_ladders = knob(counters.cell("ladders", "cost"), 1, 6, "Ladders: price in the price list", unit="cards")
    cost_trebuchet = knob(counters.cell("trebuchet", "cost"), 1, 6, "Trebuchet: price in the price list", unit="cards")
    cost_catapult = knob(counters.cell("catapult", "cost"), 1, 6, "Catapult: price in the price list", unit="cards")
    cost_ammunition = knob(
        counters.cell("ammunition", "cost"), 1, 6, "Ample Ammunition: price in the price list", unit="cards"
    )
    cost_camp1 = knob(counters.cell("camp1", "cost"), 1, 6, "Camp Defences I: price in the price list", unit="cards")
    cost_camp2 = knob(counters.cell("camp2", "cost"), 1, 6, "Camp Defences II: price in the price list", unit="cards")
    cost_camp3 = knob(counters.cell("camp3", "cost"), 1, 6, "Camp Defences III: price in the price list", unit="cards")

    # How an open point of the rulebook is read.
    ace_value = knob("1", ("1", "11"), "value of an Ace", unit="points", switch=True)
    fate_sets = knob(
        "1",
        ("1", "2"),
        "packs whose court cards and Jokers form the Fate deck (14 cards each)",
        unit="packs",
        switch=True,
    )
    forced_discard_shortfall = knob(
        "lose", ("lose", "discard_what_is_left"),
        "whether a deck that cannot cover a penalty or a Fate court card loses, or is just emptied", switch=True,
    )  # fmt: skip
    static_defence_when_declining = knob(
        True, "whether City Walls and Camp Defences count for a defender who draws no card"
    )
    equipment_cost_model = knob(
        "modifier", ("modifier", "modifier_plus_1", "double", "table"),
        "price of a counter: its modifier, one more, twice as much, or the cost_ knobs", switch=True,
    )  # fmt: skip
    plan_short_deck = knob(
        "partial", ("partial", "lose"),
        "whether a Plan with too few cards left shows those cards or loses the game", switch=True,
    )  # fmt: skip
    resupply_reading = knob(
        "count", ("count", "window"),
        "whether a Heart of value V brings back V black cards, or those among the V cards below it", switch=True,
    )  # fmt: skip
    joker_exhaust = knob(
        "lose", ("lose", "stop"),
        "whether a player without a card of the Joker's colour loses the game, or just empties the deck", switch=True,
    )  # fmt: skip
    plan_mode = knob(
        "full", ("full", "menu"),
        "how a player orders planned cards: one place at a time, or by one of five preset orders", switch=True,
    )  # fmt: skip

    besieger_action = choice(
        counters, "Besiege", "Plan", "Bombard (Walls)", "Bombard (Enemy)", "Assault", "Resupply"
    )  # fmt: skip
    besieged_action = choice(
        "Besieged", "Repair and Strengthen", "Plan", "Sally (Siege Equipment)", "Sally (Enemy)", "Rationing"
    )  # fmt: skip
    assault_size = choice(range(1, 6), continues=["besieger_action"])
    defence = choice(range(6))
    destroy = choice(counters, continues=["besieged_action"])
    plan_pick = choice(range(11), secret=True, continues=["plan_pick"])
    plan_order = choice(
        "keep the order", "ascending", "descending", "storm stack", "Hearts first",
        secret=True,
    )  # fmt: skip

    walls = number(low=0, high=12, track="City Walls")
    contest_kind = number(names=CONTESTS, low=0, high=5, help="the contest that is, or was last, fought")
    red_seen = number(low=0, high=80, help="red Fate cards since the last shuffle")
    black_seen = number(low=0, high=80, help="black Fate cards since the last shuffle")
    dearest = number(low=0, high=8, shown=False)
    planned = number(low=0, high=40, shown=False)
    placed = number(low=0, high=40, shown=False)
    # At most one action per side and turn, so none of these exceeds the turns.
    assaults = number(low=0, high=172, metric="Assaults begun")
    bombards_won = number(low=0, high=172, metric="Bombards that succeeded, walls and enemy")
    sallies_won = number(low=0, high=172, metric="Sallies that succeeded, equipment and enemy")
    constructed = number(low=0, high=172, metric="counters built")
    destroyed = number(low=0, high=172, metric="counters destroyed")
    repairs = number(low=0, high=172, metric="Repairs of the walls")
    recovered = number(low=0, high=344, metric="cards put back by Resupply and Rationing", unit="cards")
    ended_by_fate = number(
        low=0, high=2, names=("none", "court_card", "joker"), metric="what of Fate demanded a card that was not there"
    )

    @metric("walls at the end", low=0, high=12, unit="points")
    def walls_end(self):
        return self.walls

    @metric("cards left in the deck", low=0, high=40, unit="cards")
    @track("cards in the deck", low=0, high=40, lead=True)
    def cards(self, seat):
        return self.decks.left[seat]

    @track("Siege Equipment counters in play", low=0, high=9)
    def counters_built(self):
        return self.counters.built.count(True)

    def check_knobs(self):
        """SS-WAL-02: the walls start between floor and cap."""
        if self.walls_floor <= self.walls_start <= self.walls_max:
            return None
        return (
            f"walls_start = {self.walls_start} must lie between walls_floor = {self.walls_floor} and "
            f"walls_max = {self.walls_max} (SS-WAL-02)."
        )

    # --- Set-up ---------------------------------------------------------------

    def play(self):
        self.set_up()
        while True:
            """SS-TRN-01 (exact, l.41-44): A turn has three phases, in this order: the Besieger acts, the Besieged acts,
            a Fate card is resolved. Turn follows turn until a side has won."""
            self.besieger_acts()
            self.besieged_acts()
            self.turn_fate()
            """SS-TRN-06 (ruling, silent): Ruled for the lab's statistics: the first turn has number 1, the number rises
            by one after Fate, and the length of a game is the number of its last turn."""
            self.turn += 1

    def prepare(self):
        for side in self.seats:
            for suit in range(4):
                for value in range(self.max_rank):
                    self.decks.add(side, 10 * suit + value)
        self.fate.left = 0
        for card in range(self.fate.size // (1 if self.fate_sets == "2" else 2)):
            if self.fate_jokers or self.fate.joker[card] == "no":
                self.fate.put(card)
        knobs = vars(self)
        for counter, name in enumerate(self.counters.labels):
            bonus = knobs[f"mod_{name}"]
            prices = {"modifier": bonus, "modifier_plus_1": bonus + 1, "double": 2 * bonus}
            self.counters.bonus[counter] = bonus
            self.counters.price[counter] = max(prices.get(self.equipment_cost_model, knobs[f"cost_{name}"]), 1)
        self.dearest = max(self.counters.price)
        self.walls = self.walls_start

    def set_up(self):
        """SS-SET-01 (exact, l.14): There are two different sides, Besieger and Besieged, chosen before play. In the lab
        each side is a seat: the Besieger is seat 0, the Besieged seat 1.
        SS-SET-04 (ruling, l.16; fate_sets, fate_jokers): Fate is a shuffled face-down deck of 14: the six red courts,
        the six black courts and both Jokers of a single pack. The printed sentence lacks a word. Ruled: it means the
        set of one pack. With the switch, the sets of both packs are used, 28 cards.
        SS-SET-06 (exact, l.17): The game opens with all nine Siege Equipment counters in the stack and none built.
        SS-SET-07 (exact, l.18; walls_start): The City Walls start at 5.
        SS-SET-08 (ruling, l.57, l.68): The rulebook does not print who owns the discard pile and who may see it. Ruled:
        each side has a pile for cards of its own deck only, face up and in order, which both sides may see at any time;
        Fate has a third pile.
        SS-SET-09 (exact, silent): No hand is dealt, and between actions neither side holds a card."""
        for side in self.seats:
            """SS-SET-02 (exact, l.15; max_rank): Each side shuffles the 40 number cards (A to 10, four suits) of its
            own pack, without courts and Jokers, and lays them face down as its deck."""
            self.decks.shuffle(side)
        if self.fate_sets == "1":
            """SS-SET-05 (ruling, l.16; fate_sets): Courts and Jokers that are not in the Fate deck are not used. Ruled:
            this follows from SS-SET-04, and does not apply if the switch puts both sets into Fate."""
        self.fate.shuffle()

    # --- Decks ----------------------------------------------------------------

    def value(self, card):
        if card % 10 == 0:
            """SS-SET-03 (ruling, silent; ace_value): The rulebook gives the Ace no value. Ruled: it is 1. With the
            switch it is 11, as in many card games."""
            return 11 if self.ace_value == "11" else 1
        return card % 10 + 1

    def discard_top(self, side):
        """The top card of a side's deck goes to its pile; returns the card."""
        if self.decks.left[side] == 0:
            """SS-DCK-02 (ruling, l.22, l.24; forced_discard_shortfall): A side that must take a card from its empty
            deck loses at once, whether the card is a price, the action itself, a penalty or required by Fate. The
            printed line mentions drawing only. Ruled: it holds for discarding too. With the switch, penalties
            (including a failed Assault's extra discard) and court cards of Fate stop harmlessly at the empty deck. A
            side that cannot pay a fixed price or has no card to act with still loses, and Jokers follow only
            SS-FAT-06."""
            if self.decks.piled[side] > 0:
                """SS-DCK-06 (exact, silent): An exhausted deck is not renewed from its pile: cards return only by
                Resupply or Rationing."""
            self.lose(side)
        card = self.decks.draw(side)
        self.note_draw(side)
        self.decks.discard(side, card)
        return card

    def is_red(self, card):
        return card // 10 == HEARTS or card // 10 == DIAMONDS

    def note_draw(self, side):
        """SS-DCK-01 (exact, l.48-57, l.61-68): A deck keeps its order. Drawing and discarding both take the top card;
        Plan puts cards back on top, Resupply and Rationing put them underneath everything."""
        if self.decks.left[side] == 0:
            """SS-DCK-04 (exact, l.22, l.24): A side without cards has not lost yet; it loses when it must take another
            card."""

    def pay(self, side, cards):
        for _ in range(cards):
            self.discard_top(side)

    def suffer(self, side, cards):
        if cards > 1:
            """SS-DCK-03 (ruling, l.54, l.67): Ruled: a loss of several cards is taken card by card, so cards already on
            the pile when the deck runs out stay there."""
        for _ in range(cards):
            if self.decks.left[side] == 0 and self.forced_discard_shortfall == "discard_what_is_left":
                return
            self.discard_top(side)

    # --- 1. The Besieger's action ---------------------------------------------

    def besieger_acts(self):
        left = self.decks.left[BESIEGER]
        if left == 0:
            """SS-TRN-04 (ruling, l.22, l.24, l.46, l.59): Ruled, as SS-TRN-02 and SS-DCK-02 imply: a side whose deck is
            empty when it has to act has no legal action and loses at once."""
            self.discard_top(BESIEGER)
        if left <= self.assault_entry_cost or (left < self.dearest and self.is_too_dear(left)):
            """SS-TRN-03 (ruling, silent; assault_entry_cost, repair_cost, equipment_cost_model): Ruled: an action is
            offered only to a deck that covers its fixed price. That is the entry cost plus one card for Assault (2),
            the repair cost for Repair (2), the counter's price for Construct, and 1 card for everything else; the extra
            loss of a failed Assault is no part of it."""
        if self.walls <= self.walls_floor:
            """SS-WAL-02 (ruling, l.12; walls_max, walls_floor, walls_start, wall_damage, repair_gain): The counter's
            numbers end at 10, which is ruled to be the highest wall; the lowest is ruled to be 0. Repair is not allowed
            at the top, nor Bombard (Walls) at the bottom; a step that would go too far is shortened, and the action
            remains allowed. `walls_floor` sets the floor (0 or 1) and `walls_max` the top; the start must lie between
            the two."""
        if self.walls == 0:
            """SS-WAL-03 (exact, silent): The Besieged plays on when the Walls are at 0."""
        action = self.ask(self.besieger_action, BESIEGER)
        """SS-TRN-02 (exact, l.46, l.59): In its phase a side takes exactly one action from its list; it cannot pass."""
        if action == "Besiege":
            """SS-BGR-01 (exact, l.48): Besiege: the Besieger mills one card, and that is all."""
            self.discard_top(BESIEGER)
        elif action == "Plan":
            """SS-BGR-03 (exact, l.50): Plan: the Besieger looks ahead in the deck by SS-PLN-01 to SS-PLN-05."""
            self.plan(BESIEGER)
        elif action == "Bombard (Walls)":
            """SS-BGR-04 (exact, l.51-52; wall_damage, walls_floor): Bombard (Walls): a contest of one card with the
            bombard counters, met by the City Walls and up to one card; a success takes 1 off the Walls. Barred when
            they are at their floor."""
            if self.contest(BOMBARD_WALLS, BESIEGER, 1, 1):
                self.bombards_won += 1
                if self.walls - self.wall_damage < self.walls_floor:
                    self.rule("SS-WAL-02")
                self.walls = max(self.walls - self.wall_damage, self.walls_floor)
            self.lay_down()
        elif action == "Bombard (Enemy)":
            """SS-BGR-05 (exact, l.53-54; bombard_penalty): Bombard (Enemy): fought like Bombard (Walls); a success
            makes the Besieged mill 3 cards."""
            if self.contest(BOMBARD_ENEMY, BESIEGER, 1, 1):
                self.bombards_won += 1
                self.suffer(BESIEGED, self.bombard_penalty)
            self.lay_down()
        elif action == "Assault":
            self.assault()
        elif action == "Resupply":
            """SS-BGR-11 (exact, l.57): Resupply: the Besieger tries to win back black cards by SS-RES-01 to
            SS-RES-06."""
            self.resupply(BESIEGER)
        else:
            self.construct(action)

    def is_too_dear(self, left):
        """Whether a counter in the stack costs more than the deck holds."""
        return any(self.is_in_stack(counter) and self.counters.price[counter] > left for counter in range(9))

    def is_in_stack(self, counter):
        return not self.counters.built[counter] and self.counters.bonus[counter] > 0

    def may_besieger_action(self, option):
        left = self.decks.left[BESIEGER]
        if option == "Bombard (Walls)":
            return self.walls > self.walls_floor
        if option == "Assault":
            return left > self.assault_entry_cost
        if option < 9:
            in_stack = self.is_in_stack(option) and self.counters.price[option] <= left
            return in_stack and not self.is_like_one_below(option, False)
        return True

    def is_like_one_below(self, counter, built):
        """Whether an earlier Camp Defence is as good; of those that are alike only the first is offered."""
        if counter < CAMP_1:
            return False
        return any(
            self.counters.built[other] == built
            and self.counters.bonus[other] == self.counters.bonus[counter]
            and self.counters.price[other] == self.counters.price[counter]
            for other in range(CAMP_1, counter)
        )

    def construct(self, counter):
        """SS-BGR-02 (exact, l.49): Construct Siege Equipment: the Besieger buys a counter by SS-EQP-01 to SS-EQP-10.
        SS-EQP-01 (exact, l.49; cost_mine, cost_tower, cost_ladders, cost_trebuchet, cost_catapult, cost_ammunition,
        cost_camp1, cost_camp2, cost_camp3): To Construct, the Besieger names a counter in the stack, mills as many
        cards as it costs, and has it built.
        SS-EQP-02 (ruling, l.28-37, l.49; equipment_cost_model, cost_mine, cost_tower, cost_ladders, cost_trebuchet,
        cost_catapult, cost_ammunition, cost_camp1, cost_camp2, cost_camp3, mod_mine, mod_tower, mod_ladders,
        mod_trebuchet, mod_catapult, mod_ammunition, mod_camp1, mod_camp2, mod_camp3): The rulebook says that a counter
        costs its value, and its modifier is its only value. Ruled: price and modifier are the same number, whatever the
        modifier is set to. With the switch, the price is the modifier plus 1, twice the modifier, or taken from a
        separate price list (the cost knobs, which are read only then). The lowest price is 1.
        SS-EQP-06 (exact, l.38): There is one of each counter, and a built counter cannot be bought again.
        SS-EQP-09 (exact, l.49): Each Construct action adds a single counter."""
        if counter == MINE or counter == AMMUNITION or counter == CAMP_3:
            """SS-EQP-03 (ruling, l.29, l.34, l.37; mod_mine, mod_ammunition, mod_camp3, mod_tower, mod_ladders,
            mod_trebuchet, mod_catapult, mod_camp1, mod_camp2): Three cells of the printed list are blank. Ruled: the
            Mine gives 3 to an Assault, Ample Ammunition 1 to a Bombard, the last Camp Defences 1 against a Sally. The
            modifier knobs set other values; a counter whose modifier is 0 cannot be bought."""
        self.pay(BESIEGER, self.counters.price[counter])
        if self.decks.left[BESIEGER] == 0:
            """SS-EQP-10 (ruling, silent): Ruled, as SS-DCK-04 implies: the Besieger may pay for a counter with the last
            cards of the deck, and does not lose by doing so."""
        self.counters.built[counter] = True
        self.constructed += 1

    def assault(self):
        """SS-BGR-06 (exact, l.56; assault_entry_cost): An Assault begins with the Besieger milling one card, open to
        all, as its entry cost."""
        self.assaults += 1
        self.pay(BESIEGER, self.assault_entry_cost)
        thrown = self.ask(self.assault_size, BESIEGER)
        """SS-BGR-07 (ruling, l.56; assault_max_cards): Then the Besieger chooses 1, 2 or 3 attacking cards, if the deck
        holds them. Ruled: this choice is made after the entry card has been seen; no switch moves it forward.
        SS-BGR-08 (exact, l.56; assault_max_cards): The Assault is a contest of those cards with the assault counters,
        met by the City Walls and none to three cards of the Besieged."""
        if self.contest(ASSAULT, BESIEGER, thrown, self.assault_max_cards):
            """SS-BGR-09 (exact, l.21, l.56): If the Assault succeeds, the city is taken and the Besieger wins
            (SS-END-01).
            SS-END-01 (exact, l.21): Ending `assault`: an Assault succeeds, and the Besieger wins.
            SS-TRN-05 (ruling, l.19-24): Ruled: play stops as soon as one side has won; the rest of that action, phase
            and turn is skipped."""
            self.end("assault", BESIEGER)
        """SS-BGR-10 (ruling, l.56; assault_fail_cost, forced_discard_shortfall): If it fails the Besieged is untouched
        and the Besieger mills one more card before the cards of the contest go to the piles. The discard is printed.
        Ruled: the Besieger loses if the deck is empty at this point, unless the switch of SS-DCK-02 cancels the
        discard."""
        self.suffer(BESIEGER, self.assault_fail_cost)
        self.lay_down()

    def may_assault_size(self, option):
        return option <= self.assault_max_cards and option <= self.decks.left[BESIEGER]

    # --- Contests: Bombard, Assault and Sally ---------------------------------

    def contest(self, kind, attacker, cards, most):
        """SS-CON-01 (exact, l.52-56, l.64-67; assault_max_cards): First the attacker is obliged to lay out n cards off
        the top of the deck, unseen: one in a Bombard or Sally, one, two or three in an Assault."""
        self.contest_kind = kind
        defender = 1 - attacker
        self.lay_aside(attacker, cards)
        if self.decks.left[defender] < most:
            """SS-DCK-05 (ruling, l.52-56, l.65, l.67): The defender of a contest draws by choice. Ruled: this draw
            never exceeds the deck and never loses the game; a defender without cards draws none."""
        drawn = self.ask(self.defence, defender, most)
        """SS-CON-02 (exact, l.52-56, l.64-67; assault_max_cards): Next the defender names a number m and lays out that
        many cards, also unseen: 0 or 1 in a Bombard or Sally, 0 to 3 in an Assault, and no more than the deck holds.
        SS-CON-03 (ruling, l.52-56, l.65, l.67): Ruled: m is named once, before any card is revealed. The defender knows
        n and all public information, but no face-down card except own cards known from a Plan. Drawing and looking card
        by card would contradict the simultaneous reveal, so no switch offers it."""
        self.lay_aside(defender, drawn)
        self.decks.reveal()
        attack = self.laid_out(attacker) + self.strength(kind, attacker)
        defence = self.laid_out(defender)
        if drawn > 0 or self.static_defence_when_declining:
            static = self.walls if defender == BESIEGED else self.strength(kind, defender)
            defence += static
            if static > 0 and defender == BESIEGED:
                """SS-WAL-01 (exact, l.52, l.54, l.56): Against Bombard (Walls), Bombard (Enemy) and Assault the City
                Walls count for the Besieged with their present value."""
            if static > 0 and drawn == 0:
                """SS-CON-05 (ruling, l.52-56, l.65, l.67; static_defence_when_declining): The defender scores the
                values laid out and a static strength: the City Walls for the Besieged, the built Camp Defences for the
                Besieger. Ruled: the static strength counts even if no card is drawn. With the switch it counts only if
                a card is drawn, so a defender who declines scores 0."""
        """SS-CON-04 (exact, l.52-56, l.64-67): The attacker scores the values laid out and, as Besieger, the built
        modifiers of the matching group; in a Sally only the cards count."""
        self.say(f"{CONTESTS[kind]}, {attack} against {defence}: {'success' if attack > defence else 'no effect'}")
        if attack == defence:
            """SS-CON-06 (exact, l.52-56, l.65, l.67): The attacker has to score more than the defender; equal scores
            fail."""
        return attack > defence

    def may_defence(self, option, most):
        return option <= most and option <= self.decks.left[self.seat]

    def lay_aside(self, side, cards):
        for _ in range(cards):
            self.decks.lay_aside(side)
            self.note_draw(side)

    def laid_out(self, side):
        return sum(self.value(self.decks.laid[side, place]) for place in range(self.decks.aside[side]))

    def strength(self, kind, side):
        """The modifiers of the counters in play that count for a side in a contest."""
        if side == BESIEGED:
            return 0
        first = 0 if kind == ASSAULT else 3 if kind <= BOMBARD_ENEMY else 6
        total = 0
        number = 0
        for counter in range(first, first + 3):
            if self.counters.built[counter]:
                total += self.counters.bonus[counter]
                number += 1
        if number > 0:
            """SS-EQP-04 (ruling, l.27, l.29-37; mod_mine, mod_tower, mod_ladders, mod_trebuchet, mod_catapult,
            mod_ammunition, mod_camp1, mod_camp2, mod_camp3): A counter helps in one kind of contest: Mine, Siege Tower
            and Ladders in an Assault; Trebuchet, Catapult and Ample Ammunition in either Bombard; the Camp Defences the
            Besieger who meets a Sally. This is printed for six counters and ruled for the three blank ones; the
            Ammunition works without an engine.
            SS-EQP-08 (exact, l.39): Counters do not wear out: only a Sally removes them."""
        if number > 1:
            """SS-EQP-05 (exact, l.52; mod_mine, mod_tower, mod_ladders, mod_trebuchet, mod_catapult, mod_ammunition,
            mod_camp1, mod_camp2, mod_camp3): The modifiers of the built counters of one group are added up."""
        return total

    def lay_down(self):
        """SS-CON-07 (exact, l.52-56, l.65, l.67): Whatever the result, every card laid out ends on the pile of the side
        it came from, at the time given by SS-DCK-07.
        SS-DCK-07 (ruling, l.52, l.54, l.56, l.65, l.67): Ruled from the order of the printed sentences: cards drawn in
        a contest stay apart, outside the pile, until its result is carried out; only then does each side put its own
        cards on its pile in the order drawn, the last one on top."""
        self.decks.put_away(BESIEGER)
        self.decks.put_away(BESIEGED)

    # --- 2. The Besieged's action ---------------------------------------------

    def besieged_acts(self):
        if self.decks.left[BESIEGED] == 0:
            self.rule("SS-TRN-04")
            self.discard_top(BESIEGED)
        if self.walls >= self.walls_max:
            self.rule("SS-WAL-02")
        elif self.decks.left[BESIEGED] < self.repair_cost:
            self.rule("SS-TRN-03")
        action = self.ask(self.besieged_action, BESIEGED)
        self.rule("SS-TRN-02")
        if action == "Besieged":
            """SS-BGD-01 (exact, l.61): Besieged, the waiting action: the Besieged mills one card and nothing more
            happens."""
            self.discard_top(BESIEGED)
        elif action == "Repair and Strengthen":
            self.repair()
        elif action == "Plan":
            """SS-BGD-03 (exact, l.63): Plan: the Besieged looks ahead in the deck by SS-PLN-01 to SS-PLN-05."""
            self.plan(BESIEGED)
        elif action == "Sally (Siege Equipment)":
            """SS-BGD-04 (ruling, l.64-65): Sally (Siege Equipment): the Besieged attacks with one card and no modifier
            against the Camp Defences and up to one card; a success sends a built counter, picked by the Besieged, back
            to the stack. Ruled: the action needs a built counter as its target; no switch allows it without one."""
            if self.sally(SALLY_EQUIPMENT):
                counter = self.ask(self.destroy, BESIEGED)
                """SS-BGD-05 (ruling, l.65): The target may be any built counter, including Camp Defences. Ruled: it is
                picked after the cards are revealed, not before; there is no switch.
                SS-EQP-07 (exact, l.38): A destroyed counter returns to the stack and can be bought again at the same
                price, any number of times."""
                self.counters.built[counter] = False
                self.destroyed += 1
            self.lay_down()
        elif action == "Sally (Enemy)":
            """SS-BGD-06 (exact, l.66-67; sally_penalty): Sally (Enemy): fought like Sally (Siege Equipment); a success
            makes the Besieger mill 3 cards."""
            if self.sally(SALLY_ENEMY):
                self.suffer(BESIEGER, self.sally_penalty)
            self.lay_down()
        else:
            """SS-BGD-07 (exact, l.68): Rationing and Cat, Dog and Rat Soup: the Besieged's counterpart of Resupply, by
            SS-RES-01 to SS-RES-06 with its own deck and pile."""
            self.resupply(BESIEGED)

    def may_besieged_action(self, option):
        if option == "Repair and Strengthen":
            return self.walls < self.walls_max and self.decks.left[BESIEGED] >= self.repair_cost
        if option == "Sally (Siege Equipment)":
            return any(self.counters.built)
        return True

    def repair(self):
        """SS-BGD-02 (exact, l.62; repair_cost, repair_gain, walls_max): Repair and Strengthen the Walls: the Besieged
        mills 2 cards and the Walls gain 1, even above their starting value. The action needs Walls below their maximum
        and a deck of 2 or more."""
        self.pay(BESIEGED, self.repair_cost)
        self.repairs += 1
        if self.walls + self.repair_gain > self.walls_max:
            self.rule("SS-WAL-02")
        self.walls = min(self.walls + self.repair_gain, self.walls_max)

    def sally(self, kind):
        """SS-BGD-08 (exact, l.64-67): In both Sallies the Besieged attacks and the Besieger defends, and may decline;
        the Besieger wins ties, and the Walls do not count."""
        if self.contest(kind, BESIEGED, 1, 1):
            self.sallies_won += 1
            return True
        return False

    def may_destroy(self, option):
        return self.counters.built[option] and not self.is_like_one_below(option, True)

    # --- Plan -----------------------------------------------------------------

    def plan(self, side):
        """SS-PLN-01 (exact, l.50, l.63): The planner mills one card; its value V is the number of cards to look at."""
        value = self.value(self.discard_top(side))
        left = self.decks.left[side]
        if value > left and self.plan_short_deck == "lose":
            self.rule("SS-DCK-02")
            self.lose(side)
        """SS-PLN-02 (ruling, l.50, l.63; plan_short_deck, plan_mode): The planner looks at the V cards now on top and
        puts them back in any order. Ruled: with fewer than V cards in the deck, the planner looks at all of them and
        loses nothing. With the switch, a deck that is too short loses the game, as if a card could not be drawn."""
        self.planned = min(value, left)
        self.placed = 0
        self.decks.look(side, self.planned)
        if self.planned > 0:
            """SS-PLN-03 (ruling, silent): Ruled: only the planner sees these cards; the other side learns V and how
            many cards were looked at.
            SS-PLN-04 (ruling, silent): Ruled for the bots: the planner continues to know the top of the deck. A Plan
            sets the known length to k, the number of cards looked at, or to the rest of an earlier known length after
            the milled card, if that is more. Each card that leaves the top lowers it by 1, down to 0. Both sides know
            the length, and only the planner knows the order. Places that could be inferred in other ways do not
            count."""
        if self.planned < 2:
            """SS-PLN-05 (ruling, l.50, l.63; ace_value): Ruled as a consequence: an Ace that counts 1 shows a single
            card, and with one card or none there is nothing to order. A side may spend its last card on a Plan, which
            leaves it without a deck."""
        elif self.plan_mode == "menu":
            order = self.ask(self.plan_order, side)
            if order != "keep the order":
                self.put_in_order(side, order)
        else:
            while self.placed < self.planned - 1:
                pick = self.ask(self.plan_pick, side)
                self.decks.raise_card(side, self.placed + pick, self.placed)
                self.placed += 1

    def may_plan_pick(self, option):
        return option < self.planned - self.placed

    def put_in_order(self, side, order):
        """One of the ready-made orders; cards of equal value keep their present order."""
        while self.placed < self.planned - 1:
            best = self.placed
            for place in range(self.placed + 1, self.planned):
                if self.rank(side, place, order) > self.rank(side, best, order):
                    best = place
            self.decks.raise_card(side, best, self.placed)
            self.placed += 1

    def rank(self, side, place, order):
        """How early a card comes in a ready-made order; the storm stack pays the entry with its lowest card."""
        card = self.decks.top(side, place)
        value = self.worth(card)
        if order == "ascending":
            return -value
        if order == "descending":
            return value
        if order == "storm stack":
            return value if 1 <= self.placed <= 3 else -value
        return 100 + value if card // 10 == HEARTS else -value

    def worth(self, card):
        """The value of a card, as a player reckons with it."""
        return 11 if card % 10 == 0 and self.ace_value == "11" else card % 10 + 1

    # --- Resupply and Rationing -----------------------------------------------

    def resupply(self, side):
        """SS-RES-01 (exact, l.57, l.68; resupply_suits): The side mills one card. If it is not a Heart, nothing
        follows; a Diamond does not count."""
        card = self.discard_top(side)
        suit = card // 10
        if suit == HEARTS or (suit == DIAMONDS and self.resupply_suits == "H+D"):
            """SS-RES-03 (exact, l.57, l.68): The Heart, which is red, remains in the pile with all cards that were not
            brought back, in the same order.
            SS-RES-06 (exact, l.57, l.68; resupply_suits): A Heart never leaves the pile again (SS-RES-03), so each of a
            side's ten Hearts works at most once per game; if red cards of both suits work, the same holds for all
            twenty."""
            self.recover(side, self.value(card))

    def recover(self, side, value):
        """SS-RES-02 (ruling, l.57, l.68; resupply_reading): A Heart of value V brings back up to V black cards. Ruled:
        its owner searches the pile from the top, leaves red cards in place, and stops at the V-th black card or at the
        end of the pile. With the switch, only the V cards beneath the Heart are searched."""
        trigger = self.decks.piled[side] - 1
        last = max(trigger - value, 0) if self.resupply_reading == "window" else 0
        taken = 0
        place = trigger - 1
        while place >= last and taken < value:
            if not self.is_red(self.decks.pile[side, place]):
                self.decks.put_under(side, self.decks.recover(side, place))
                taken += 1
            place -= 1
        if trigger < value or (taken < value and self.resupply_reading == "count"):
            """SS-RES-05 (ruling, silent): Ruled: a pile with too few black cards gives those that it has, perhaps none.
            Nobody loses because of it, since only an empty deck loses."""
        if taken > 0:
            """SS-RES-04 (exact, l.57, l.68): The cards brought back are shuffled and put under their owner's deck."""
            self.decks.mix_under(side, taken)
        self.recovered += taken

    # --- 3. Fate --------------------------------------------------------------

    def turn_fate(self):
        """SS-FAT-01 (exact, l.70): When the Besieged has acted, the Fate deck's top card is revealed and put on Fate's
        own pile."""
        if self.decks.left[BESIEGER] == 0 or self.decks.left[BESIEGED] == 0:
            """SS-FAT-10 (exact, l.70): Every turn has its Fate card, however few cards the decks hold."""
        card = self.fate.draw()
        self.turned_up.add(card)
        self.say(f"Fate: {self.fate.name[card]}")
        if self.fate.colour[card] == "red":
            self.red_seen += 1
        else:
            self.black_seen += 1
        self.ended_by_fate = 1
        if self.fate.joker[card] == "yes":
            """SS-FAT-07 (ruling, l.75): Ruled: a Joker is a Fate card of its colour, so it is counted with the courts
            of that colour towards the reshuffle."""
            self.ended_by_fate = 2
        self.carry_out(self.fate.effect[card])
        self.ended_by_fate = 0
        if max(self.red_seen, self.black_seen) >= self.fate_reset_count or self.fate.left == 0:
            """SS-FAT-08 (ruling, l.75; fate_reset_count): With the third red or the third black Fate card since the
            last shuffle, Fate's whole pile is shuffled into its deck and both counts restart at 0. Ruled: the card's
            effect is carried out first.
            SS-FAT-09 (exact, l.75; fate_reset_count, fate_sets, fate_jokers): It follows that Fate is reshuffled after
            three, four or five cards, and at least nine of its fourteen are always face down."""
            self.turned_up.return_to_deck()
            self.fate.shuffle()
            self.red_seen = 0
            self.black_seen = 0

    @word
    def mill(self, seat, cards):
        if seat == BESIEGED:
            """SS-FAT-02 (exact, l.71): A red court makes the Besieged mill one card."""
        else:
            """SS-FAT-03 (exact, l.72): A black court makes the Besieger mill one card."""
        self.suffer(seat, cards)

    @word(colour=("red", "black"))
    def mill_until(self, seat, colour):
        if seat == BESIEGED:
            """SS-FAT-04 (exact, l.73; fate_jokers): The red Joker makes the Besieged mill card after card, up to and
            including the first red one."""
        else:
            """SS-FAT-05 (exact, l.74; fate_jokers): The black Joker makes the Besieger mill card after card, up to and
            including the first black one."""
        while True:
            if self.decks.left[seat] == 0:
                """SS-FAT-06 (ruling, silent; joker_exhaust): Ruled, as SS-DCK-02 implies: a Joker that meets no card of
                its colour uses up the deck, and its victim loses because another card is missing; if the very last card
                has the colour, the victim plays on without a deck. With the switch, a Joker ends harmlessly at the
                empty deck, even if it was empty from the start. This switch does not depend on the one for
                penalties."""
                if self.joker_exhaust == "lose":
                    self.discard_top(seat)
                return
            if self.is_red(self.discard_top(seat)) == (colour == 0):
                return

    # --- The end --------------------------------------------------------------

    def lose(self, side):
        if self.decks.left[1 - side] == 0:
            """SS-END-04 (ruling, silent): Ruled as a consequence: cards are taken one by one, so one side always fails
            first and there is no tie. If the Besieged's last card wins a Sally after which the Besieger cannot remove a
            card that it must, the Besieged wins, because the Besieger failed first."""
        self.rule("SS-TRN-05")
        if side == BESIEGED:
            """SS-END-02 (exact, l.22): Ending `surrender`: the Besieged must take a card from an empty deck (see
            SS-DCK-02), and the Besieger wins."""
            self.end("surrender", BESIEGER)
        """SS-END-03 (exact, l.24): Ending `abandon`: the Besieger must take a card from an empty deck (see SS-DCK-02),
        and the Besieged wins."""
        self.end("abandon", BESIEGED)

    # --- In words -------------------------------------------------------------

    def label_besieger_action(self, option):
        if option < 9:
            bonus, price = self.counters.bonus[option], self.counters.price[option]
            return f"Construct {self.counters.name[option]} (+{bonus}, costs {price})"
        return option.name

    def label_assault_size(self, option):
        return f"throw {option} card{'s' * (option != 1)}"

    def label_defence(self, option):
        return f"draw {option} card{'s' * (option != 1)} to defend" if option else "draw no card"

    def label_plan_pick(self, option):
        return f"next from the top: {PACK[self.decks.top(self.seat, self.placed + option)]}"

    def label_destroy(self, option):
        return f"destroy {self.counters.name[option]}"


# --- Bots (rule ledger, section 7): chances are computed exactly, so a threshold that is met exactly counts as met ---

MOST, SUMS = 5, 56  # most cards that a side may throw; possible sums of that many cards up to 11 each


def count_sums():
    """Number of ways to throw a sum: [ace is 11][top value][number of cards][sum]; each value is equally likely."""
    ways = np.zeros((2, 11, MOST + 1, SUMS), np.int64)
    for ace in range(2):
        for top in range(6, 11):
            values = [11 if ace else 1, *range(2, top + 1)]
            ways[ace, top, 0, 0] = 1
            for cards in range(1, MOST + 1):
                for value in values:
                    ways[ace, top, cards, value:] += ways[ace, top, cards - 1, : SUMS - value]
    return ways


WAYS = count_sums().ravel()
AT_MOST = count_sums().cumsum(axis=3).ravel()
THROWS = (np.arange(11.0)[:, None] ** np.arange(2 * MOST + 1)).ravel()  # ways to throw a number of cards
SLACK = 1e-12  # far below 1 / 10^10, the smallest difference of two chances; above a threshold's rounding error
SAFE_FROM_STORM = 0.02  # a chance of an Assault that a defender accepts
AT_STAKE = 3  # in cards: the worth of a point of the walls, or of a counter, to its owner
ENOUGH_BLACK = 5  # black cards in the pile worth a Resupply or Rationing: about what a Heart brings back
LAST_THROW = 4  # cards left at which a Besieger who is behind storms at any odds: nothing better is left


# --- What a seat can work out -------------------------------------------------


def chance(game, attackers, defenders, ahead):
    """P(n, m, d): the chance that n cards plus d exceed m cards; all values are equally likely."""
    ace = 1 if game.ace_value == "11" else 0
    top = game.max_rank
    table = (ace * 11 + top) * (MOST + 1)
    good = 0
    for total in range(max(attackers, 1 - ahead), attackers * (11 if ace == 1 else top) + 1):
        most = min(total + ahead - 1, SUMS - 1)
        good += WAYS[(table + attackers) * SUMS + total] * AT_MOST[(table + defenders) * SUMS + most]
    return good / THROWS[top * (2 * MOST + 1) + attackers + defenders]


def built(game, first):
    """Sum of the modifiers in play of a group of three counters."""
    return sum(game.counters.bonus[counter] for counter in range(first, first + 3) if game.counters.built[counter])


def static_for(game, static, defenders):
    """Static strength that counts with this number of defending cards (SS-CON-05)."""
    return 0 if defenders == 0 and not game.static_defence_when_declining else static


def storm_chance(game, attackers, defenders):
    """Chance that an Assault succeeds with the assault counters in play against the present walls."""
    return chance(game, attackers, defenders, built(game, MINE) - static_for(game, game.walls, defenders))


def black_in_pile(game, side):
    return sum(1 for place in range(game.decks.piled[side]) if not game.is_red(game.decks.pile[side, place]))


def heart_share(game, side):
    """Share of Hearts in a seat's own deck, worked out from its pile."""
    out = sum(1 for place in range(game.decks.piled[side]) if game.decks.pile[side, place] // 10 == HEARTS)
    return (game.max_rank - out) / max(game.decks.left[side], 1)


# --- Shared answers -----------------------------------------------------------


def answer(game):
    """The decisions that all bots share: defending, the size of an Assault, the counter to destroy, a Plan's order."""
    if game.decision == game.assault_size:
        return min(game.assault_max_cards, game.decks.left[BESIEGER])
    if game.decision == game.destroy:
        return dearest_counter(game)
    if game.decision == game.plan_pick:
        return storm_stack_pick(game)
    if game.decision == game.plan_order:
        return 3
    if game.contest_kind == ASSAULT:
        return defend_assault(game)
    return defend_contest(game)


def dearest_counter(game):
    best = -1
    for option in game.options:
        if best < 0 or game.counters.price[option] > game.counters.price[best]:
            best = option
    return best


def storm_stack_pick(game):
    """Lowest card first, to pay the Assault's entry; then the three highest, high to low; then the rest, ascending."""
    best = 0
    for pick in range(1, game.planned - game.placed):
        if stack_rank(game, pick) > stack_rank(game, best):
            best = pick
    return best


def stack_rank(game, pick):
    value = game.worth(game.decks.top(game.seat, game.placed + pick))
    return value if 1 <= game.placed <= 3 else -value


def defend_assault(game):
    """The fewest cards that leave the Assault almost no chance; if none do, as many as possible."""
    most = min(game.assault_max_cards, game.decks.left[BESIEGED])
    for cards in range(most):
        if storm_chance(game, game.decks.aside[BESIEGER], cards) <= SAFE_FROM_STORM + SLACK:
            return cards
    return most


def defend_contest(game):
    """Draws a card if the saving that it brings on average is worth more than the card."""
    if game.decks.left[game.seat] == 0:
        return 0
    attack = 0
    static = game.walls
    at_stake = AT_STAKE
    if game.seat == BESIEGED:
        attack = built(game, TREBUCHET)
        if game.contest_kind == BOMBARD_ENEMY:
            at_stake = game.bombard_penalty
    else:
        static = built(game, CAMP_1)
        if game.contest_kind == SALLY_ENEMY:
            at_stake = game.sally_penalty
    declined = chance(game, 1, 0, attack - static_for(game, static, 0))
    return 1 if at_stake * (declined - chance(game, 1, 1, attack - static)) > 1.0 + SLACK else 0


def storms(game, threshold):
    """The storm check: the odds are good enough, or it is the last throw."""
    if not game.can("Assault"):
        return False
    own, other = game.decks.left[BESIEGER], game.decks.left[BESIEGED]
    attackers = min(game.assault_max_cards, own - game.assault_entry_cost)
    if storm_chance(game, attackers, min(game.assault_max_cards, other)) >= threshold - SLACK:
        return True
    return own <= LAST_THROW and own < other


def bought(game, wanted):
    """The first counter of a list that may be bought; -1 if none."""
    for counter in wanted:
        if game.can(counter):
            return counter
    return -1


# --- Besieger -----------------------------------------------------------------

STORM = "storms when the chance of an Assault is at least this"
KEEP = "builds only while its deck holds more cards than this"


@bot(Siege)
def waiter(game):
    """Discards a card each turn and waits; defends like all other bots."""
    if game.decision == game.besieger_action:
        return "Besiege"
    if game.decision == game.besieged_action:
        return "Besieged"
    return answer(game)


@bot(Siege, seats=("besieger",))
def starver(game, threshold=trait(0.60, 0.0, 1.0, STORM)):
    """Bombards the enemy until one deck runs out; storms only at good odds."""
    if game.decision != game.besieger_action:
        return answer(game)
    return "Assault" if storms(game, threshold) else "Bombard (Enemy)"


@bot(Siege, seats=("besieger",))
def gunner(game, threshold=trait(0.60, 0.0, 1.0, STORM), keep=trait(12, 0, 40, KEEP)):
    """Builds the bombard engines first, then bombards the enemy; storms only at good odds."""
    if game.decision != game.besieger_action:
        return answer(game)
    if storms(game, threshold):
        return "Assault"
    counter = bought(game, (TREBUCHET, CATAPULT, AMMUNITION))
    if game.decks.left[BESIEGER] > keep and counter >= 0:
        return counter
    return "Bombard (Enemy)"


@bot(Siege, seats=("besieger",))
def engineer(game, threshold=trait(0.60, 0.0, 1.0, STORM), keep=trait(8, 0, 40, KEEP)):
    """Builds engines of both kinds, batters the walls down, storms at good odds."""
    if game.decision != game.besieger_action:
        return answer(game)
    if storms(game, threshold):
        return "Assault"
    counter = bought(game, (TREBUCHET, CATAPULT, MINE, TOWER, LADDERS, AMMUNITION))
    if game.decks.left[BESIEGER] > keep and counter >= 0:
        return counter
    return "Bombard (Walls)" if game.can("Bombard (Walls)") else "Bombard (Enemy)"


@bot(Siege, seats=("besieger",))
def rusher(game, threshold=trait(0.45, 0.0, 1.0, STORM), keep=trait(8, 0, 40, KEEP)):
    """Builds the assault counters and storms as soon as the odds are fair; batters the walls meanwhile."""
    if game.decision != game.besieger_action:
        return answer(game)
    if storms(game, threshold):
        return "Assault"
    counter = bought(game, (MINE, TOWER, LADDERS))
    if game.decks.left[BESIEGER] > keep and counter >= 0:
        return counter
    return "Bombard (Walls)" if game.can("Bombard (Walls)") else "Bombard (Enemy)"


def known_storm_chance(game):
    """Chance of an Assault with the known cards after the entry, against as many unknown ones as the defender can
    draw."""
    thrown = 0
    for place in range(game.assault_entry_cost, game.assault_entry_cost + game.assault_max_cards):
        thrown += game.worth(game.decks.top(BESIEGER, place))
    defenders = min(game.assault_max_cards, game.decks.left[BESIEGED])
    return chance(game, 0, defenders, thrown + built(game, MINE) - static_for(game, game.walls, defenders))


@bot(Siege, seats=("besieger",))
def planner(
    game,
    threshold=trait(0.45, 0.0, 1.0, STORM),
    keep=trait(8, 0, 40, KEEP),
    known=trait(0.5, 0.0, 1.0, "storms with known cards when the chance is at least this"),
    plan=trait(10, 1, 40, "plans while its deck holds at least this many cards"),
):
    """Builds the assault counters, plans its deck into a storm, and storms when the known cards are good enough."""
    if game.decision != game.besieger_action:
        return answer(game)
    counter = bought(game, (MINE, TOWER, LADDERS))
    if game.decks.left[BESIEGER] > keep and counter >= 0:
        return counter
    if game.decks.known[BESIEGER] >= game.assault_entry_cost + game.assault_max_cards:
        if game.can("Assault") and known_storm_chance(game) >= known - SLACK:
            return "Assault"
        return "Bombard (Walls)" if game.can("Bombard (Walls)") else "Bombard (Enemy)"
    if game.decks.left[BESIEGER] >= plan:
        return "Plan"
    return "Assault" if storms(game, threshold) else "Bombard (Enemy)"


@bot(Siege, seats=("besieger",))
def stormer(game, keep=trait(20, 0, 40, KEEP)):
    """Builds Mine and Siege Tower, then assaults again and again at any odds."""
    if game.decision != game.besieger_action:
        return answer(game)
    counter = bought(game, (MINE, TOWER))
    if game.decks.left[BESIEGER] > keep and counter >= 0:
        return counter
    return "Assault" if game.can("Assault") else "Besiege"


@bot(Siege, seats=("besieger",))
def quartermaster(
    game,
    threshold=trait(0.60, 0.0, 1.0, STORM),
    keep=trait(12, 0, 40, KEEP),
    hearts=trait(0.4, 0.0, 1.0, "resupplies when at least this share of its deck are Hearts"),
):
    """Guards the camp, builds engines, recovers black cards when it has many Hearts; bombards the enemy."""
    if game.decision != game.besieger_action:
        return answer(game)
    if storms(game, threshold):
        return "Assault"
    counter = bought(game, (CAMP_1, CAMP_2, TREBUCHET, CATAPULT))
    if game.decks.left[BESIEGER] > keep and counter >= 0:
        return counter
    if black_in_pile(game, BESIEGER) >= ENOUGH_BLACK and heart_share(game, BESIEGER) >= hearts - SLACK:
        return "Resupply"
    return "Bombard (Enemy)"


# --- Besieged -----------------------------------------------------------------

SABOTAGE = "sallies against the equipment when the built modifiers that count for it reach this"


@bot(Siege, seats=("besieged",))
def raider(game):
    """Sallies against the enemy every turn."""
    return "Sally (Enemy)" if game.decision == game.besieged_action else answer(game)


@bot(Siege, seats=("besieged",))
def saboteur(game, strength=trait(3, 0, 20, SABOTAGE)):
    """Destroys engines once they are strong, otherwise sallies against the enemy."""
    if game.decision != game.besieged_action:
        return answer(game)
    enough = built(game, MINE) + built(game, TREBUCHET) >= strength
    return "Sally (Siege Equipment)" if enough and game.can("Sally (Siege Equipment)") else "Sally (Enemy)"


@bot(Siege, seats=("besieged",))
def mason(game, walls=trait(5, 0, 12, "repairs while the walls are below this plus the assault counters built")):
    """Builds the walls up as the assault counters grow, otherwise sallies against the enemy."""
    if game.decision != game.besieged_action:
        return answer(game)
    low = game.walls < walls + built(game, MINE)
    return "Repair and Strengthen" if low and game.can("Repair and Strengthen") else "Sally (Enemy)"


@bot(Siege, seats=("besieged",))
def cook(game, hearts=trait(0.2, 0.0, 1.0, "rations when at least this share of its deck are Hearts")):
    """Rations when it has many Hearts and black cards in the pile, otherwise sallies against the enemy."""
    if game.decision != game.besieged_action:
        return answer(game)
    if black_in_pile(game, BESIEGED) >= ENOUGH_BLACK and heart_share(game, BESIEGED) >= hearts - SLACK:
        return "Rationing"
    return "Sally (Enemy)"


@bot(Siege, seats=("besieged",))
def steward(
    game,
    strength=trait(3, 0, 20, SABOTAGE),
    danger=trait(0.3, 0.0, 1.0, "repairs when an Assault of three would succeed more often than this"),
    hearts=trait(0.4, 0.0, 1.0, "rations when at least this share of its deck are Hearts"),
):
    """Sabotages, repairs and rations, each when it is due; otherwise sallies against the enemy."""
    if game.decision != game.besieged_action:
        return answer(game)
    if built(game, MINE) >= strength and game.can("Sally (Siege Equipment)"):
        return "Sally (Siege Equipment)"
    most = game.assault_max_cards
    if game.can("Repair and Strengthen") and storm_chance(game, most, most) > danger + SLACK:
        return "Repair and Strengthen"
    if black_in_pile(game, BESIEGED) >= ENOUGH_BLACK and heart_share(game, BESIEGED) >= hearts - SLACK:
        return "Rationing"
    return "Sally (Enemy)"


@bot(Siege, seats=("besieged",))
def warden(game, walls=trait(7, 0, 12, "repairs while the walls are below this"), strength=trait(3, 0, 20, SABOTAGE)):
    """Keeps the walls high, then sabotages assault counters, then sallies against the enemy."""
    if game.decision != game.besieged_action:
        return answer(game)
    if game.walls < walls and game.can("Repair and Strengthen"):
        return "Repair and Strengthen"
    if built(game, MINE) >= strength and game.can("Sally (Siege Equipment)"):
        return "Sally (Siege Equipment)"
    return "Sally (Enemy)"
