"""simlab show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli.common import JsonOption, PlayersOption, emit_json, show_answer, table
from simlab.cli.common import show as print_table
from simlab.errors import UserMistake, nearest
from simlab.present.blocks import Paragraph
from simlab.questions import answer_types, questions
from simlab.registry import at_table
from simlab.runs.forms import ANSWERS, schema_of
from simlab.runs.forms import TABLES as FILES

if TYPE_CHECKING:
    from simlab.game import Game
    from simlab.stats.figure import Figures

_WHAT = ("experiments", "scenarios", "metrics", "figures", "tables", "schema", "schemas", "experiment-schema")
_COUNTED = ("actions", "items", "rules", "tracks")


def show(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="experiments, scenarios, metrics, figures, tables, schema, schemas or experiment-schema; "
            "of a folder of results actions, items, luck, rules or tracks.",
            autocompletion=lambda: [*_WHAT, *_COUNTED, *(question.name for question in questions())],
        ),
    ],
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME|FOLDER]",
            help="Game whose figures, tables or columns, or whose knobs and bots, are meant; or folder of results.",
            show_default=False,
        ),
    ] = None,
    players: PlayersOption = None,
    copy: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Of tables: copy the game's CSV files there, to be edited and given to --cards.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Print the ready experiments and scenarios, a game's figures and tables, or what results and experiments hold.

    experiments: the ready ones by name, with their questions. scenarios: the ready ones by name, with what they show.
    metrics: those that installed packages bring, for --metric.
    figures: what a contract may ask of a game, by name, with words and unit. tables: a game's cards, troops, maps:
    CSV files that a spreadsheet opens. schema: the columns of a run's Parquet files,
    those of simlab events (moves), or the JSON Schema of an answer.
    schemas: all forms of answers and files, with their versions (docs/files.md).
    experiment-schema: JSON Schema for editors, which then complete and check experiment files; with a game,
    its seats, bots, knobs and tables too.
    Of a folder of results: actions, how often each was open and taken; items, how often each was had and used, and what
    goes with that; tracks over the turns; rules that fired; luck, as far as the run looked into it.

    Examples:
      simlab show experiments
      simlab show figures simple_siege
      simlab show metrics
      simlab show tables simple_siege --copy my_cards
      simlab show schema simple_siege
      simlab show schema run
      simlab show schema moves
      simlab show experiment-schema
      simlab sweep simple_siege -n 200 --out results/siege
      simlab show actions results/siege
    """
    if players is not None and not game:
        raise UserMistake("--players goes with a game.")
    of_a_run = (*_COUNTED, *(question.name for question in questions() if question.reads_runs))
    if what in of_a_run:
        if game is None or players is not None or copy is not None:
            raise UserMistake(f"show {what}: name a folder of results, as in: simlab show {what} results/siege")
        _counted(what, Path(game), json)
        return
    if what == "schema" and game in answer_types():
        emit_json(answer_types()[game].json_schema(), None)
        return
    if what == "schema" and game in ANSWERS:
        emit_json(schema_of(game), None)
        return
    if what == "schema" and game in FILES:
        _table_schema(game, json)
        return
    game = at_table(game, players) if game else None
    if what not in _WHAT:
        raise UserMistake(f"there is nothing called '{what}' to show. {nearest(what, (*_WHAT, *of_a_run))}")
    if copy is not None and what != "tables":
        raise UserMistake("--copy goes with tables, as in: simlab show tables simple_siege --copy my_cards")
    if what == "experiment-schema":
        from simlab.experiments.schema import json_schema
        from simlab.registry import load_game

        emit_json(json_schema(load_game(game) if game else None), None)
    elif what == "figures":
        _figures(game, json)
    elif what == "tables":
        _tables(game, copy, json)
    elif what == "schema":
        _schema(game, json)
    elif what == "scenarios":
        _scenarios(json)
    elif what == "metrics":
        _metrics(json)
    elif what == "schemas":
        _schemas(json)
    else:
        _experiments(json)


