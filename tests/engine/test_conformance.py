"""The conformance kit passes what keeps the contract and refuses what breaks it; no bot of the lab's peeks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simlab import compiler
from simlab.bot_registry import bots_for
from simlab.compiler.digest import Digests
from simlab.engine import loop
from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game
from simlab.spec.record import Description
from simlab.testing import NOTE, ConformanceError, _HiddenInformation, check_game, check_policy
from tests.box import LARGE as GAMES
from tests.engine import high_card
from tests.engine.test_match import bad_bots  # noqa: F401  (a fixture)

#: A game of a thousand decisions shows in one game what one of ten shows in fifteen.
FEW = {"lowenheim": 1, "westphalia": 1, "montsegur": 4}
#: Games to step through with each bot.
STEPPED = {"lowenheim": 1, "westphalia": 1, "montsegur": 5, "mighty_fortress": 5}


def seats_and_bots() -> list[tuple[str, str, str]]:
    """Each bot in each seat; at a table of more than two in two of its seats, in turns, so that all seats come up."""
    cases = []
    for slug in GAMES:
        game = load_game(slug)
        named = sorted({bot for seat in game.seats for bot in bots_for(game, seat)})
        for place, bot in enumerate(named):
            able = [seat for seat in game.seats if bot in bots_for(game, seat)]
            if len(game.seats) > 2:
                able = sorted({able[(2 * place + turn) % len(able)] for turn in range(2)})
            cases += [(slug, seat, bot) for seat in able]
    return cases


SEATS_AND_BOTS = seats_and_bots()


@pytest.mark.parametrize("slug", GAMES)
def test_game_keeps_the_contract(slug: str) -> None:
    keeps_the_contract(slug, FEW.get(slug, 15))


@pytest.mark.long
@pytest.mark.parametrize("slug", FEW)
def test_game_keeps_the_contract_in_more_games(slug: str) -> None:
    keeps_the_contract(slug, 4 * FEW[slug])


def keeps_the_contract(slug: str, games: int) -> None:
    game = load_game(slug)
    done = [line for line in check_game(game, games=games) if not line.startswith(NOTE)]
    assert len(done) == 7 + (game.hex_map is not None)


def test_a_game_that_forgets_to_redraw_what_is_hidden_is_refused() -> None:
    match = Match(load_game("kuhn_poker"), bots=dict.fromkeys(("first", "second"), "random"))
    honest, forgetful, monotonous = (_HiddenInformation() for _ in range(3))
    for index in range(20):
        position = Stepper(match, 1, index)
        whole, seen = position.describe(), position.describe(0)

        def redrawn(number: int, position: Stepper = position) -> Description:
            future = position.copy()
            future.branch(number)
            future.redraw(0)
            return future.describe()

        honest.look(whole, seen, redrawn)
        forgetful.look(whole, seen, lambda _, whole=whole: whole)
        monotonous.look(whole, seen, lambda _, redrawn=redrawn: redrawn(0))
    honest.check(match.game)
    for careless in (forgetful, monotonous):
        with pytest.raises(ConformanceError, match=r"describe hid 'second's card' from .* differ in it in none"):
            careless.check(match.game)


def test_a_game_with_another_rule_is_never_kept_under_the_name_of_the_first() -> None:
    """A notebook may write `replace(game, determinize=mine)`: what it compiles must not be played as the game."""

    def other(state: Any, knobs: Any, cards: Any, seat: int) -> None:
        """Another rule, from a file that is none of the game's."""

    game = load_game("kuhn_poker")
    variants = [game, replace(game, determinize=compiler.kernel(other)), replace(game, max_decisions=4)]
    matches = [Match(one, bots=dict.fromkeys(game.seats, "random")) for one in variants]
    if compiler.compiling():
        steps, loops = (
            [Digests().of(match.compiled._bound(one)) for match in matches] for one in (loop.step_game, loop.play_games)
        )
        assert steps[0] != steps[1] and loops[0] == loops[1] != loops[2]
    assert matches[0].rules_digest != matches[1].rules_digest


@pytest.mark.sample(
    "lowenheim-PG-marshal", "mighty_fortress-player-builder", "montsegur-cathar-value", "simple_siege-besieger-rusher",
    "westphalia-red-condottiere",
)  # fmt: skip
@pytest.mark.parametrize(("slug", "seat", "bot"), SEATS_AND_BOTS)
def test_bot_keeps_the_contract_and_does_not_peek(slug: str, seat: str, bot: str) -> None:
    said = check_policy(load_game(slug), seat, bot, games=STEPPED.get(slug, 8))
    assert any("does not peek" in line for line in said)


