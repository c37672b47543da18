"""A comparison in sentences, tables and a chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from simlab.game import the_seat
from simlab.present.blocks import Block, Chart, Column, Command, Paragraph, Section, Table, attributes
from simlab.present.chart import Axes, chart, drawing
from simlab.present.estimate import Estimate, beside, plain, share_of, words
from simlab.present.text import text
from simlab.questions.comparison import Change
from simlab.questions.diff.analysis import CellDiff, Diff, NotableGame, usual_divergence
from simlab.words import capital, counted


def blocks(answer: Diff) -> Iterator[Block]:
    """The answer of `simlab diff`."""
    both = answer.together
    yield Paragraph(f"Change: {_settings(answer) or 'none'}. {_size(answer)}.")
    if any(both.truncated):
        before, after = both.truncated
        yield Paragraph(
            f"Truncated games are left out on both sides: {before:,} before, {after:,} after.", "warning"
        )  # fmt: skip
    if both.differ.count == 0:
        yield Paragraph(f"Identical: 0 of {counted(both.games, 'game')} differ.", "lead")
    else:
        yield from _changed(answer)
    if answer.left_out:
        cells = counted(len(answer.left_out), "cell")
        yield Paragraph(
            f"Not compared, because only one side has them: {cells}, the first '{answer.left_out[0]}'.", "warning"
        )
    if both.differ.count:
        yield changes_table(both.changes)
        if len(answer.cells) > 1:
            yield _cells(answer)
        yield Paragraph(basis(answer), "note")
        yield _chart(answer)
    if answer.notable_games:
        yield Section("notable", "Games worth watching", tuple(_notable(answer.notable_games)))


def headline(answer: Diff) -> str:
    """One line: the first side's win rate, then the statistics that changed, the most significant first."""
    both, what = answer.together, _settings(answer) or answer.tweak
    if not both.differ.count:
        return f"{what}: identical, 0 of {both.games:,} games differ"
    first, *rest = both.changes
    moved = [one for one in rest if one.moved]
    moved.sort(key=lambda one: -abs(one.difference.value) / (one.difference.high - one.difference.low))
    parts = [f"{one.label} {one.difference.full}" for one in (first, *moved[:3])]
    return f"{what}: {'; '.join(parts)}; {both.flipped.count:,} of {both.games:,} games have another winner"


def page_title(answer: Diff) -> tuple[str, str]:
    """Title and subtitle of the page."""
    return f"{plain(answer.base, 80)}: effect of a change", f"{answer.game}, seed {answer.seed}. {_size(answer)}"


def changes_table(changes: Sequence[Change]) -> Table[Change]:
    """Statistics before and after."""
    return Table(
        changes,
        (
            *attributes("statistic=label"),
            Column[Change]("before", lambda one: beside(one.before, one.difference)),
            Column[Change]("after", lambda one: beside(one.after, one.difference)),
            *attributes("difference", "verdict", "games that differ=games_that_differ"),
            *attributes("variance reduction=variance_reduction"),
        ),
        most=200,
    )


def basis(answer: Diff) -> str:
    """Coverage and assumptions of the intervals."""
    both = any(one.both for one in answer.together.changes)
    others = len(answer.together.changes) - len(answer.prespecified)
    named = f"Pre-specified (contract): {', '.join(answer.prespecified)}. " if answer.prespecified else ""
    return (
        f"All intervals hold jointly ({100 * answer.level:g} %, Bonferroni over all statistics of the game), for this "
        "number of games. Intervals of means assume that no game changes by more than the largest change "
        "observed here or, if few games changed, by more than the largest difference between games of the two "
        "sides. "
        + ("(both): over the games that have the number on both sides. " if both else "")
        + named
        + f"{'Others' if named else 'All'} ({counted(others, 'statistic')}) are exploratory. "
        "Variance reduction: how many times as many games independent seeds would need for the same interval."
    )


def _settings(answer: Diff) -> str:
    return ", ".join(f"{name} {before} → {after}" for name, (before, after) in answer.settings.items())


def _size(answer: Diff) -> str:
    cells = f" in each of {len(answer.cells)} cells" if len(answer.cells) > 1 else ""
    return f"{counted(answer.cells[0].games, 'game')}{cells} on each side, with the same random seeds"


def _changed(answer: Diff) -> Iterator[Paragraph]:
    both = answer.together
    wins = [both.change(name) for name in answer.sides]
    mirrored = len(wins) == 2 and not any(one.topic == "winners" for one in both.changes)
    for change in wins[:1] if mirrored else wins:  # one side's loss is the other's win
        yield Paragraph(moved(change, answer.turn_name), "lead" if change is wins[0] else "plain")
    if mirrored and wins[0].moved:
        yield Paragraph(fairness(wins[0].before, wins[0].after, wins[0].pairs))
    yield Paragraph(moved(both.change("turns"), answer.turn_name))
    yield Paragraph(f"The change alters {both.differ.text}, and the winner of {both.flipped.text}.")
    if both.flips:
        ways = [f"{flip.games:,} from {_winner(flip.before)} to {_winner(flip.after)}" for flip in both.flips[:4]]
        yield Paragraph(f"Wins that changed hands: {', '.join(ways)}.")
    yield Paragraph(_variance_reduction(both))
    if answer.usual:
        yield Paragraph(_divergence(answer))


def _winner(winner: str) -> str:
    return {"nobody": "nobody", "shared": "a shared win"}.get(winner, words(winner))


