"""Options of the commands, groups of options that several commands share, and parsers of their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab import shell
from simlab.cli.terminal import Progress
from simlab.engine import deadline
from simlab.errors import InputError
from simlab.words import whole_number

if TYPE_CHECKING:
    from simlab.runs.open_experiment import Variant
    from simlab.spec.experiment import Experiment

# --- Completion ---------------------------------------------------------------


def complete_game(incomplete: str) -> list[str]:
    """Slugs of the games, for the shell."""
    from simlab.registry import find_games

    return [slug for slug in find_games() if slug.startswith(incomplete)]


def complete_experiment(incomplete: str) -> list[str]:
    """Experiment files here, and the names of the ready ones."""
    from simlab.spec.draft import ready_experiments

    return _files_and(ready_experiments(), ".", "experiments", incomplete=incomplete)


def complete_scenario(incomplete: str) -> list[str]:
    """Scenario files here, and the names of the ready ones."""
    from simlab.runs.scenario import ready_scenarios

    return _files_and(ready_scenarios(), ".", incomplete=incomplete)


def _files_and(ready: Iterable[str], *folders: str, incomplete: str) -> list[str]:
    here = (str(path) for folder in folders for path in sorted(Path(folder).glob("*.toml")))
    return [name for name in (*here, *ready) if name.startswith(incomplete)]


# --- Options ------------------------------------------------------------------

PLAY, HOW, OUTPUT = "What to play", "How to play it", "Output"  #: panels of a command's help
play_option, how_option, output_option = (partial(typer.Option, rich_help_panel=name) for name in (PLAY, HOW, OUTPUT))
number_option = partial(typer.Option, metavar="N")


def count(text: str) -> int:
    """A number of games, as `whole_number` reads it.

    Raises:
        InputError: not a whole number of at least 1.
    """
    number = whole_number(str(text))
    if number is None or not 1 <= number < 2**53:
        raise InputError(f"--games {text}: write a whole number of at least 1, as in 2000, 200_000, 200k or 1e6.")
    return number


def share(text: str) -> float:
    """A share as a number or in per cent: `0.45` or `45%`."""
    match = re.fullmatch(r"(\d{1,3}(?:\.\d+)?|\.\d+)\s*(%?)", str(text).strip())
    value = float(match[1]) / (100 if match and match[2] else 1) if match else -1.0
    if not 0 < value < 1:
        raise typer.BadParameter(f"{text}: write a share between 0 and 1, as 0.45 or 45%.")
    return value


def output_file(*endings: str, folder: bool = False) -> Callable[[str], Path]:
    """A parser of files to write. A slip such as `--report my_question.toml` must not replace a file of another kind.

    Args:
        endings: allowed endings of the name. folder: whether an existing folder is also allowed.
    """

    def read(text: str) -> Path:
        path = Path(text)
        if not (folder if path.is_dir() else path.suffix.lower() in endings):
            raise typer.BadParameter(f"{text}: give a file whose name ends in {' or '.join(endings)}.")
        return path

    return read


def whole(least: int, most: int, fault: str) -> Callable[[str], int]:
    """A parser of whole numbers. fault: the message for any other text, with a placeholder for the text."""

    def read(text: str) -> int:
        digits = str(text).strip().replace("_", "")
        if not re.fullmatch(r"\d{1,24}", digits) or not least <= int(digits) <= most:
            raise typer.BadParameter(fault.format(text))
        return int(digits)

    return read


MOST = 2**63 - 1
seed_number = whole(0, MOST, "{}: write a whole number in 0..2^63-1.")
positive = whole(1, 999_999, "{}: write a whole number of at least 1.")
index_number = whole(0, MOST, "{}: write the index of a game, a whole number from 0.")
table_size = whole(1, 99, "{}: write a whole number in 1..99; several sizes: --vary players=3..5.")

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="Slug of a game, or the path of its file or folder (./my_game.py).",
        autocompletion=complete_game,
    ),
]
VariantArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="Slug of a game, the path of its file or folder (./my_game.py), or an experiment: a file or a ready one.",
        autocompletion=complete_game,
    ),
]
ExperimentArgument = Annotated[
    str,
    typer.Argument(
        metavar="EXPERIMENT",
        help="Experiment file, or the name of a ready one (`simlab info experiments`).",
        autocompletion=complete_experiment,
    ),
]
BotOption = Annotated[
    list[str] | None,
    play_option(
        "--bot",
        metavar="SEAT=BOT",
        help="Bot of a seat, with its traits: besieger=rusher:threshold=0.5 or besieger=./my_bot.py:mine. "
        "Several: all match-ups are played. '*': every bot that can take the seat; '*=random': all seats.",
    ),
]
PlayersOption = Annotated[
    int | None,
    play_option(
        "--players",
        "-p",
        metavar="P",
        parser=table_size,
        help="Number of players, for games with several player counts.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    play_option("--set", metavar="KNOB=VALUE", help="Set a knob. Repeatable."),
]
BanOption = Annotated[
    list[str] | None,
    play_option(
        "--ban",
        metavar="[SEAT:]OPTION",
        help="Do not offer an option, a card or a kind of decision, to one seat or to all, as besieger:assault. "
        "Repeatable.",
    ),
]
VaryOption = Annotated[
    list[str] | None,
    play_option(
        "--vary",
        metavar="KNOB=RANGE",
        help="Vary a knob: 3..7, 3..9:2 (steps of 2) or 3,5,8. Repeatable: all combinations are played. players=3..5 "
        "varies the number of players.",
    ),
]
CardsOption = Annotated[
    list[str] | None,
    play_option("--cards", metavar="TABLE=FILE", help="Replace a card table by a CSV file."),
]
MetricOption = Annotated[
    list[str] | None,
    play_option(
        "--metric",
        metavar="FILE:NAME",
        help="Your own metric, ./mine.py:longest_lull (docs/add-a-metric.md), or the name of an installed metric.",
    ),
]
GamesOption = Annotated[
    int | None,
    play_option("--games", "-n", metavar="N", parser=count, help="Games per cell: 2000, 200k or 1e6."),
]
SeedOption = Annotated[
    int | None,
    play_option(
        "--seed", "-s", metavar="S", parser=seed_number, help="Random seed. Same seed, same games. Default: 1."),
]  # fmt: skip
WorkersOption = Annotated[
    int | None,
    how_option(
        "--workers", "-j", metavar="N", parser=positive, help="Worker processes; by default one per core. "
        "The results do not depend on it."),
]  # fmt: skip
BackendOption = Annotated[
    str,
    how_option("--backend", metavar="NAME", help="loky (processes), threads, or dask."),
]
SchedulerOption = Annotated[
    str | None,
    how_option("--scheduler", metavar="ADDRESS", help="Dask scheduler; by default one is started on this machine."),
]


def _limit(seconds: float) -> float:
    if not seconds > 0:
        raise InputError(f"timeout = {seconds:g} is not allowed: use more than 0 seconds.")
    deadline.WATCH.limit = seconds
    return seconds


TIMEOUT = deadline.LIMIT
_timeout = partial(how_option, "--timeout", metavar="SECONDS", callback=_limit)
TimeoutOption = Annotated[
    float,
    _timeout(help="Time limit per decision. A game that exceeds it is reported, and the others continue."),
]
LimitOption = Annotated[
    float, _timeout(help="Time limit per decision. A bot or rule that takes longer is reported and ends the command.")
]
FromOption = Annotated[
    Path | None, typer.Option("--from", metavar="FOLDER", help="Games of these results, with their bots and knobs.")
]
AllowOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--allow",
        metavar="PATH",
        help="Allow the code of this file (bot, metric) or folder (game), which the results name, to run. Repeatable.",
    ),
]
CellOption = Annotated[
    str | None,
    typer.Option(
        "--cell", metavar="KEY", help="One cell of the results: its key, the first digits of the key, or its label."
    ),
]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="CONDITION",
        help='Only games for which this SQL condition holds: "turns > 12".',
    ),
]
ForceOption = Annotated[
    bool,
    how_option("--force", help="If the folder contains another experiment, move it aside and start again."),
]  # fmt: skip
OutOption = Annotated[
    Path | None,
    output_option(
        "--out",
        "-o",
        metavar="FOLDER",
        help="Folder of the results; by default results/<name>, where the name includes the changes by options.",
    ),
]
ReportOption = Annotated[
    bool | None,
    output_option(
        "--report/--no-report",
        help="Write report.html, which takes a few seconds; by default for 10,000 games or more.",
        show_default=False,
    ),
]
PlanOption = Annotated[
    bool,
    how_option(
        "--plan",
        help="Play only a quick sample, and report the number of games, the time, the disk space, and the smallest "
        "change that the run can detect.",
    ),
]
page_file = output_file(".html", ".htm")
PageOption = Annotated[
    Path | None,
    output_option(
        "--report", metavar="FILE", parser=page_file,
        help="File of the HTML report; by default in the folder of the results."),
]  # fmt: skip
PlayerFileOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", parser=output_file(".npz"),
        help="File of the player; by default here, named after the game."),
]  # fmt: skip
AnswerFileOption = Annotated[
    Path | None,
    output_option(
        "--out", "-o", metavar="FILE", parser=output_file(".json", folder=True),
        help="Also write the answer to this file, as JSON."),
]  # fmt: skip
JsonOption = Annotated[bool, output_option("--json", help="Print one JSON object and nothing else.")]
QuietOption = Annotated[bool, output_option("--quiet", "-q", help="No progress on standard error.")]


# --- Groups of options shared by several commands (simlab.cli.groups) --------


@dataclass(frozen=True)
class Rules:
    """The rules that are played, and the seed: player count, knobs, card tables."""

    players: PlayersOption = None
    set_: SetOption = None
    ban: BanOption = None
    cards: CardsOption = None
    seed: SeedOption = None

    def __post_init__(self) -> None:
        if self.ban:  # they are a knob
            banned = [text for text in self.set_ or () if text.partition("=")[0].strip() == "ban"]
            bans = "+".join([*(text.partition("=")[2] for text in banned), *self.ban])
            object.__setattr__(self, "set_", [*(t for t in self.set_ or () if t not in banned), f"ban={bans}"])

    def of(self, game: str, one_bot: bool = True) -> Variant:
        """The game of a command, or of an experiment file, with these options; see `read_variant`."""
        from simlab.runs.open_experiment import read_variant

        bot, metric = getattr(self, "bot", None), getattr(self, "metric", None)
        return read_variant(game, self.set_, self.cards, bot, self.seed, self.players, metric, one_bot=one_bot)

    @property
    def given(self) -> bool:
        """Whether any option but the number of games is given."""
        return any(value is not None for name, value in vars(self).items() if name != "games")


@dataclass(frozen=True)
class Variation(Rules):
    """The rules to play, the seed and the bots, for commands with their own numbers of games."""

    bot: BotOption = None


@dataclass(frozen=True)
class Setup(Variation):
    """The options for player count, knobs, card tables, seed, bots, metrics and number of games."""

    metric: MetricOption = None
    games: GamesOption = None

    def open(self, experiment: str, vary: Sequence[str] = ()) -> Experiment:
        """Opens an experiment file, a ready experiment or a game; the options override it.

        Raises:
            InputError: bad input.
        """
        from simlab.runs.open_experiment import open_experiment
        from simlab.spec.draft import read_bot_options

        return open_experiment(
            experiment, overrides=self.set_ or (), vary=vary, bots=read_bot_options(self.bot), games=self.games,
            seed=self.seed, cards=self.cards or (), players=self.players, metrics=self.metric or (),
        )  # fmt: skip


@dataclass(frozen=True)
class Output:
    """Time limit and output."""

    timeout: LimitOption = TIMEOUT
    json: JsonOption = False
    quiet: QuietOption = False

    @cached_property
    def progress(self) -> Progress:
        """The progress of the command, which ends with it (simlab.cli.groups)."""
        return Progress(self.quiet)


@dataclass(frozen=True)
class AnswerOutput(Output):
    """Options for the time limit, the output, and a file that also receives the answer."""

    out: AnswerFileOption = None


@dataclass(frozen=True)
class StoredGameOptions:
    """A game of stored results."""

    from_: FromOption = None
    cell: CellOption = None
    where: WhereOption = None
    allow: AllowOption = None


@dataclass(frozen=True)
class Workers:
    """The processes that play."""

    workers: WorkersOption = None
    backend: BackendOption = "loky"
    scheduler: SchedulerOption = None


@dataclass(frozen=True)
class PlayOptions(Workers):
    """How an experiment is played, and where its results go."""

    timeout: TimeoutOption = TIMEOUT
    force: ForceOption = False
    plan: PlanOption = False
    out: OutOption = None
    report: ReportOption = None
    json: JsonOption = False
    quiet: QuietOption = False


def resume_command(context: typer.Context) -> str:
    """The command that resumes this run: the user's command without --force, which would start again."""
    words = [word for word in context.obj or () if word != "--force"]
    return shell.join(["simlab", *words])
