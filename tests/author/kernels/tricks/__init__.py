"""Tricks: say how many tricks you will take, and take just as many. For 3 to 5 players, with an ordinary pack.

Source: the game that card books call Oh Hell, known in England and New York since about 1930 and owned by nobody; the
rules here are its common ones, in our words.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simlab.game import Decision, Die, Game, KnobValue, Metric, Track

from . import rules
from .state import (
    CARD_NAMES,
    CARDS,
    ENDINGS,
    MOST_DEALS,
    MOST_HAND,
    MOST_SCORE,
    MOST_SEATS,
    SEATS,
    SLUG,
    STREAMS,
    TITLE,
    pack_cards,
    record,
)


def check_knobs(knobs: Mapping[str, KnobValue]) -> list[str]:
    """T-1.3: a hand that shrinks must last for all deals."""
    hand, deals = int(knobs["hand"]), int(knobs["deals"])
    if knobs["shrinking"] and deals > hand:
        return [f"deals = {deals} is more than hand = {hand}, and each deal has a card fewer (T-1.3): take fewer."]
    return []


def game(players: int = 4) -> Game:
    """The game at a table of 3 to 5."""
    seats = SEATS[:players]
    return Game(
        slug=SLUG,
        title=TITLE,
        summary="A trick-taking game for 3 to 5: bid how many you will take, and take no more.",
        folder=Path(__file__).parent,
        article="",
        players=(3, MOST_SEATS),
        seats=seats,
        endings=ENDINGS,
        streams=STREAMS,
        dice=(Die("pack", "deal", 0, "the pack of 52 (T-1.2)", cards=CARD_NAMES),),
        decisions=(Decision("T-D-1", "bid"), Decision("T-D-2", "card")),
        metrics=(
            Metric("bids_met", "bids that were met, of all seats", low=0, high=MOST_DEALS * MOST_SEATS),
            Metric("tricks_bid", "tricks bid in all", "tricks", low=0, high=MOST_DEALS * MOST_SEATS * MOST_HAND),
            Metric("sharing", "seats that share the win", "seats", low=1, high=MOST_SEATS),
        ),
        tracks=tuple(Track(f"points_{seat}", -50, 150, f"{seat}'s points") for seat in seats),
        lead=tuple(f"points_{seat}" for seat in seats),
        state=record(players),
        cards=CARDS,
        tables=(),
        pack_cards=pack_cards,
        initial_state=rules.initial_state,
        legal_actions=rules.legal_actions,
        apply_action=rules.apply_action,
        determinize=rules.determinize,
        outcome=rules.outcome,
        track_values=rules.track_values,
        action_label=rules.action_label,
        describe=rules.describe,
        check_knobs=check_knobs,
        max_decisions=MOST_DEALS * MOST_SEATS * (MOST_HAND + 1) + 1,
        max_turns=MOST_DEALS * MOST_HAND,
        has_scores=True,
        score_range=(-MOST_SCORE, MOST_SCORE),
        turn_name="trick",
    )