def _counted(what: str, folder: Path, as_json: bool) -> None:
    from simlab.report.counted import counted
    from simlab.runs.results import load

    asked = {question.name: question for question in questions()}.get(what)
    if asked:
        nothing = Paragraph(f"This run has no analysis of {what}. Runs with a report have one (--report).")
        show_answer(
            asked.of_run(load(folder)), lambda answer: getattr(asked.section(answer), "blocks", (nothing,)), as_json
        )
        return
    answer = counted(load(folder), what)
    names: tuple[str, ...]
    rows: list[tuple[object, ...]]
    if what == "actions":
        if as_json:
            emit_json(answer, "actions-counted")
            return
        head = ["seat", "decision", "action", "bot", "open", "taken", "share"]
        names = ("seat", "decision", "action", "bot", "offered", "taken")
        rows = [(*(one[name] for name in names), _percent(one["share"])) for one in answer["actions"]]
    elif what == "items":
        if as_json:
            emit_json(answer, "items-counted")
            return
        head = ["seat", "item", "use", "games", "share", "wins, points"]
        names = ("seat", "item", "use", "games")
        rows = [
            (*(one[name] for name in names), _percent(one["rate"]), _interval(one["gap_points"], "+.1f"))
            for one in answer["items"]
        ]
    elif what == "tracks":
        if as_json:
            emit_json(answer, "tracks-counted")
            return
        head = ["track", "turn", "5 %", "25 %", "50 %", "75 %", "95 %"]
        rows = [
            (one["track"], turn, *(f"{value:g}" for value in quantiles))
            for one in answer["tracks"]
            for turn, quantiles in zip(one["turns"], one["quantiles"], strict=True)
        ]
    else:
        if as_json:
            emit_json(answer, "rules-counted")
            return
        head = ["rule", "games", "share", "times a game", "what"]
        rows = [
            (one["id"], one["games"], _percent(one["share"]), _interval(one["times_a_game"], ".2f"), one["text"])
            for one in answer["rules"]
        ]
    if rows:
        print_table(table(head, rows, title=f"{what.capitalize()} of {answer['game']}, {answer['games']:,} games"))
    else:
        print_table(f"{answer['game']} follows no {what}.")


def _percent(ends: dict[str, float | None]) -> str:
    return _interval({name: None if end is None else 100 * end for name, end in ends.items()}, ".1f", " %")


def _interval(ends: dict[str, float | None], form: str, unit: str = "") -> str:
    if ends["estimate"] is None:
        return "-"
    low, high = ("?" if ends[name] is None else format(ends[name], form) for name in ("low", "high"))
    return f"{ends['estimate']:{form}}{unit} ({low} to {high})"


def _figures(game: str | None, as_json: bool) -> None:
    from simlab.engine.outcome import figures_of
    from simlab.registry import load_game

    if game is None:
        raise UserMistake("show figures: say of which game, as in: simlab show figures simple_siege")
    loaded = load_game(game)
    figures = figures_of(loaded)
    if as_json:
        listed = [
            {
                "figure": f.name, "words": f.words, "unit": f.unit, "share": f.is_rate, "help": f.help,
                "intervals": f.intervals,
            }
            for f in figures.values()
        ]  # fmt: skip
        words = figures.pattern_words
        emit_json({"game": loaded.slug, "players": len(loaded.seats), "figures": listed, "quantiles": words}, "figures")
        return
    rows = [(f.name, f.words, f.unit) for f in figures.values()]
    print_table(table(["figure", "words", "unit"], rows, title=f"What a contract may ask of {loaded.slug}"))
    print_table(f"{figures.pattern_words} A share stands in a contract as 0..1: {_example(figures)}.")


def _example(figures: Figures) -> str:
    return f"{figures.wins[0].name} = {{ min = 0.4, max = 0.6 }}"


def _tables(game: str | None, copy: Path | None, as_json: bool) -> None:
    from simlab.registry import load_game

    if game is None:
        raise UserMistake("show tables: say of which game, as in: simlab show tables simple_siege")
    loaded = load_game(game)
    listed: list[dict[str, Any]] = [
        {
            "table": t.name, "rows": len(loaded.own_tables[t.name]), "columns": [c.name for c in t.columns],
            "rows_allowed": list(t.rows), "reconstructed": sum(
                row["source"] == "reconstructed" for row in loaded.own_tables[t.name]
            ),
        }
        for t in loaded.tables
    ]  # fmt: skip
    files = _copy_tables(loaded, copy) if copy is not None else []
    if as_json:
        emit_json({"game": loaded.slug, "tables": listed, "copied": [str(file) for file in files]}, "tables")
        return
    rows = [(t["table"], t["rows"], t["reconstructed"], ", ".join(t["columns"])) for t in listed]
    title = f"Component tables of {loaded.slug}"
    print_table(table(["table", "rows", "reconstructed", "columns"], rows, ["rows", "reconstructed"], title))
    if files:
        print_table(f"Copied to {copy}. Edit one in a spreadsheet, then: --cards {files[0].stem}={files[0]}")
    else:
        print_table(f"To edit them: simlab show tables {game} --copy my_cards")


