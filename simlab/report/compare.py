"""Bots compared: all that a table of match-ups says, as a section of the page, in the terminal, and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from simlab.present.blocks import GamesLink
from simlab.present.chart import Draw
from simlab.present.estimate import ends_of, estimate_of
from simlab.report import tables
from simlab.report.best_play import best_sentence, mix_chart, survivors_sentence
from simlab.report.circles import circle_sentences, circles_sentence
from simlab.report.dependence import STAMPS, balance_sentence, twins_sentence
from simlab.report.dependence import summary as dependence_summary
from simlab.report.field import field_sentence, field_tables, in_field
from simlab.report.match_ups import Study, favoured_word, study
from simlab.report.ranking import ladders, matrix_table, ranking
from simlab.report.solo import solo, solo_sentence
from simlab.results import drill_down
from simlab.results.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_LISTED = 400  #: match-ups that are listed one by one


def section(view: View, draw: Draw) -> dict[str, Any] | None:
    """What the report's section on bots shows beyond matrix and ranking; None where bots are not compared."""
    lines = solo(view)
    if lines:
        return {
            "solo": lines, "sentence": solo_sentence(lines), "stamp": "", "kind": "", "best": "", "figure": None,
            "games_of": _games_of(view),
        }  # fmt: skip
    contest = study(view)
    if contest is None:
        return None
    rows = [
        {
            "bots": " v ".join(match.bots),
            "games": f"{match.games:,}",
            "behind": drill_down.of_bots(view, match.bots, match.games),
            "rates": list(match.rates),
            "favoured": favoured_word(view, match.call),
        }
        for match in sorted(contest.match_ups, key=lambda match: -match.rates[0].value)[:MOST_LISTED]
    ]
    drawable = (contest.best is not None or contest.survivors is not None) and max(map(len, contest.bots)) <= 40
    caption = " ".join(text for text in (best_sentence(view, contest), survivors_sentence(view, contest)) if text)
    strengths = []
    if contest.strengths is not None:
        strengths = [{"name": view.seats[seat], "rows": rows_} for seat, rows_ in enumerate(_strengths(contest))]
    return {
        "solo": [],
        "games_of": _games_of(view),
        "sentence": balance_sentence(view, contest),
        "stamp": STAMPS[contest.dependence.stamp] if len(view.sides) > 1 else "",
        "kind": {"holds": "met", "even": "met", "fragile": "broken"}.get(contest.dependence.stamp, "cannot"),
        "best": best_sentence(view, contest),
        "survivors": survivors_sentence(view, contest),
        "circles": circle_sentences(view, contest),
        "no_circle": circles_sentence(contest),
        "figure": draw("bot_shares", mix_chart(view, contest), caption) if drawable else None,
        "rows": rows,
        "left_out": len(contest.match_ups) - len(rows),
        "strengths": strengths,
        "field": in_field(view),
        "field_sentence": field_sentence(view) if len(view.seats) > 2 else "",
        "measured": contest.measured,
        "whole": contest.whole,
        "swapped": contest.swapped,
    }


def _games_of(view: View) -> dict[str, GamesLink | None]:
    """The games of each bot, in whatever seat."""
    return {bot: drill_down.with_bot(view, bot) for bots in view.bots.values() for bot in bots}


def _strengths(contest: Study) -> list[list[dict[str, Any]]]:
    assert contest.strengths is not None
    scale = 400 / math.log(10)
    tables = []
    for seat, bots in enumerate(contest.bots):
        values, ends = contest.strengths.strength[seat], contest.strengths.interval[seat]
        order = contest.strengths.order(seat)
        tables.append(
            [
                {
                    "place": n + 1,
                    "bot": bots[i],
                    "elo": estimate_of((values[i], *ends[i]), scale, False),
                }
                for n, i in enumerate(order)
            ]
        )
    return tables


def terminal(view: View) -> list[RenderableType | str]:
    """What `compare` prints."""
    lines = solo(view)
    if lines:
        made = tables.table(f"{view.title}: bots, best first")
        made.add_column("bot", overflow="fold")
        scored = ["mean score"] if lines[0].score else []
        tables.numbers(made, "games", "wins", *scored, "points behind the best", "for certain")
        for line in lines:
            score = [line.score.full] if line.score else []
            behind = [line.behind.full, "yes" if line.sure else "no"] if line.behind else ["", ""]
            tables.add(made, [line.bot, f"{line.games:,}", line.wins.full, *score, *behind])
        return [made, tables.typed(solo_sentence(lines))]
    contest = study(view)
    parts: list[RenderableType | str] = []
    if view.is_matrix:
        parts.append(matrix_table(view))
    ranked = None if view.joint_sides else ranking(view)
    if ranked:
        parts += [*ladders(view), ranked.sentence]
    in_a_field = field_tables(view)
    parts += in_a_field
    if contest is not None and contest.strengths is not None:
        for seat, ladder in enumerate(_strengths(contest)):
            made = tables.table(f"{view.seats[seat]}, strongest first")
            tables.numbers(made, "#")
            made.add_column("bot", overflow="fold")
            tables.numbers(made, "strength")
            for rung in ladder:
                tables.add(made, [str(rung["place"]), rung["bot"], rung["elo"].full])
            parts.append(made)
    elif not ranked and not in_a_field:
        for seat, name in enumerate(view.seats):
            made = tables.table("")
            made.add_column(name, overflow="fold")
            side = view.side_of(seat)
            joint = [head for place, head in view.joint_sides if place == side]
            tables.numbers(made, *joint, "wins itself" if joint else "wins, over all opponents")
            for pool in sorted(view.by_bot(seat), key=lambda pool: -pool.side_rate(side).value):
                together = [pool.side_rate(side).full] if joint else []
                tables.add(made, [pool.label, *together, pool.win_rate(seat).full])
            parts.append(made)
    if contest is None:
        return parts
    stamp, circles = STAMPS[contest.dependence.stamp], circle_sentences(view, contest)
    said = [
        best_sentence(view, contest),
        f"Balance ({stamp}): {balance_sentence(view, contest)}"
        if len(view.sides) > 1
        else balance_sentence(view, contest),
        *circles[:2],
        *([f"{len(circles) - 2} more circles stand in the report."] if len(circles) > 2 else []),
        circles_sentence(contest),
        survivors_sentence(view, contest),
        twins_sentence(view),
    ]
    if not contest.measured:
        said.append("Without the rows of the games, match-ups count as independent here, although they share luck.")
    return [*parts, *(tables.typed(text) for text in said if text)]


