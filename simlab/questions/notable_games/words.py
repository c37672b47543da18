"""Notable games as a list of commands, each with its reason."""

from __future__ import annotations

from collections.abc import Iterator

from simlab.present.blocks import Block, Command
from simlab.present.estimate import plain, words
from simlab.present.text import text
from simlab.questions.notable_games.analysis import NotableGame, NotableGames
from simlab.words import counted

TITLE, ANCHOR = "Games worth watching", "notable-games"
CHAPTER, RANK = "How games go", 10
MOST = 20  #: listed


def blocks(answer: NotableGames) -> Iterator[Block]:
    turn = plain(answer.turn_name, 40)
    for one in answer.games[:MOST]:
        yield Command(f"{title(one)}: {plain(one.cell)}, game {one.game}; {reason(one, turn)}", plain(one.replay, 600))


def title(one: NotableGame) -> str:
    """The kind of the game: `Longest`."""
    return f"Ends by {words(one.ending)}" if one.kind == "ending" else plain(one.kind).capitalize()


def reason(one: NotableGame, turn: str) -> str:
    """Why it is notable. turn: the game's word for its turns."""
    if one.kind == "closest":
        decided = " that scores decided" if one.among < one.games else ""
        return (
            f"{counted(one.margin, 'point')} between the best two {'sides' if one.sides else 'scores'}, as in "
            f"{one.ties:,} of {counted(one.among, 'game')}{decided}"
        )
    if one.kind in ("longest", "shortest"):
        return (
            f"{counted(one.turns, turn)} and {counted(one.decisions, 'decision')} (median {text(one.median)} {turn}s)"
        )
    if one.kind == "ending":
        return f"{one.share * one.among:,.0f} of {counted(one.among, 'game')} end this way"
    if one.kind == "most typical":
        return (
            "the most frequent winner and ending, and on average "
            f"{one.distance:.2f} standard deviations from the median of each metric"
        )
    searched = f"selected from {counted(one.among, 'game')} and measured with independent futures"
    if one.kind == "biggest upset":
        return f"won from a win chance of {text(one.chance)} at the start of {turn} {one.turn}; {searched}"
    return f"{turn} {one.turn} changed a win chance by {text(one.swing)} points; {searched}"