def _copy_tables(game: Game, folder: Path) -> list[Path]:
    """Copies the CSV files; an edited copy is not overwritten."""
    files = [folder / f"{t.name}.csv" for t in game.tables]
    there = [file for file in files if file.exists()]
    if there:
        raise UserMistake(f"{there[0]} is there already, perhaps edited. Name another folder, or move it away.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            file.write_bytes((game.folder / file.name).read_bytes())
    except OSError as fault:
        raise UserMistake(f"--copy {folder}: cannot be written ({fault.strerror}). Name another folder.") from None
    return files


def _schema(game: str | None, as_json: bool) -> None:
    from simlab.registry import load_game
    from simlab.runs.store import row_columns

    loaded = load_game(game or "simple_siege")
    columns = row_columns(loaded)
    if as_json:
        listed = [{"column": c.name, "type": c.kind, "help": c.help} for c in columns]
        emit_json({"game": loaded.slug, "columns": listed}, "columns")
        return
    title = f"One row a game, in results/<name>/cells/<key>/*.parquet ({loaded.slug})"
    print_table(table(["column", "type", "what"], [(c.name, c.kind, c.help) for c in columns], title=title))


def _table_schema(form: str, as_json: bool) -> None:
    """The columns of a table that is the same for all games."""
    if form != "moves":
        raise UserMistake(f"the columns of '{form}' follow from the game: simlab show schema simple_siege")
    from simlab.studies.events import COLUMNS, kinds

    listed = [{"column": name, "type": str(kind), "help": COLUMNS[name]} for name, kind in kinds().items()]
    if as_json:
        emit_json({"game": None, "columns": listed}, "columns")
        return
    rows = [tuple(one.values()) for one in listed]
    print_table(table(["column", "type", "what"], rows, title="One row a move, as simlab events writes them"))


def _experiments(as_json: bool) -> None:
    from simlab.experiments.draft import ready_experiments
    from simlab.game import read_toml

    listed = []
    for name, path in ready_experiments().items():
        data = read_toml(path)
        head = data.get("experiment", {})
        if "extends" in data:
            head = {**read_toml(path.parent / data["extends"]).get("experiment", {}), **head}
        listed.append({"experiment": name, "game": head.get("game", ""), "question": head.get("question", "")})
    if as_json:
        emit_json({"experiments": listed}, "experiments")
        return
    print_table(table(["experiment", "game", "question"], [tuple(entry.values()) for entry in listed]))
    print_table("Play one with: simlab run NAME -n 2000")


def _metrics(as_json: bool) -> None:
    from simlab.registry import find_metrics, load_metrics, warn_of

    listed = []
    for name, point in sorted(find_metrics().items()):
        try:
            one = load_metrics(name)[0]
        except UserMistake as mistake:
            warn_of(mistake)
            continue
        source = point.dist.name if point.dist else "?"
        about = {"metric": name, "help": one.metric.help, "unit": one.metric.unit, "by_seat": one.by_seat}
        listed.append({**about, "source": source})
    if as_json:
        emit_json({"metrics": listed}, "metrics")
        return
    if listed:
        print_table(table(["metric", "what", "unit", "by seat", "from"], [tuple(entry.values()) for entry in listed]))
    else:
        print_table("No installed package brings a metric.")
    print_table("One of your own: simlab new metric NAME, then --metric ./NAME.py")


def _schemas(as_json: bool) -> None:
    forms = {**ANSWERS, **{name: (answer.version, answer.source) for name, answer in answer_types().items()}}
    listed = [{"schema": n, "version": v, "kind": "JSON", "of": f"{of} --json"} for n, (v, of) in forms.items()]
    listed += [{"schema": n, "version": v, "kind": "table", "of": of} for n, (v, of) in FILES.items()]
    if as_json:
        emit_json({"schemas": listed}, "schemas")
        return
    print_table(table(["schema", "version", "kind", "of"], [tuple(entry.values()) for entry in listed], ["version"]))
    print_table("The schema of an answer: simlab show schema NAME. Columns of the tables: docs/files.md.")


def _scenarios(as_json: bool) -> None:
    from simlab.studies.scenario import load_scenario, ready_scenarios

    listed = []
    for name in ready_scenarios():
        one = load_scenario(name)
        listed.append({"scenario": name, "game": one.game, "title": one.title, "steps": len(one.steps)})
    if as_json:
        emit_json({"scenarios": listed}, "scenarios")
        return
    print_table(table(["scenario", "game", "title", "steps"], [tuple(e.values()) for e in listed], right=["steps"]))
    print_table("See one with: simlab replay --scenario NAME")