def moved(change: Change, turn_name: str) -> str:
    """The change of a win rate or of the length, in a sentence."""
    unit = ""
    if change.topic == "length":
        name, unit = "The length of a game", f" {turn_name}s"
    else:
        who = words(change.about)  # no article: a seat may have a person's name
        who = f"the {who}" if change.topic == "side" else who
        name = f"{capital(who)}'{'' if who.endswith('s') else 's'} win rate"
    shift = change.difference
    before, after = (beside(value, shift).text for value in (change.before, change.after))
    if change.verdict != "changed":
        return f"{name}: {change.verdict}. {before} before, {after}{unit} after; the change is {shift.full}."
    way = "rises" if shift.value > 0 else "falls"
    return f"{name} {way} from {before} to {after}{unit}: {shift.full}."


def fairness(before: float, after: float, games: int) -> str:
    """Whether the win rate of one of two seats, which has changed, comes closer to even, as far as these games show."""
    was, now, between = (share_of(rate * games, games) for rate in (before, after, (before + after) / 2))
    if was.low > 0.5 > now.high or was.high < 0.5 < now.low:
        return f"It crosses even (50 %): {_off_even(was)} away before, {_off_even(now)} on the other side after."
    if between.low <= 0.5 <= between.high:
        return "These games do not show whether that is closer to even (50 %) or further from it."
    if (after > before) == (between.value > 0.5):
        return f"Further from even (50 %): now {_off_even(now)} away."
    if now.low <= 0.5 <= now.high:
        return "Closer to even (50 %), and no longer significantly different from it."
    return f"Closer to even (50 %), but still {_off_even(now)} away."


def _off_even(rate: Estimate) -> str:
    """Its distance: `17 points (10 to 24)`."""
    low, high = sorted(abs(end - 0.5) for end in (rate.low, rate.high))
    points = Estimate(100 * abs(rate.value - 0.5), 100 * low, 100 * high, False)
    return f"{points.text} points ({points.ends})"


def _variance_reduction(both: CellDiff) -> str:
    wins = [one for one in both.changes if one.topic == "win"]
    factor = max(wins, key=lambda one: one.games_that_differ).variance_reduction
    if factor is None:
        return "Variance reduction by common random numbers: unknown, because the winner changes in too few games."
    return f"Variance reduction of the win rates by common random numbers: {factor.full}."


_KINDS = {
    "choice": "{who} chooses differently among the same options",
    "options": "{who} has other options and chooses differently",
    "decision": "{who} decides next in one version, and another decision is due in the other",
    "end": "one of the two games is over and the other continues",
}


def _divergence(answer: Diff) -> str:
    diverging, usual = answer.diverging, usual_divergence(answer.diverging)
    assert answer.usual
    turns = sorted(one.turn for one in diverging)
    first, middle, third = (turns[max(-(-len(turns) * quarter // 4) - 1, 0)] for quarter in (1, 2, 3))
    how = _KINDS[usual.kind].format(who=f"{the_seat(answer, usual.seat)} ({usual.decision})")
    positions = Counter(name for one in diverging for name in one.position).most_common(2)
    set_up = ", from the set-up on" if 2 * sum(one.position_turn < 0 for one in diverging) > len(diverging) else ""
    names = " and ".join(name for name, _ in positions)
    where = f" The positions first differ in {names}{set_up}." if positions else ""
    games = "flipped games" if answer.together.flipped.count else "games that differ"
    span = f"{answer.turn_name} {first}" if first == third else f"{answer.turn_name}s {first} to {third}"
    share = answer.usual.share
    return (
        f"{len(diverging)} {games} were replayed step by step. Half of them diverge by {answer.turn_name} {middle} "
        f"(the middle half in {span}). In {answer.usual.count} of them ({share.ends} % of "
        f"all such games), {how}: '{usual.base}' before, '{usual.tweak}' after.{where}"
    )


def _cells(answer: Diff) -> Table[CellDiff]:
    """The first win rate in each cell, the largest change first."""
    name = answer.cells[0].changes[0].statistic

    def of(cell: CellDiff) -> Change:
        return cell.change(name)

    return Table(
        sorted(answer.cells, key=lambda cell: -abs(of(cell).difference.value)),
        (
            *attributes("cell=base"),
            Column[CellDiff](f"{name} before", lambda cell: beside(of(cell).before, of(cell).difference)),
            Column[CellDiff]("after", lambda cell: beside(of(cell).after, of(cell).difference)),
            Column[CellDiff]("difference", lambda cell: of(cell).difference),
            Column[CellDiff]("verdict", lambda cell: of(cell).verdict),
            *attributes("games flipped=flipped.count", "games"),
        ),
    )


def _notable(games: Sequence[NotableGame]) -> Iterator[Command]:
    for game in games:
        label = f"{game.why} (game {text(game.game)}, {game.cell})"
        if game.beside:
            yield Command(label, game.beside)
        else:
            yield from (Command(f"{label}, before", game.base), Command("after", game.tweak))


def _chart(answer: Diff) -> Chart:
    rates = [one for one in answer.together.changes if one.rate and one.games_that_differ]
    shown = rates or [one for one in answer.together.changes if one.games_that_differ]
    what = "rate, in points" if rates else "mean"
    return Chart(
        "changes", lambda: changes_chart(shown),
        f"Change of each {what}, with its paired interval; all intervals hold jointly ({100 * answer.level:g} %). "
        "Colour marks changes; for the others no change is detectable.",
        games=(),
    )  # fmt: skip


@chart
def changes_chart(changes: Sequence[Change], ax: Axes | None = None) -> Axes:
    """Differences with their intervals, one line each; established changes in colour."""
    names, sizes = [words(change.label) for change in changes], [change.difference for change in changes]
    ax = drawing.effects(ax, names, sizes, [change.moved for change in changes], drawing.FACE, 36)
    ax.set_xlabel("after minus before")
    return ax
