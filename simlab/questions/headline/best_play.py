"""Who is favoured in best play, when each side plays its best bots, and how average play differs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from simlab import shell
from simlab.present.estimate import EVEN, LEVEL, Estimate, Mood
from simlab.questions.best_play_changes import words as changes_words
from simlab.questions.best_play_changes.analysis import BestPlayChanges
from simlab.questions.bots.analysis import SENT, SURE_CHOICE, BotsAnswer, only_bot
from simlab.questions.bots.analysis import of_run as bots_of
from simlab.questions.bots.bot_field import in_field
from simlab.questions.bots.match_ups import Profiles, lasting_line_up, won_by_cell
from simlab.questions.bots.words import sends
from simlab.questions.finished_run import stored
from simlab.questions.headline.next_steps import command_line, no_change_tried, open_questions, studied_bots
from simlab.questions.headline.these_bots import size_of
from simlab.questions.headline.verdict import DominatedBot, SettingRate, Verdict
from simlab.questions.knob_effects.analysis import near_even
from simlab.questions.knob_effects.words import knob_sentence
from simlab.runs.view import View
from simlab.stats.bounded_mean import mean_bounds
from simlab.stats.intervals import clopper_pearson, level_of_each
from simlab.stats.tournament import dominated
from simlab.words import capital, line_up, listed

BROKEN = 0.25  #: gap between the win rates of two sides above which one bot breaks the game
SAME = 3.0  #: points up to which average play is about the same as best play
TOLERANCE = 0.01  #: a loss of win rate that does not prevent a bot from dominating another
MOST_CLOSE = 3  #: settings that may come nearest to even, up to which they are named
MOST_SETTINGS = 40  #: most settings of the knobs for which best play is computed


def verdict(view: View) -> Verdict | None:
    """The verdict in best play; None if no seat had a choice of bots."""
    if max(len(bots) for bots in view.bots.values()) < 2:
        return None
    if len(view.seats) == 1:
        return _solo(view) if not view.varied else None
    if len(view.seats) == 2 and not view.joint_sides:
        return _by_setting(view) if view.varied else _two_seats(view)
    return None if view.varied else _one_side(view) if len(view.sides) == 1 else _in_a_field(view)


# --- Two seats -------------------------------------------------------------------


def _two_seats(view: View) -> Verdict | None:
    answer = bots_of(view)
    if answer.best_play is None:
        return None
    first, sent = answer.best_play.value, list(answer.best_play.mix.values())
    lead, rates = 0 if first.value >= 0.5 else 1, (first, first.complement)
    mixes = [
        sorted(((o.bot, o.share.value) for o in mix if o.share.value >= SENT), key=lambda pair: -pair[1])
        for mix in sent
    ]
    headline, mood = _favoured(view, lead, rates[lead], only_bot(sent[lead]))
    tried = stored(view, "best_play_changes", BestPlayChanges)
    if tried and tried.seat != view.raw_seats[0]:
        tried = None
    if tried and mood != "even":
        headline = f"{headline[:-1]}; {changes_words.headline(tried, lead)}."
    described = studied_bots(view).get("descriptions", {})
    text = " and ".join(
        f"{view.the(seat)} {sends(mix, described.get(raw, {}))}"
        for seat, raw, mix in zip(view.seats, view.raw_seats, sent, strict=True)
    )
    average = view.all.value(view.payoff(lead))  # as best play counts it
    dominated_by = {seat: dominated_bots(view, seat) for seat in (0, 1)}
    sentences = [
        f"{capital(text)}. The interval of the win rate holds for the whole table of match-ups together.",
        _average_sentence(view, answer, lead, average, rates[lead]),
        *_dominated_sentences(view, dominated_by),
    ]
    untried = open_questions(view, [mix[0][0] for mix in mixes])
    if mood != "even" and not tried:
        untried.append(no_change_tried(view, mixes))
    return Verdict(
        headline=headline, findings=tuple(filter(None, sentences)), mood=mood, open=tuple(untried),
        best_play=dict(zip(view.raw_seats, rates, strict=True)),
        bots=dict(zip(view.raw_seats, map(dict, mixes), strict=True)),
        average={seat: view.all.value(view.payoff(place)) for place, seat in enumerate(view.raw_seats)},
        dominated={view.raw_seats[seat]: tuple(bots) for seat, bots in dominated_by.items() if bots},
        best_play_changes=tried,
    )  # fmt: skip


def _favoured(view: View, lead: int, rate: Estimate, alone: str) -> tuple[str, Mood]:
    who, size = view.the(view.seats[lead]), size_of(2 * rate.low - 1, 2 * rate.high - 1)
    fair = f"where a fair share is 50 %{_halves(view)}"
    half = EVEN / 2
    if rate.low > 0.5 + BROKEN / 2 and alone:
        return f"{alone} breaks the game: with best play on both sides {who} wins {rate.full}, {fair}.", "favoured"
    if rate.low >= 0.5 - half and rate.high <= 0.5 + half:
        return f"In best play with these bots the game is even: {who} wins {rate.full}.", "even"
    if rate.low > 0.5:
        words = f"In best play with these bots {who} is {size} favoured: it wins {rate.full}, {fair}."
        return words, "favoured"
    return f"In best play with these bots nobody is significantly favoured: {who} wins {rate.full}, {fair}.", "unsure"


def _halves(view: View) -> str:
    """How games without a single winner count in best play and in average play."""
    if view.all.shared:
        return ", games that both or neither wins count half for each"
    return ", games that nobody wins count half for each" if view.all.nobody else ""


def _average_sentence(view: View, answer: BotsAnswer, lead: int, average: Estimate, best: Estimate) -> str:
    """How the average over all match-ups differs from best play."""
    who, gap = view.the(view.seats[lead]), 100 * (average.value - best.value)
    counts = answer.balance
    assert counts is not None
    calls = [(f"{side.who} is favoured in", counts.favoured[side.name]) for side in answer.sides]
    calls += [("it is even in", counts.even), ("inconclusive in", counts.open)]
    split = ", ".join(f"{words} {number:,}" for words, number in calls if number)
    if counts.swapped == "pairings":
        split = f"of {counts.total:,} pairings, each in both seats, {split}"
    elif counts.swapped:
        split = "drawn line-ups"
    low = gap - 100 * math.hypot(average.value - average.low, best.high - best.value)
    high = gap + 100 * math.hypot(average.high - average.value, best.value - best.low)
    differs = "does not differ significantly"
    if max(-low, high) < SAME:
        differs = "is about the same"
    elif low > 0 or high < 0:
        differs = f"is {abs(gap):.0f} points {'higher' if gap > 0 else 'lower'}"
    return (
        f"Average play {differs}: over all {len(answer.match_ups):,} match-ups, including weak bots, {who} wins "
        f"{average.full} ({split})."
    )


def dominated_bots(view: View, seat: int) -> list[DominatedBot]:
    """The bots of a seat, one of two, that another bot of the seat dominates: against no opponent is the other bot
    worse by TOLERANCE or more. The chance of even one false claim is 5 % for both seats together.
    """
    bots, others = (view.bots[view.raw_seats[place]] for place in (seat, 1 - seat))
    place = {tuple(cell.bots[name] for name in view.raw_seats): i for i, cell in enumerate(view.cells) if cell.games}
    if len(bots) < 2 or len(place) < len(bots) * len(others) or view.varied:
        return []
    cells = [[place[(bot, other) if seat == 0 else (other, bot)] for other in others] for bot in bots]
    won, games = won_by_cell(view)[:, seat], np.array([cell.games for cell in view.cells], np.float64)
    rows = view.by_game(view.payoff(seat))

    def least(bot: int, rival: int, other: int, chance: float) -> float:
        one, two = cells[bot][other], cells[rival][other]
        if rows is not None:  # the same seeds: game by game
            values, counts = np.unique(rows[:, two] - rows[:, one], return_counts=True)
            return float(mean_bounds(values, counts, -1, 1, 1 - 2 * chance)[0])
        low, high = (clopper_pearson(won[i], games[i], 1 - chance) for i in (two, one))
        return float(low[0] - high[1])  # each end has half of the error probability, under any correlation

    found = dominated((won / np.maximum(games, 1))[cells], least, tolerance=TOLERANCE, risk=(1 - LEVEL) / 2)
    return [DominatedBot(bot=bots[one.bot], by=bots[one.rival], against_every_opponent=one.everywhere) for one in found]


def _dominated_sentences(view: View, dominated: dict[int, list[DominatedBot]]) -> Iterator[str]:
    """Dominated bots, in words no stronger than the evidence."""
    points = f"{100 * TOLERANCE:g} point{'' if TOLERANCE == 0.01 else 's'}"
    worse = "significantly worse than the bot in brackets against"
    for shown, everywhere in (
        (f"{worse} every opponent", True),
        (f"{worse} some opponent, and better by less than {points} against any", False),
    ):
        parts = []
        for seat, name in enumerate(view.seats):
            by: dict[str, list[str]] = {}
            for one in dominated[seat]:
                if one.against_every_opponent == everywhere:
                    by.setdefault(one.by, []).append(one.bot)
            if by:
                parts.append(f"as {name} {', '.join(f'{listed(bots, 6)} ({rival})' for rival, bots in by.items())}")
        if parts:
            yield f"Dominated bots (each {shown}): {'; '.join(parts)}."


# --- Knobs that vary ---------------------------------------------------------------


def _by_setting(view: View) -> Verdict | None:
    """Best play at each setting of the knobs, and the setting that comes nearest to even."""
    points = view.cells_by(lambda cell: cell.point)
    if not 1 < len(points) <= MOST_SETTINGS or view.method in ("saltelli", "sobol", "lhs", "morris"):
        return None
    strict = level_of_each(LEVEL, len(points))  # the setting nearest to even is selected on the same games
    there = {point: View(view.results, only=[cell.source for cell in cells]) for point, cells in points.items()}
    tables = {point: Profiles.of(one) for point, one in there.items()}
    best = {point: found for point, table in tables.items() if table and (found := table.equilibrium(strict))}
    if len(best) < len(points):
        return None
    rates = {point: Estimate(*one.value) for point, one in best.items()}
    who = view.the(view.seats[0])
    least, most = (pick(rates, key=lambda point: rates[point].value) for pick in (min, max))
    near = min(rates, key=lambda point: abs(rates[point].value - 0.5))
    close = [list(rates)[place] for place in near_even(list(rates.values()))]
    headline, shown = f"between {rates[least].full} with {least} and {rates[most].full} with {most}", (least, most)
    named = view.base or {knob: value for knob in view.varied if (value := view.printed(knob)) is not None}
    printed = next(
        (point for point, cells in points.items() if all(cells[0].varied.get(k) == v for k, v in named.items())), None
    )
    if printed is not None and len(named) == len(view.varied) and printed != near:
        headline, shown = f"{rates[printed].full} without a change ({printed})", (printed, printed)
    nearest = "these games do not show which setting comes nearest to even"
    if len(close) <= min(MOST_CLOSE, len(rates) - 1):
        texts = [point if point in shown else f"{point} ({rates[point].inner})" for point in close]
        nearest = f"{' or '.join(texts)} comes nearest to even"
    headline = f"In best play with these bots {who} wins {headline}; {nearest}."
    average = view.all.value(view.payoff(0))
    sentences = (
        "Best play at each setting is that of its own table of match-ups; all intervals hold together.",
        f"Averaged over all settings and bots, including weak ones, {who} wins {average.full}{_halves(view)}.",
        *(text for text in (knob_sentence(view, knob) for knob in list(view.varied)[:3]) if text),
    )
    mixes = zip(there[near].bots.values(), best[near].mixes, strict=True)
    questions = open_questions(view, [bots[int(mix.share.argmax())] for bots, mix in mixes])
    return Verdict(
        headline=headline, findings=sentences, mood="mixed", open=tuple(questions), seat=view.raw_seats[0],
        best_play_by_setting=tuple(SettingRate(setting=point, win_rate=rate) for point, rate in rates.items()),
    )  # fmt: skip


# --- One seat ----------------------------------------------------------------------


def _solo(view: View) -> Verdict | None:
    lines = bots_of(view).solo
    if not lines:
        return None
    best, who = lines[0], view.the(view.seats[0])
    scored = [line for line in lines if line.score is not None]
    score = f" and scores {best.score.full}" if best.score else ""
    level = [line.bot for line in lines[1:] if not line.sure]
    others = f"; {listed(level, 6)} may win as often" if level else ""
    headline = f"With the best bot here, {best.bot}, {who} wins {best.win_rate.full}{score}{others}."
    sentences = []
    if scored:
        top = max(scored, key=lambda line: line.score.value if line.score else 0.0)
        if top.bot != best.bot and top.score:
            sentences.append(
                f"Most points in these games come from {top.bot}: {top.score.full}, winning {top.win_rate.full}."
            )
    pool = view.all
    sentences.append(
        f"Average play: over all {len(lines)} bots, including weak ones, {who} wins {pool.win_rate(0).full}."
    )
    seat = view.raw_seats[0]
    return Verdict(
        headline=headline, findings=tuple(sentences), mood="mixed", open=tuple(open_questions(view, [best.bot])),
        best_play={seat: best.win_rate}, bots={seat: {best.bot: 1.0}}, score=best.score,
        average={seat: pool.win_rate(0)},
    )  # fmt: skip


# --- More seats --------------------------------------------------------------------


def _one_side(view: View) -> Verdict | None:
    """For a game in which all seats win or lose together: the line-up with which they win most."""
    answer = bots_of(view)
    if answer.balance is None or answer.balance.strongest is None:
        return None
    name, _, wins = view.sides[0]
    best, average = answer.balance.strongest, view.all.side_rate(0)
    headline = f"With the line-up of these bots that did best here the {name} {wins} in {best.rate.full} of the games."
    by_bot = ", ".join(f"{line.bot} {line.share.full}" for line in answer.field[:6])
    its = line_up(dict(zip(view.seats, best.bots, strict=True)))
    sentences = (
        f"It is {its}; the interval holds for all {len(answer.match_ups):,} line-ups together.",
        *([f"How often the {name} {wins} by bot, over all line-ups with it: {by_bot}."] if by_bot else []),
        f"Average play: over all line-ups, including weak bots, the {name} {wins} in {average.full}.",
    )
    return Verdict(
        headline=headline, findings=sentences, mood="mixed", open=tuple(open_questions(view, best.bots)),
        best_play={name: best.rate}, average={name: average},
        bots={seat: {bot: 1.0} for seat, bot in zip(view.raw_seats, best.bots, strict=True)},
    )  # fmt: skip


def _in_a_field(view: View) -> Verdict | None:
    """The bot that wins most in a field of others, and the balance of the sides if nobody finds a better bot."""
    lines = in_field(view)
    if not lines:
        return None
    best = lines[0]
    level = [line.bot for line in lines[1:] if not line.significantly_behind_the_first]
    sides, steady = view.sides, lasting_line_up(view)
    met = (
        f"Of these bots {best.bot} wins most, significantly more than each of the others"
        if not level
        else "These games do not show which of these bots wins most"
        if len(level) == len(lines) - 1
        else f"Of these bots {best.bot} wins most, {listed(level, 6)} perhaps as often, the others significantly less"
    )
    share = (
        f"{best.bot}'s side wins {best.share.full} of the games"
        if view.joint_sides
        else f"{best.bot} has {best.share.full} of the wins"
    )
    headline = f"{met}. Averaged over its line-ups, {share}."
    average = {name: view.all.side_rate(side) for side, (name, _, _) in enumerate(sides)}
    means = f"Average play, over all match-ups, including weak bots: {_shares(average)}."
    untried = open_questions(view, [best.bot] * len(view.seats))
    best_play, line_up_of, findings = None, None, [means]
    if steady is not None:
        bots, _ = steady
        pool = view.pool("", [c for c in view.cells if tuple(c.bots[s] for s in view.raw_seats) == bots])
        best_play = {name: pool.side_rate(side) for side, (name, _, _) in enumerate(sides)}
        line_up_of = {seat: {bot: 1.0} for seat, bot in zip(view.raw_seats, bots, strict=True)}
        remain = (bots_of(view).alpha_rank or {}).values()
        lows = (mass.mass.low for masses, bot in zip(remain, bots, strict=True) for mass in masses if mass.bot == bot)
        sure = sum(1 - low for low in lows) <= 1 - SURE_CHOICE  # of each seat's bot, in all resampled tables
        often = "" if sure else ", met most often by these estimates, but other line-ups are possible"
        findings.insert(0, headline)
        headline = f"If each seat imitates what does well ({' v '.join(bots)}{often}), they win: {_shares(best_play)}."
    else:
        all_play = command_line("simlab sweep", view, "--bot", shell.quote(f"*={best.bot}"), "-n 1000")
        untried.insert(0, f"Balance of the seats if all play {best.bot}: `{all_play}`.")
    return Verdict(
        headline=headline, findings=tuple(findings), mood="mixed", open=tuple(untried), best_play=best_play,
        bots=line_up_of, average=average, in_field={line.bot: line.share for line in lines},
    )  # fmt: skip


def _shares(rates: Mapping[str, Estimate]) -> str:
    return ", ".join(f"{name} {rate.full}" for name, rate in rates.items())
