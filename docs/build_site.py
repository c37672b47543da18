"""Builds the documentation site into build/site: `make docs`.

The pages of this folder, with a picture of what it prints under each command of the guide (the commands are run, in
their order, in an empty folder), a chart of the guide's sweep, and the reference of commands and of the Python API,
both made from the code; and a picture of the app where Chromium is installed. A broken link, or a command that fails,
ends the build.
"""

from __future__ import annotations

import argparse
import html
import importlib.util
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
BUILD = ROOT / "build"
COLUMNS = 100
TITLE_OF_CHART = "Besieger wins by height of the walls at the start"
_BLOCK = re.compile(
    r"(?:^`(?P<path>[\w./]+)`(?P<changed> \(changed\))?:\n\n)?```(?P<kind>\w+)\n(?P<text>.*?)```\n", re.M | re.S
)

_PROMPTED = re.compile(r"^```console\n((?:\$ .*\n)+)```", re.M)


def _unprompted(block: re.Match[str]) -> str:
    """Commands without their `$`: the button of a block copies what stands in it, to be pasted into a terminal."""
    return "```sh\n" + re.sub(r"^\$ ", "", block[1], flags=re.M) + "```"


def picture(command: str, printed: str) -> str:
    """A terminal with a command and what it printed, as SVG."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ {command}", style="bold"))
    console.print(Text.from_ansi(printed.rstrip()))
    return console.export_svg(title="")


def play(command: str, folder: Path) -> str:
    """What a command prints on standard output.

    Raises:
        SystemExit: it failed.
    """
    environment = dict(os.environ, COLUMNS=str(COLUMNS), PYTHONPATH=os.pathsep.join((str(folder), str(ROOT))))
    done = subprocess.run(
        [sys.executable, "-m", "simlab", *shlex.split(command)[1:]], cwd=folder, capture_output=True, text=True,
        env=environment, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"docs: `{command}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout.replace(str(folder) + "/", "")


def guide(text: str, folder: Path, pictures: Path) -> str:
    """The guide with its commands played in `folder`, and a picture of what each printed under its block."""
    edit: tuple[Path, str] | None = None
    number = 0

    def done(block: re.Match[str]) -> str:
        nonlocal edit, number
        if block["kind"] == "console":
            links = []
            for line in block["text"].splitlines():
                command = line.removeprefix("$ ")
                printed = play(command, folder)
                if printed.strip():
                    number += 1
                    (pictures / f"guide_{number}.svg").write_text(picture(command, printed), encoding="utf-8")
                    links.append(f"![What {html.escape(command)} prints](pictures/guide_{number}.svg)\n")
            return "\n".join([block[0], *links])
        if edit is not None:
            path, old = edit
            path.write_text(path.read_text(encoding="utf-8").replace(old, block["text"]), encoding="utf-8")
            edit = None
        elif block["changed"]:
            edit = folder / block["path"], block["text"]
        elif block["path"]:
            (folder / block["path"]).write_text(block["text"], encoding="utf-8")
        return block[0]

    return _BLOCK.sub(done, text)


def chart(folder: Path, pictures: Path) -> str:
    """The curve of the guide's sweep, as the report draws it."""
    import simlab
    from simlab.present.drawing import standalone, svg_text
    from simlab.report.figures import knob_curve

    results = simlab.load(folder / "results" / "simple_siege_walls_start")
    (pictures / "walls.svg").write_text(standalone(svg_text(knob_curve(results))), encoding="utf-8")
    return f"\n![{TITLE_OF_CHART}](pictures/walls.svg)\n"


