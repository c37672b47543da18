"""Lists of games, rules, knobs, bots, statistics, card tables and columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simlab.present.blocks import Block, Column, Paragraph, Table, attributes, places
from simlab.questions.info import analysis as of
from simlab.questions.info.bot_behaviour import DistanceLine, Fingerprint

MOST = 10_000  #: lines of a list


def blocks(answer: Any) -> Iterator[Block]:
    yield from _WORDS[type(answer)](answer)


def _games(answer: of.Games) -> Iterator[Block]:
    columns = (
        *attributes("game", "title"),
        Column[of.GameLine]("seats", _seats),
        *attributes("rules", "knobs", "from=source", "what=summary"),
    )
    yield Table([line for line in answer.games if not line.small], columns)
    small = [line for line in answer.games if line.small]
    if small:
        yield Table(small, columns, title="Small known games, for learning and for checks")


def _seats(line: of.GameLine) -> str:
    least, most = line.players
    if least < most:
        return f"{least} to {most}"
    return " v ".join(line.seats) if len(line.seats) <= 2 else str(len(line.seats))


def _rules(answer: of.Rules) -> Iterator[Block]:
    games = answer.games_played
    counted = (
        Column[of.RuleLine]("per game", lambda rule: (rule.fired or 0) / games),
        Column[of.RuleLine]("% of games", lambda rule: 100 * (rule.games or 0) / games),
    )
    id_, *about = attributes("rule=id", "text", "where", "status", "knobs")
    yield Table(answer.rules, (id_, *(counted if games else ()), *about), most=MOST)
    if games:
        never = sum(rule.fired == 0 for rule in answer.rules)
        yield Paragraph(f"{games:,} games, {answer.line_up}; {never} of {len(answer.rules)} rules never fired.")


def _knobs(answer: of.Knobs) -> Iterator[Block]:
    groups = {
        "Numbers": [line for line in answer.knobs if not line.switch and not line.luck],
        "Rulings that could go the other way": [line for line in answer.knobs if line.switch and not line.luck],
        "Loaded dice, weighted cards, bad shuffles, bans": [line for line in answer.knobs if line.luck],
    }
    columns = (
        *attributes("knob"),
        Column[of.KnobLine]("default", lambda knob: str(knob.default).lower() if isinstance(knob.default, bool) else
                            knob.default),
        *attributes("allowed", "rules", "what=help"),
    )  # fmt: skip
    for title, lines in groups.items():
        if lines:
            yield Table(lines, columns, title=title, most=MOST)


def _bots(answer: of.Bots) -> Iterator[Block]:
    columns = (
        *attributes("bot", "seats", "how it plays=help"),
        Column[of.BotLine]("random", lambda bot: "yes" if bot.uses_chance else ""),
        Column[of.BotLine]("traits", _traits),
    )
    yield Table(answer.bots, columns, most=MOST)


def _traits(bot: of.BotLine) -> str:
    return "\n".join(f"{name} = {t.default:g} ({t.low:g}..{t.high:g}): {t.help}" for name, t in bot.traits.items())


def _statistics(answer: of.Statistics) -> Iterator[Block]:
    title = f"Statistics of {answer.game} that a contract can name"
    yield Table(answer.figures, attributes("statistic=figure", "words", "unit"), title=title, most=MOST)
    example = next(line.figure for line in answer.figures if line.share)
    yield Paragraph(
        f"{answer.quantiles} In a contract a share is a number from 0 to 1: {example} = {{ min = 0.4, max = 0.6 }}."
    )


def _tables(answer: of.CardTables) -> Iterator[Block]:
    columns = attributes("table", "rows", "reconstructed", "columns")
    yield Table(answer.tables, columns, title=f"Card tables of {answer.game}", most=MOST)
    if answer.copied:
        name, file = answer.tables[0].table, answer.copied[0]
        yield Paragraph(f"{len(answer.copied)} files copied. Edit one in a spreadsheet, then: --cards {name}={file}")
    else:
        yield Paragraph("To edit them, add --copy my_cards to this command.")


def _decisions(answer: of.Decisions) -> Iterator[Block]:
    columns = (
        *attributes("decision", "name"),
        Column[of.DecisionLine]("options", lambda line: ", ".join(line.options) or "–"),
    )
    title = f"Kinds of decisions of {answer.game}: --ban removes an option, DECISION/OPTION or DECISION"
    yield Table(answer.decisions, columns, title=title, most=MOST)


def _columns(answer: of.Columns) -> Iterator[Block]:
    title = f"One row per game, in results/<name>/cells/<key>/*.parquet ({answer.game})"
    title = title if answer.game else "One row per move, as simlab replay --table writes them"
    yield Table(answer.columns, attributes("column", "type", "what=help"), title=title, most=MOST)


def _experiments(answer: of.Experiments) -> Iterator[Block]:
    yield Table(answer.experiments, attributes("experiment", "game", "question"), most=MOST)
    yield Paragraph("Play one with: simlab run NAME -n 2000")


def _scenarios(answer: of.Scenarios) -> Iterator[Block]:
    yield Table(answer.scenarios, attributes("scenario", "game", "title", "steps"), most=MOST)
    yield Paragraph("See one with: simlab replay --scenario NAME")


def _metrics(answer: of.Metrics) -> Iterator[Block]:
    if answer.metrics:
        yield Table(answer.metrics, attributes("metric", "what=help", "unit", "by seat=by_seat", "from=source"))
    else:
        yield Paragraph("No installed package provides a metric.")
    yield Paragraph("To write your own: simlab new metric NAME, then --metric ./NAME.py")


def _forms(answer: of.Forms) -> Iterator[Block]:
    yield Table(answer.schemas, attributes("schema=schema_name", "version", "kind", "of"), most=MOST)
    yield Paragraph("The schema of an answer: simlab info schema NAME. Columns of the tables: docs/files.md.")


def _overview(answer: of.Overview) -> Iterator[Block]:
    least, most = answer.players
    seats = f"{least} to {most} players" if least < most else " v ".join(answer.seats)
    yield Paragraph(f"{answer.title}: {answer.summary}", "lead")
    yield Paragraph(f"Seats: {seats}. Endings: {', '.join(answer.endings)}. Default bot: {answer.default_bot}.")
    counts = [
        (topic, getattr(answer, topic), f"simlab info {answer.game} {topic}")
        for topic in ("rules", "knobs", "bots", "statistics", "tables", "columns", "decisions")
    ]
    yield Table(counts, places("topic", "entries", "list them with"))


def _distances(answer: of.Distances) -> Iterator[Block]:
    columns = (
        *attributes("seat", "bot=one", "other bot=other", "choose differently=differ", "positions"),
        Column[DistanceLine]("most often at", _widest),
    )
    note = "Positions with more than one legal action, in games of both bots; 95 % intervals over games."
    yield Table(answer.distances, columns, note=note)


def _widest(line: DistanceLine) -> str:
    widest = sorted(line.by_decision.items(), key=lambda item: -item[1][1])[:3]
    return "; ".join(f"{kind}: {k} of {n}" for kind, (n, k) in widest if k)


def _fingerprints(answer: of.Fingerprints) -> Iterator[Block]:
    columns = (
        *attributes("seat", "bot", "fingerprint=digest", "positions"),
        Column[Fingerprint]("most frequent choices", _habits),
    )
    note = "All bots of a seat choose in the same positions of random games; equal fingerprints mean equal choices."
    yield Table(answer.fingerprints, columns, note=note)


def _habits(taken: Fingerprint) -> str:
    return "\n".join(f"{h.decision}: {h.action} {h.share:.0%} of {h.positions}" for h in taken.habits)


_WORDS: dict[type, Any] = {
    of.Games: _games, of.Rules: _rules, of.Knobs: _knobs, of.Bots: _bots, of.Statistics: _statistics,
    of.CardTables: _tables, of.Columns: _columns, of.Experiments: _experiments, of.Scenarios: _scenarios,
    of.Metrics: _metrics, of.Forms: _forms, of.Overview: _overview, of.Distances: _distances,
    of.Fingerprints: _fingerprints, of.Decisions: _decisions,
}  # fmt: skip
