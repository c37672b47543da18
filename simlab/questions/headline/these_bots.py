"""Who is favoured with the bots that were played, if best play is unknown."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from simlab.present.estimate import EVEN, LEVEL, Estimate, Mood, plain, value_text
from simlab.questions.bots.analysis import of_run as bots_of
from simlab.questions.bots.words import balance_sentence
from simlab.questions.headline.next_steps import studied_bots
from simlab.questions.headline.verdict import Verdict
from simlab.questions.knob_effects.words import knob_sentence
from simlab.questions.method.analysis import cells_word, equal_share
from simlab.questions.win_rates.analysis import roles_in, roles_of
from simlab.runs.cell_pools import Pool
from simlab.runs.view import View
from simlab.stats.figure import score_name
from simlab.stats.intervals import clopper_pearson, games_for, level_of_each
from simlab.stats.paired import mcnemar, score_interval
from simlab.words import capital, counted, listed, two_digits


def size_of(low: float, high: float) -> str:
    """How strongly a side is favoured if its win rate exceeds the other's by this gap, in words that hold for the gap's
    whole interval.
    """
    sizes = "slightly", "clearly", "strongly", "overwhelmingly"
    least, most = (bisect.bisect_right((0.08, 0.25, 0.6), gap) for gap in (low, high))
    if most > least + 1:
        return "significantly"
    return sizes[least] if least == most else f"{sizes[least]} or {sizes[most]}"


def verdict(view: View) -> Verdict:
    """Who is favoured if best play is unknown."""
    return with_roles(view, _verdict(view))


def _verdict(view: View) -> Verdict:
    if view.has_sides or len(view.seats) > 2:
        return _any_seats(view)
    if len(view.seats) == 1:
        return _solo(view)
    return _one_cell(view) if len(view.cells) == 1 else _many_cells(view)


@dataclass(frozen=True)
class Favour:
    """The seat that wins more in a cell, in a game of two seats."""

    seat: int  #: the seat that is ahead
    gap: float  #: difference between its win rate and the other's
    low: float  #: low, high: interval of the gap
    high: float
    chance: float  #: probability of such a gap between two equal seats

    @property
    def even(self) -> bool:
        """Whether the gap is significantly small."""
        return max(abs(self.low), abs(self.high)) <= EVEN

    @property
    def sure(self) -> bool:
        """Whether the gap is significant: its interval excludes 0, and the exact test, which few games need, agrees."""
        return self.low > 0 and self.chance <= 1 - LEVEL


def favour(wins: Sequence[int], games: int, level: float = LEVEL) -> Favour:
    """The seat of two that is ahead, and by how much. wins: games that each seat won alone; others do not count."""
    seat = 0 if wins[0] >= wins[1] else 1
    more, less = wins[seat], wins[1 - seat]
    low, high = score_interval(float(more), float(less), games, level)
    gap = (more - less) / games if games else 0.0
    return Favour(seat, gap, low, high, float(mcnemar(wins[0], wins[1])))


def _one_cell(view: View) -> Verdict:
    cell, pool = view.cells[0], view.all
    leaning = favour([int(n) for n in cell.alone], cell.games)
    ahead, behind = view.seats[leaning.seat], view.seats[1 - leaning.seat]
    rate, other = pool.win_rate(leaning.seat), pool.win_rate(1 - leaning.seat)
    about = f"about {in_words(rate)}, " if in_words(rate) else ""
    numbers = f"wins {about}{rate.full}, {view.the(behind)} {other.full}"
    if pool.without_single:
        numbers += f"; {pool.undecided().full} of the games have no single winner"
    mood: Mood
    if leaning.even:
        mood, headline = "even", f"Between these bots the game is even: {view.the(ahead)} {numbers}."
    elif leaning.sure:
        mood = "favoured"
        favoured = f"{size_of(leaning.low, leaning.high)} favoured beyond {equal_share(view)}"
        headline = f"With these bots {view.the(ahead)} is {favoured}. It {numbers}."
    else:
        mood = "unsure"
        half = max(leaning.gap / 2, EVEN / 2)
        games = max(cell.games, 1)
        single = float(sum(cell.alone)) / games  # the share of games that carry information on the gap
        need = games_for(0.5, half / 2) * max(single - leaning.gap**2, 1 / games)
        more = max(need - games, games)
        headline = (
            f"Too few games to say who is favoured beyond {equal_share(view)}: {view.the(ahead)} {numbers}. About "
            f"{counted(two_digits(more), 'more game')} would narrow the difference to ±{100 * half:.1f} points."
        )
    return Verdict(headline=headline, findings=(_how_sure(leaning), limits(view)), mood=mood)


def in_words(rate: Estimate) -> str:
    """A rate as "5 games in 6", or nothing if no small fraction is near."""
    if not 0.02 < rate.value < 0.98:
        return ""
    near = Fraction(rate.value).limit_denominator(10)
    if near in (0, 1) or abs(float(near) - rate.value) > 0.012:
        return ""
    return f"{near.numerator} game{'s' if near.numerator > 1 else ''} in {near.denominator}"


def _how_sure(leaning: Favour) -> str:
    chance = leaning.chance
    if leaning.even:
        points = 100 * max(abs(leaning.low), abs(leaning.high))
        return (
            f"Confidence: the difference between the two is at most {points:.1f} points; less than "
            f"{100 * EVEN:.0f} points count as even."
        )
    gap = "two equal seats would differ this much by chance in"
    if chance < 1e-6:
        return f"Confidence: very high; {gap} fewer than one run of this size in a million."
    if chance < 1 - LEVEL:
        how = "high" if chance < 0.001 else "moderate"
        return f"Confidence: {how}; {gap} about one run of this size in {two_digits(1 / chance):,}."
    return f"Confidence: low; {gap} {100 * chance:.0f} of 100 runs of this size."


def limits(view: View) -> str:
    bots = "; ".join(
        f"{seat}: {', '.join(view.bots[raw][:12])}{' and others' if len(view.bots[raw]) > 12 else ''}"
        for seat, raw in zip(view.seats, view.raw_seats, strict=True)
    )
    return f"These results are for these bots ({bots}). People or other bots may do differently."


def lean(cells: Sequence[tuple[Sequence[int], int]]) -> tuple[Counter[int | str], bool]:
    """Counts cells by the seat that they favour. A cell is (games that each seat won alone, games).

    In each cell at most one call can be wrong: `favoured` if the seats are equal, `even` if they are not. It therefore
    suffices to divide the error probability among the cells (Bonferroni); the probability of even one wrong call is at
    most 1 - LEVEL.

    Returns:
        (place of a seat, `even` or `open` -> number of cells; whether calls contradict each other: a favoured cell and
        an inconclusive one may be alike).
    """
    each = level_of_each(LEVEL, len(cells))
    found = [favour(wins, games, each) for wins, games in cells]
    calls = Counter[int | str]("even" if f.even else f.seat if f.chance <= 1 - each else "open" for f in found)
    return calls, bool(calls[0] and calls[1]) or bool(calls["even"] and any(f.low > EVEN for f in found))


def bots_differ(view: View) -> Iterator[str]:
    """A warning if the seats of one cell have different bots that could also play the other seats."""
    if len(view.cells) != 1 or len(view.seats) < 2 or view.has_sides:
        return
    bots = {seat: view.bots[seat][0] for seat in view.raw_seats}
    untried = studied_bots(view).get("untried", {})
    elsewhere = any(bots[one] in untried.get(other, ()) for one in bots for other in bots if bots[one] != bots[other])
    several = 1 < len(set(bots.values())) < len(bots)  # one of them sits in two seats already
    if elsewhere or several:
        yield (
            "The seats have different bots, which may cause or hide differences between the seats. To compare the "
            "seats, use the same bots in all seats, or all bots in each seat (`simlab compare`)."
        )


def _many_cells(view: View) -> Verdict:
    mood: Mood
    one, two = view.seats
    together = f"Over all games, {view.the(one)} wins {view.all.win_rate(0).full}{_drawn(view)}."
    bots = None if view.varied else bots_of(view)
    if bots is not None and bots.balance is not None and bots.balance.swapped:
        mood = "mixed" if bots.balance.leader is None or bots.balance.stamp == "open" else "favoured"
        findings = (together, _best_bots(view), limits(view))
        return Verdict(headline=balance_sentence(bots), findings=findings, mood=mood)
    calls, differ = lean([([int(n) for n in cell.alone], cell.games) for cell in view.cells])
    total, cells = len(view.cells), cells_word(view)
    fair = equal_share(view)
    if total in (calls[0], calls[1]):
        ahead = view.the(one if calls[0] else two)
        mood, headline = "favoured", f"With these bots {ahead} is favoured beyond {fair} in all {total:,} {cells}."
    elif calls["even"] == total:
        mood, headline = "even", f"With these bots the game is even in all {total:,} {cells}."
    elif calls["open"] == total:
        mood = "unsure"
        headline = f"Too few games to say who is favoured beyond {fair} in any of the {total:,} {cells}."
    else:
        mood = "mixed"
        favoured = "is favoured in" if differ else f"is favoured beyond {fair} in"
        parts = [
            (f"{view.the(one)} {favoured}", calls[0]),
            (f"{view.the(two)} {'in' if calls[0] else favoured}", calls[1]),
            ("it is even in", calls["even"]), ("it is inconclusive in", calls["open"]),
        ]  # fmt: skip
        texts = ", ".join(f"{text} {number:,}" for text, number in parts if number)
        headline = f"Of {total:,} {cells}, {texts}."
        if differ:
            headline = f"Who is favoured beyond {fair} depends on {_cause(view)}: of {total:,} {cells} {texts}."
    sentences = [f"{together} The win rates of single {cells} lie between {_extremes(view)}."]
    if view.method not in ("one_at_a_time", "saltelli", "morris"):  # there knobs are not compared with all else equal
        sentences += [knob_sentence(view, knob) for knob in list(view.varied)[:3]]
    if view.is_matrix:
        sentences.append(_best_bots(view))
    sentences.append(
        f"Confidence: all {cells} were judged together; the chance of even one wrong call is at most "
        f"{100 * (1 - LEVEL):.0f} %. {limits(view)}"
    )
    return Verdict(headline=headline, findings=tuple(filter(None, sentences)), mood=mood)


def _drawn(view: View) -> str:
    return f"; {view.all.undecided().full} of the games have no single winner" if view.all.without_single else ""


def _cause(view: View) -> str:
    parts = ["the bots"] if any(len(bots) > 1 for bots in view.bots.values()) else []
    parts += map(plain, view.varied)
    return " and ".join(parts[:3]) + (" and more" if len(parts) > 3 else "") if parts else "the cell"


def _extremes(view: View) -> str:
    """The lowest and the highest rate; selected by their own games, they have intervals that hold for all cells."""
    strict = level_of_each(LEVEL, len(view.cells))
    rates = [(cell.wins[0] / cell.games, i) for i, cell in enumerate(view.cells) if cell.games]
    ends = [view.cells[i] for _, i in (min(rates), max(rates))]
    rates_of = (f"{view.pool('', [end]).win_rate(0, strict).full} for {view.cell_label(end)}" for end in ends)
    return " and ".join(rates_of)


def _best_bots(view: View) -> str:
    """The best and the worst bot of each seat, with intervals that hold for all of its bots together."""
    parts = []
    for seat in range(len(view.seats)):
        pools = view.by_bot(seat)
        if len(pools) < 2:
            continue
        strict = level_of_each(LEVEL, len(pools))
        rates = [(pool.win_rate(seat, strict), pool.label) for pool in pools]
        best, worst = max(rates, key=lambda r: r[0].value), min(rates, key=lambda r: r[0].value)
        name = view.seats[seat]
        top = all(rate is best or rate[0].high < best[0].low for rate in rates)
        bottom = all(rate is worst or rate[0].low > worst[0].high for rate in rates)
        first = f"the strongest {name} is" if top else f"the {name} with most wins, not significantly, is"
        last = "the weakest" if top and bottom else "the one with fewest"
        parts.append(f"{first} {best[1]} ({best[0].inner}), {last} {worst[1]} ({worst[0].inner})")
    text = "; ".join(parts)
    return f"{capital(text)}." if text else ""


def _solo(view: View) -> Verdict:
    """How often the only player beats the game, and at what score."""
    findings = [_best_bots(view), _solo_score(view), *(knob_sentence(view, knob) for knob in view.varied), limits(view)]
    headline = f"With {_bots_text(view)} the {view.seats[0]} wins {view.all.win_rate(0).full} of the games."
    return Verdict(headline=headline, findings=tuple(filter(None, findings)), mood="mixed")


def _solo_score(view: View) -> str:
    name = score_name(view.raw_seats[0])
    if not view.has_scores or name not in view.all.metric_names:
        return ""
    text = f"It scores {view.all.mean(name).full} on average, lost games included"
    pools = view.by_bot(0)
    if len(pools) > 1:
        strict = level_of_each(LEVEL, len(pools))  # the ends of the range are selected by these games
        means = [(pool.mean(name, strict), pool.label) for pool in pools]
        (low, worst), (high, best) = min(means, key=lambda m: m[0].value), max(means, key=lambda m: m[0].value)
        text += f": from {low.full} by {worst} to {high.full} by {best}"
    return f"{text}."


def _bots_text(view: View) -> str:
    """The bots as a headline names them; a single bot in all seats by its name."""
    named = {bot for bots in view.bots.values() for bot in bots}
    if len(named) > 1:
        return "these bots"
    return f"{named.pop()} in all seats" if len(view.seats) > 1 else named.pop()


def _any_seats(view: View) -> Verdict:
    """Who is favoured among the sides of a game; for a game with one side, how often it wins."""
    pool, sides = view.all, view.sides
    level = level_of_each(LEVEL, len(sides))
    rates = [pool.side_rate(side, level) for side in range(len(sides))]
    if len(sides) == 1:
        name, _, wins = sides[0]
        headline = f"With {_bots_text(view)} the {name} {wins} in {rates[0].full} of the games."
        return Verdict(headline=headline, findings=(limits(view),), mood="mixed")
    names = [name for name, _, _ in sides] if view.has_sides else view.labels
    numbers = ", ".join(f"{name} {rate.full}" for name, rate in zip(names, rates, strict=True))
    numbers += f", nobody {pool.share(pool.nobody, level=level).full}" if pool.nobody else ""
    fair = sum(rate.value for rate in rates) / len(sides)
    rates = [_exact(pool, side, level) for side in range(len(sides))]
    best = sorted(range(len(sides)), key=lambda side: -rates[side].value)
    best = [side for side in best if rates[side].low > fair + EVEN / 2]
    behind = [name for name, rate in zip(names, rates, strict=True) if rate.high < fair - EVEN / 2]
    kind, share = "side" if view.has_sides else "seat", equal_share(view)
    mood: Mood
    if best:
        is_are = "are" if len(best) > 1 or (view.has_sides and sides[best[0]][2] == "win") else "is"
        favoured = listed([view.the_side(sides[side][0]) for side in best])
        mood, found = "favoured", f"{favoured} {is_are} favoured beyond {share}"
    elif all(abs(end - fair) <= EVEN / 2 for rate in rates for end in (rate.low, rate.high)):
        mood, found = "even", f"the {kind}s are even"
    elif all(rate.low <= fair <= rate.high for rate in rates):
        mood, found = "unsure", f"no {kind} is significantly favoured beyond {share}"
    elif behind:
        mood, found = "mixed", f"significantly less than {share} goes to {listed(behind)}"
    else:
        most = max(abs(end - fair) for rate in rates for end in (rate.low, rate.high))
        mood, found = "mixed", f"the {kind}s win unequally, each within {math.ceil(100 * most)} points of {share}"
    headline = f"With {_bots_text(view)} {found}: {numbers}."
    average = f"the average of the {kind}s. The intervals hold for all {kind}s together."
    judged = f"A fair share is {100 * fair:.1f} %, {average}"
    total, cells = len(view.cells), cells_word(view)
    if total == 1:
        return Verdict(headline=headline, findings=(judged, limits(view)), mood=mood)
    curves = list(view.varied)[:3] if not view.joint_sides and not view.designed else []
    knobs = [sentence for knob in curves if (sentence := knob_sentence(view, knob))]
    ahead = _ahead_by_cell(view)
    named = [(side, count) for side, count in ahead.most_common() if side is not None]
    if len(named) > 1:
        sides_ahead = [f"{view.the_side(sides[side][0])} in {count:,}" for side, count in named]
        sides_ahead += [f"it is inconclusive in {ahead[None]:,}"] if ahead[None] else []
        headline = f"Which {kind} wins most depends on {_cause(view)}: of {total:,} {cells} {', '.join(sides_ahead)}."
        over_all = f"Averaged over all {total:,} {cells}: {numbers}."
        return Verdict(headline=headline, findings=(*knobs, over_all, judged, limits(view)), mood="mixed")
    headline = f"Averaged over all {total:,} {cells}: {headline}"
    return Verdict(headline=headline, findings=(*knobs, judged, limits(view)), mood=mood)


def _exact(pool: Pool, side: int, level: float) -> Estimate:
    """How often a side wins; in one cell with an exact interval, because in few games between many seats Wilson's calls
    one of them favoured too often.
    """
    rate = pool.side_rate(side, level)
    if pool.size > 1:
        return rate
    low, high = clopper_pearson(rate.value * pool.games, pool.games, level)
    return Estimate(rate.value, float(low), float(high))


def _ahead_by_cell(view: View) -> Counter[int | None]:
    """Side -> cells in which it wins more than each other side; the key None holds the inconclusive cells.

    The intervals hold for all sides and cells together (Bonferroni): the chance of even one wrong call is at most
    1 - LEVEL.
    """
    sides = range(len(view.sides))
    level = level_of_each(LEVEL, len(sides) * len(view.cells))
    ahead: Counter[int | None] = Counter()
    for cell in view.cells:
        rates = [_exact(view.pool("", [cell]), side, level) for side in sides]
        best = max(sides, key=lambda side: rates[side].value)
        others = [rates[side].high for side in sides if side != best]
        ahead[best if rates[best].low > max(others) else None] += 1
    return ahead


# --- Roles, start places and the like ---------------------------------------------


def with_roles(view: View, found: Verdict) -> Verdict:
    """The verdict of a game in which roles are dealt, or start places, or an order of play: the headline begins with
    those that win significantly more than others, and with the knob that changes it. A fair deal makes seats even,
    whatever the roles are worth.
    """
    apart, alike = _by_category(view)
    if not apart and not alike:
        return found
    by_knob = list(_by_role_and_knob(view))
    moved = [sentence for sentence, clear in by_knob if clear]
    headline = " ".join([*apart, *moved[:1], found.headline, *([] if moved else alike)])
    mood = "mixed" if (apart or moved) and found.mood == "even" else found.mood
    others = [sentence for sentence, _ in by_knob if sentence not in moved[:1]]
    findings = (*found.findings, *others)
    return found.model_copy(update={"headline": headline, "mood": mood, "findings": findings})


def _by_category(view: View) -> tuple[list[str], list[str]]:
    """A sentence for each category in which the most successful value wins significantly more than the least; and for
    the others. The intervals hold for all values of all categories together.
    """
    apart, alike = [], []
    strict = level_of_each(LEVEL, sum(len(category.values) for category in view.names.seat_categories))
    for category in view.names.seat_categories:
        every = [(role, role.rate(view.all, strict)) for role in roles_in(category)]
        shares = {role.short_name: rate for role, rate in every if rate is not None}
        if len(shares) < 2:
            continue
        order = sorted(shares, key=lambda value: -shares[value].value)
        shown = order if len(order) <= 4 else [*order[:2], order[-1]]
        parts = ", ".join(f"{value} wins {shares[value].full}" for value in shown)
        left = "" if len(order) <= 4 else " (the others lie between)"
        name = plain(category.name, 60).replace("_", " ")
        if shares[order[0]].low > shares[order[-1]].high:
            each = f"Averaged over all {len(view.cells):,} {cells_word(view)}, wins" if len(view.cells) > 1 else "Wins"
            apart.append(f"{each} depend on the {name}: {parts}{left}.")
        else:
            alike.append(f"No {name} wins significantly more than another: {parts}{left}.")
    return apart, alike


def _by_role_and_knob(view: View) -> Iterator[tuple[str, bool]]:
    """The effect of each knob that varies on each role, and whether it is significant for a role. The intervals hold
    for all of them together.
    """
    roles = roles_of(view)
    strict = level_of_each(LEVEL, 2 * max(len(roles) * len(view.varied), 1))
    for knob, values in view.varied.items():
        pools, moves, clear = view.by_value(knob), [], False
        for role in roles:
            before, after = (role.rate(pool, strict) for pool in (pools[0], pools[-1]))
            if before is None or after is None:
                continue
            apart = before.high < after.low or after.high < before.low
            clear |= apart
            verb = "goes" if not apart else "rises" if after.value > before.value else "falls"
            unsure = "" if apart else ", no clear change"
            moves.append(f"{role.short_name} {verb} from {before.full} to {after.full}{unsure}")
        if moves:
            first, last = value_text(values[0]), value_text(values[-1])
            by = roles[0].category_words
            yield f"Wins by {by} as {plain(knob)} goes from {first} to {last}: {listed(moves)}.", clear
