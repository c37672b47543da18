"""Auctions of the shelf: open bids, in one round or until all but one drop out, and sealed bids."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from simlab.author.same import compare
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.errors import InputError
from simlab.registry import load_game

STALLS = '''
    from simlab.author import NONE, Auction, Game, SealedBids, bot, choice, per_seat


    class Stalls(Game):
        """An open auction, and then a sealed one, six times."""

        players = (2, 4)
        sale = Auction(6)
        sealed = SealedBids(6)
        coins = per_seat(9)
        lots = per_seat()
        call = choice(sale)
        write = choice(sealed, secret=True)

        def play(self):
            """A-1: the first seat begins."""
            while self.turn < 7:
                self.hold_open_auction()
                self.hold_sealed_auction()
                self.turn += 1
            self.end("sold")

        def hold_open_auction(self):
            """A-2: all bid until they drop out."""
            self.sale.start()
            bidder = 0
            while bidder != NONE:
                self.sale.bid(bidder, self.ask(self.call, bidder))
                bidder = self.sale.next_open(bidder)
            if self.sale.leader != NONE:
                self.give(self.sale.leader, self.sale.best)

        def may_call(self, bid):
            return bid <= self.coins[self.seat] and self.sale.allows(bid)

        def hold_sealed_auction(self):
            """A-3: all bid in secret."""
            self.sealed.start()
            bidder = 1
            while bidder != NONE:
                self.sealed.put(bidder, self.ask(self.write, bidder), self.coins[bidder])
                bidder = self.sealed.next(bidder)
            buyer = self.sealed.winner(1)
            if buyer != NONE:
                self.give(buyer, self.sealed.highest())

        def may_write(self, bid):
            return bid <= self.coins[self.seat]

        def give(self, seat, price):
            self.coins[seat] -= price
            self.lots[seat] += 1

        def score(self, seat):
            return self.lots[seat]


    def half(game, least):
        """Half of the coins of the seat to act."""
        return max(least, game.coins[game.seat] // 2)


    @bot(Stalls)
    def halves(game):
        """Bids half of its coins where it may."""
        wanted = half(game, 0)
        if game.can(wanted):
            return wanted
        return 0
'''


@pytest.fixture
def stalls(tmp_path: Path) -> str:
    (tmp_path / "stalls.py").write_text(textwrap.dedent(STALLS))
    return str(tmp_path / "stalls.py")


def match(path: str, players: int, bot: str = "random") -> Match:
    game = load_game(path, players)
    return Match(game, bots=dict.fromkeys(game.seats, bot))


@pytest.mark.parametrize("players", [2, 4])
def test_auctions_are_the_same_plain_and_compiled(stalls: str, players: int) -> None:
    assert compare(match(stalls, players), 1, 20) > 200


def test_an_open_auction_goes_on_until_all_but_one_drop_out(stalls: str) -> None:
    stepper = Stepper(match(stalls, 3), 1, 0)
    asked = []
    for bid in (2, 0, 3, 4, 0):
        asked.append(int(stepper.state.seat))
        stepper.apply(bid)
    assert asked == [0, 1, 2, 0, 2]
    assert stepper.state.coins.tolist() == [5, 9, 9]
    assert stepper.decision.name == "write"


def test_an_auction_without_a_bid_has_no_leader(stalls: str) -> None:
    stepper = Stepper(match(stalls, 3), 1, 0)
    assert stepper.labels([0, 2])[0] == "call pass"
    for _ in range(3):
        stepper.apply(0)
    assert stepper.describe(None)["sale"] == "no bid"
    assert stepper.state.lots.tolist() == [0, 0, 0]


def test_a_sealed_bid_is_hidden_and_redrawn_within_the_purse(stalls: str) -> None:
    stepper = Stepper(match(stalls, 3), 1, 0)
    for bid in (0, 6, 0):  # the second seat keeps 3 coins
        stepper.apply(bid)
    stepper.apply(2)
    assert stepper.describe(1)["bob's sealed"] == "2"
    assert stepper.describe(0)["bob's sealed"] == "hidden"
    assert stepper.describe(0)["ann's sealed"] == "none"
    seen = set()
    for _ in range(60):
        stepper.redraw(0)
        assert stepper.state.sealed_bids.tolist()[0::2] == [-1, -1]
        seen.add(int(stepper.state.sealed_bids[1]))
    assert seen == {0, 1, 2, 3}
    stepper.state.sealed_bids[1] = 2
    stepper.redraw(1)
    assert int(stepper.state.sealed_bids[1]) == 2


def test_bots_share_a_function_that_takes_the_game(stalls: str) -> None:
    rows = match(stalls, 2, "halves").play(1, 0, 20).rows
    assert (rows["score"].sum(axis=1) > 0).all()


def test_a_rule_that_passes_the_game_on_runs_in_plain_python(stalls: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = Path(stalls)
    path.write_text(path.read_text().replace("self.coins[seat] -= price", "self.coins[seat] -= half(self, price)"))
    assert compare(match(stalls, 2), 1, 3) > 20
    assert "'self' alone cannot be passed on" in capfd.readouterr().err


def test_a_wrong_number_of_players_is_refused_in_plain_python() -> None:
    from simlab.games.relics.game import Relics

    with pytest.raises(InputError, match="Relics is played by 3 to 5, not by 2"):
        Relics(2)