@pytest.mark.parametrize(
    ("bot", "complaint"),
    [("peeks", "peeks"), ("meddles", "changed the state"), ("fickle", "changed the state")],
)
def test_a_bot_that_cheats_is_caught(bad_bots, bot: str, complaint: str) -> None:  # noqa: F811
    with pytest.raises(ConformanceError, match=complaint):
        check_policy(load_game("simple_siege"), "besieger", f"{bad_bots}:{bot}", games=5)


LEGAL_AT_HOME = """
from simlab.game import policy
from simlab.games.simple_siege.state import ASSAULT_SIZE, BESIEGE, BESIEGER_ACTS

@policy("simple_siege", seats=["besieger"])
def homebody(state, knobs, cards, traits):
    \"\"\"Never storms, and does not know how many to storm with.\"\"\"
    if state.decision == BESIEGER_ACTS:
        return BESIEGE
    if state.decision == ASSAULT_SIZE:
        return {answer}
    return state.legal[0]
"""


def test_a_bot_is_asked_in_positions_that_it_never_leads_to(tmp_path: Path) -> None:
    game = load_game("simple_siege")
    for name, answer in (("lost", "15"), ("safe", "state.legal[0]")):
        (tmp_path / f"{name}.py").write_text(LEGAL_AT_HOME.format(answer=answer))
    assert Match(game, bots={"besieger": f"{tmp_path}/lost.py", "besieged": "random"}).play(1, 0, 50).rows.size == 50
    with pytest.raises(ConformanceError, match=r"lost\.py, put into game .*SS-D-02 .*action 15 is not legal"):
        check_policy(game, "besieger", f"{tmp_path}/lost.py", games=5)
    done = check_policy(game, "besieger", f"{tmp_path}/safe.py", games=5)
    assert re.search(r"legal in \d+ positions reached by other bots as well: .*SS-D-02 \d", done[-1])


LOOKS_AHEAD = re.search(
    r"in the game's folder:\n\n```python\n(.*?)```",
    (Path(__file__).parents[2] / "docs" / "add-a-bot.md").read_text(),
    re.S,
)
BRANCH = "        branch(future, state.seat, luck + number)\n"
REDRAW = "        determinize(future, knobs, cards, state.seat)\n"


@pytest.fixture(scope="module")
def ponderers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """High Card with the page's bot that looks ahead, and others made of it."""
    assert LOOKS_AHEAD
    page = LOOKS_AHEAD[1]
    assert BRANCH + REDRAW in page
    folder = high_card.write(tmp_path_factory.mktemp("games"))
    variants = {"ponderer": BRANCH + REDRAW, "late": REDRAW + BRANCH, "no_redraw": BRANCH}
    head, kernel, tail = page.partition("@kernel")
    tail = kernel + tail
    text = head
    for name, lines in variants.items():
        text += tail.replace(BRANCH + REDRAW, lines).replace("wins(", f"wins_{name}(").replace("ponderer", name)
    (folder / "bots.py").write_text(text)
    return folder


@pytest.mark.parametrize(("bot", "honest"), [("ponderer", True), ("late", True), ("no_redraw", False)])
def test_a_bot_that_looks_ahead_without_peeking_is_not_called_a_peeker(ponderers: Path, bot: str, honest: bool) -> None:
    game = load_game(str(ponderers))
    if honest:
        done = check_policy(game, "second", f"{bot}:futures=3", games=20)
        assert any("does not peek" in line for line in done)
    else:
        with pytest.raises(ConformanceError, match="peeks"):
            check_policy(game, "second", bot, games=20)


def test_a_redraw_that_depends_on_what_was_hidden_is_refused(tmp_path: Path) -> None:
    """A shuffle of the hidden order with the same luck gives another order where the hidden one was another."""
    shuffle = """    for i in range(state.deck_left, 0, -1):
        j = redraw_below(state, i + 1)
        card = state.deck[i]
        state.deck[i] = state.deck[j]
        state.deck[j] = card
"""
    folder = high_card.write(
        tmp_path,
        ("rules.py", "    redraw_order(state, state.deck[: state.deck_left + 1])\n", shuffle),
        ("rules.py", "offer, redraw_order", "offer, redraw_below"),
    )
    with pytest.raises(
        ConformanceError, match=r"after determinize, `(deck|hand)` still depends on the earlier hidden state"
    ):
        check_game(load_game(str(folder)), games=3)
