"""What a run did not try, and the commands that try it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simlab import shell
from simlab.bot_registry import LEARNED
from simlab.present.estimate import plain, value_text
from simlab.questions.ladder.analysis import searches_ahead
from simlab.runs.view import View
from simlab.words import listed


def open_questions(view: View, best: Sequence[str] = ()) -> list[str]:
    """Untried bots, and the command that tries them. best: the best bot of each seat, if known."""
    named = [bot for bots in view.bots.values() for bot in bots]
    alone = max(len(bots) for bots in view.bots.values()) == 1
    questions = []
    if alone:
        drawn = ["--match-ups 60", "-n 200"] if len(view.seats) > 2 else []
        meet = "lets all bots meet" if not drawn else "lets all bots meet in 60 line-ups"
        questions.append(
            "Only one bot per seat was run, so best play is unknown: "
            f"`{command_line('simlab compare', view, *drawn)}` {meet}."
        )
    elif not any(searches_ahead(bot) for bot in named):
        tops = best or [view.bots[seat][0] for seat in view.raw_seats]
        questions.append(f"No bot that looks ahead was tried: {_search_command(view, tops)}")
        if len(view.seats) == 2 and not any(".toml" in bot or "/" in bot or bot == LEARNED for bot in named):
            able = studied_bots(view).get("tunable")
            for own, other in ((1, 0), (0, 1)):
                if able is None or tops[own] in able.get(view.raw_seats[own], ()):  # None: not known without studies
                    bots = [f"{plain(view.raw_seats[place], 60)}={tops[place]}" for place in (own, other)]
                    tune = f"--bot {bots[0]} --against {bots[1]}"
                    questions.append(f"No bot was tuned: `{command_line('simlab optimize bot', view, tune)}`.")
                    break
    untried: dict[str, list[str]] = {}  # bots -> seats
    for seat, bots in studied_bots(view).get("untried", {}).items():
        if bots and seat in view.raw_seats:
            untried.setdefault(listed([plain(bot, 40) for bot in bots], 6), []).append(plain(seat, 60))
    if untried and not alone:
        texts = [f"as {listed(seats)} {bots}" for bots, seats in untried.items()] if len(untried) > 1 else [*untried]
        questions.append(f"Bots of the game that this run did not include: {'; '.join(texts[:3])}.")
    return questions


def _search_command(view: View, tops: Sequence[str]) -> str:
    """The command that adds a searching bot to the best bots of each seat."""
    if any("/" in bot or "(" in bot for bot in tops):
        return "add lookahead:iterations=30 to the bots of a seat."
    several = len(dict.fromkeys(tops))
    playout = "+".join(dict.fromkeys(f"({bot})" if ":" in bot else bot for bot in tops))
    if len(view.seats) > 2 and several == 1:
        bots = f"{tops[0]},lookahead:iterations=10:playout={playout}"
        return f"`{command_line('simlab compare', view, '--bots', shell.quote(bots), '--match-ups 8', '-n 20')}`."
    beside = [f",lookahead:iterations=30:playout={playout}" if place < 2 else "" for place in range(len(tops))]
    texts = [f"{plain(seat, 60)}={top}{more}" for seat, top, more in zip(view.raw_seats, tops, beside, strict=True)]
    return f"`{command_line('simlab compare', view, *(f'--bot {shell.quote(text)}' for text in texts), '-n 100')}`."


def command_line(command: str, view: View, *parts: str) -> str:
    """A command line on the game of the view, with the knobs that its experiment sets."""
    set_ = [
        f"--set {shell.quote(f'{plain(k, 60)}={value_text(v)}')}"
        for k, v in list((view.config.get("knobs") or {}).items())[:20]
    ]
    game = plain((view.config.get("experiment") or {}).get("game", view.slug), 200)
    return " ".join([command, shell.quote(game), *set_, *parts])


def studied_bots(view: View) -> dict[str, Any]:
    """Metadata of a run's bots that simlab.questions.after_run stored; empty without it."""
    known = list(view.studies.get("bots", []))
    return known[0] if known else {}


def no_change_tried(view: View, mixes: Sequence[Sequence[tuple[str, float]]]) -> str:
    bots = [
        f"--bot {plain(seat, 60)}={','.join(bot for bot, _ in mix[:2])}"
        for seat, mix in zip(view.raw_seats, mixes, strict=True)
    ]
    return (
        "No change to make the game fairer was tried: list changes of knobs under [remedies] in the "
        "experiment, or run "
        f"`{command_line('simlab sweep', view, '--one-at-a-time', *bots, '-n 1000')}`."
    )