def app(folder: Path, pictures: Path) -> str:
    """A picture of the app with a slider moved; empty where no Chromium is installed."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None or importlib.util.find_spec("playwright") is None:
        return ""
    from playwright.sync_api import sync_playwright

    running = subprocess.Popen(
        [sys.executable, "-m", "simlab", "app", "simple_siege", "--no-browser"], cwd=folder, stdout=subprocess.PIPE,
        text=True, env=dict(os.environ, PYTHONPATH=str(ROOT)),
    )  # fmt: skip
    limit = threading.Timer(300, running.kill)
    limit.start()
    try:
        assert running.stdout is not None
        address = next(line.strip() for line in running.stdout if line.startswith("http"))
        with sync_playwright() as play:
            chromium = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page = chromium.new_page(viewport={"width": 1280, "height": 860})
            page.set_default_timeout(300_000)  # the first time it compiles
            page.goto(address)
            page.locator("[data-figure=besieger_win]").wait_for()
            page.locator("[data-knob=walls_start] .q-slider__track-container").focus()
            for _ in range(2):
                page.keyboard.press("ArrowRight")
            page.get_by_text("20,000 games under each set of rules, with the same seeds.").wait_for()
            page.screenshot(path=pictures / "app.png")
            chromium.close()
    finally:
        limit.cancel()
        running.send_signal(signal.SIGINT)
        running.wait(30)
    return "\n![The app: a slider moved, and what that does](pictures/app.png)\n"


def commands() -> str:
    """The reference of commands, as `--help` has it."""
    done = subprocess.run(
        [sys.executable, "-m", "typer", "simlab.cli.main", "utils", "docs", "--name", "simlab", "--title", "Commands"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    text = re.sub(r"&#x27;|&quot;", lambda mark: html.unescape(mark[0]), done.stdout)
    example = re.compile(r"^Examples?:\n((?:  .*\n)+)", re.M)
    return example.sub(lambda e: "Examples:\n\n```console\n" + re.sub(r"^  ", "$ ", e[1], flags=re.M) + "```\n", text)


def pages(target: Path, played: bool) -> None:
    """Writes the sources of the site.

    Args:
        target: folder, made anew.
        played: whether the guide's commands are played and pictured.
    """
    shutil.rmtree(target, ignore_errors=True)
    pictures, folder = target / "pictures", target.parent / "guide"
    pictures.mkdir(parents=True)
    for page in HERE.rglob("*.md"):
        (target / page.relative_to(HERE)).parent.mkdir(exist_ok=True)
        shutil.copy(page, target / page.relative_to(HERE))
    if played:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        text = guide((HERE / "guide.md").read_text(encoding="utf-8"), folder, pictures)
        mark = "\nNow the figures move."
        (target / "guide.md").write_text(text.replace(mark, chart(folder, pictures) + mark), encoding="utf-8")
        mark = "\n## What is on the page"
        text = (HERE / "app.md").read_text(encoding="utf-8")
        (target / "app.md").write_text(text.replace(mark, app(folder, pictures) + mark), encoding="utf-8")
    (target / "guide.md").rename(target / "index.md")
    for page in target.glob("*.md"):
        page.write_text(page.read_text(encoding="utf-8").replace("(guide.md", "(index.md"), encoding="utf-8")
    (target / "commands.md").write_text(commands(), encoding="utf-8")
    for page in target.rglob("*.md"):
        page.write_text(_PROMPTED.sub(_unprompted, page.read_text(encoding="utf-8")), encoding="utf-8")
    import simlab

    names = [name for name in simlab.__all__ if not name.startswith("_")]
    names.sort(key=lambda name: (name[0].isupper(), name))  # what one calls, then what one is given
    listed = "\n".join(f"::: simlab.{name}\n" for name in names)
    (target / "api.md").write_text(f"# Python API\n\n{simlab.__doc__}\n\n{listed}", encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="play nothing: pages without pictures")
    pages(BUILD / "docs", not options.parse_args().quick)
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(ROOT / "mkdocs.yml")],
        env=dict(os.environ, NO_MKDOCS_2_WARNING="1"),
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip  (under --quiet, warnings would not count)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    print(f"Open {(BUILD / 'site' / 'index.html').relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
