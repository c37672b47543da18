"""simlab new game, simlab new policy."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from simlab.cli.common import PlayersOption, complete_game, show
from simlab.errors import UserMistake

_TEMPLATES = Path(__file__).parent.parent / "templates"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="What it is called, as in dragon_hoard.")]
IntoOption = Annotated[Path, typer.Option("--into", metavar="FOLDER", help="Where to write it.")]


def new_game(name: NameArgument, into: IntoOption = Path()) -> None:
    """Write the folder of a small working game: a race with one die, to be changed rule by rule.

    It holds rules, knobs, bots and tests. Nothing has to be installed or registered: its path is its name.

    Examples:
      simlab new game dragon_hoard
      simlab check-game ./dragon_hoard
      simlab sweep ./dragon_hoard --bot first=hold_at --bot second=hold_at,racer --vary goal=20,30 -n 200
    """
    slug, title = _names(name)
    folder = into / slug
    if folder.exists():
        raise UserMistake(f"{folder}: is there already. Choose another name, or another folder with --into.")
    fields = {"slug": slug, "title": title}
    for source in sorted((_TEMPLATES / "game").glob("*.txt")):
        _write(folder / source.name.removesuffix(".txt"), source, fields)
    path = _as_path(folder)
    show(
        f"{folder}: a working game. Read {folder}/README.md, then try:",
        f"  simlab check-game {path}",
        f"  simlab sweep {path} --bot first=hold_at --bot second=racer --vary goal=20,30,40 -n 20_000",
        f"  simlab play {path} --as first",
    )


def new_policy(
    name: NameArgument,
    game: Annotated[
        str, typer.Option("--game", metavar="GAME", help="The game it plays.", autocompletion=complete_game)
    ] = "simple_siege",
    players: PlayersOption = None,
    into: IntoOption = Path(),
) -> None:
    """Write the file of a small working bot, to be changed into your own.

    Examples:
      simlab new policy patient_miner --game simple_siege
      simlab check-policy simple_siege ./patient_miner.py:patient_miner
    """
    from simlab.registry import at_table, load_game

    slug, title = _names(name)
    game = at_table(game, players)
    loaded = load_game(game)
    path = into / f"{slug}.py"
    if path.exists():
        raise UserMistake(f"{path}: is there already. Choose another name, or another folder with --into.")
    bot = f"{_as_path(path)}:{slug}"
    rest = "".join(f" --bot {seat}=random" for seat in loaded.seats[1:])
    fields = {
        "slug": slug, "title": title, "file": path.name, "game": loaded.slug, "game_title": loaded.title,
        "game_text": game, "bots": f"--bot {loaded.seats[0]}={bot}{rest}",
    }  # fmt: skip
    _write(path, _TEMPLATES / "policy" / "bot.py.txt", fields)
    show(
        f"{path}: a working bot. Try:",
        f"  simlab check-policy {game} {bot}",
        f"  simlab sweep {game} {fields['bots']} -n 10_000",
    )


def _names(name: str) -> tuple[str, str]:
    """(slug, title) of a name."""
    slug = re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,60}", slug) or keyword.iskeyword(slug):
        raise UserMistake(f"'{name}' cannot be a name: use letters and digits, a letter first, as in dragon_hoard.")
    return slug, slug.replace("_", " ").capitalize()


def _as_path(path: Path) -> str:
    """The path as a user has to write it: one with a slash, or it would be taken for a slug."""
    return str(path) if path.is_absolute() or path.parts[:1] == ("..",) else f"./{path}"


def _write(path: Path, source: Path, fields: dict[str, str]) -> None:
    text = Template(source.read_text(encoding="utf-8")).substitute(fields)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise UserMistake(f"{path}: cannot be written ({fault.strerror}).") from None