def summary(view: View) -> dict[str, Any]:
    """What --json adds: ranking, match-ups, dependence on the bots, best play, alpha-rank, circles."""
    out: dict[str, Any] = {"ranking": {seat: _ranked(view, i) for i, seat in enumerate(view.raw_seats)}}
    ranked = None if view.joint_sides else ranking(view)
    if ranked:
        out["unexplained"] = ranked.ratings.interaction
    lines = solo(view)
    if lines:
        out["solo"] = [
            {
                "bot": line.bot,
                "win_rate": ends_of(line.wins),
                "score": ends_of(line.score) if line.score else None,
                "points_behind": ends_of(line.behind) if line.behind else None,
                "sure": line.sure,
            }
            for line in lines
        ]
    contest = study(view)
    if contest is None:
        return out
    seats = view.raw_seats
    out["match_ups"] = [
        {
            "bots": dict(zip(seats, match.bots, strict=True)),
            "win_rate": {seat: ends_of(rate) for seat, rate in zip(seats, match.rates, strict=True)},
            "favoured": favoured_word(view, match.call),
        }
        for match in contest.match_ups
    ]
    lines_ = in_field(view)
    if lines_:
        out["in_field"] = [
            {
                "bot": line.bot,
                "share": ends_of(line.everywhere),
                "own_wins": ends_of(line.own) if line.own else None,
                "significantly_behind_the_first": line.behind,
                "by_seat": {seat: rate and ends_of(rate) for seat, rate in zip(seats, line.by_seat, strict=True)},
                "beside": {other: rate and ends_of(rate) for other, rate in line.beside.items()},
            }
            for line in lines_
        ]
    if contest.strengths is not None:
        out["strengths"] = {
            seats[place]: [{"bot": rung["bot"], "elo": ends_of(rung["elo"])} for rung in ladder]
            for place, ladder in enumerate(_strengths(contest))
        }
    sides = [side for side, _, _ in view.sides] if view.joint_sides else list(seats)
    if len(sides) == 1:
        out["balance"] = {"stamp": None, "sentence": balance_sentence(view, contest)}
    else:
        out["balance"] = dependence_summary(view, contest, sides)
    if contest.best is not None:
        best = contest.best
        both = ((best.mix_a, best.range_a, best.sent_a), (best.mix_b, best.range_b, best.sent_b))
        mixes = {}
        for place, (mix, ends, sent) in enumerate(both):
            shares = zip(contest.bots[place], mix.tolist(), ends.tolist(), sent.tolist(), strict=True)
            mixes[seats[place]] = [
                {"bot": bot, "share": share, "low": low, "high": high, "sent": often}
                for bot, share, (low, high), often in shares
            ]
        out["best_play"] = {"value": {"estimate": best.value, "low": best.low, "high": best.high}, "mix": mixes}
    if contest.survivors is not None:
        out["alpha_rank"] = {
            seat: [
                {
                    "bot": bot,
                    "mass": float(contest.survivors.mass[place][i]),
                    "low": float(contest.survivors.ends[place][i][0]),
                    "high": float(contest.survivors.ends[place][i][1]),
                }
                for i, bot in enumerate(contest.bots[place])
            ]
            for place, seat in enumerate(seats)
        }
    out["circles"] = circle_sentences(view, contest)
    out["shared_luck_measured"] = contest.measured
    return out


def _ranked(view: View, seat: int) -> list[dict[str, Any]]:
    """The bots of a seat, strongest first, with their figures: where seats win together, by the wins of the side."""
    rates = {pool.label: pool.win_rate(seat) for pool in view.by_bot(seat)}
    if view.joint_sides:
        sides = {pool.label: pool.side_rate(view.side_of(seat)) for pool in view.by_bot(seat)}
        order = sorted(rates, key=lambda bot: -sides[bot].value)
        return [{"bot": bot, "win_rate": ends_of(rates[bot]), "side_win_rate": ends_of(sides[bot])} for bot in order]
    ranked = ranking(view)
    if ranked is None:
        order = sorted(rates, key=lambda bot: -rates[bot].value)
        return [{"bot": bot, "win_rate": ends_of(rates[bot])} for bot in order]
    places = [(ranked.bots[seat][i], ranked.elo(seat, i)) for i in ranked.order(seat)]
    return [{"bot": bot, "win_rate": ends_of(rates[bot]), "elo": ends_of(elo)} for bot, elo in places]
