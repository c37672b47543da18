"""The viewer of single games, by clicks and keys: the page that stands alone, and the tab of the app."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simlab.app.viewer import Viewer
from simlab.engine.match import Match
from simlab.errors import InputError
from simlab.questions.replay.film import Film, Frame
from simlab.questions.replay.page import write_film
from simlab.registry import load_game
from tests.processes import first_match, plain_environment
from tests.report.jumps import next_firing, next_leader, of_turn

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: .ci/setup dev")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")
BOTS = {"besieger": "random", "besieged": "random"}
WAIT = 180_000  # milliseconds: kernels may have to be compiled first, on a busy machine


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.set_default_timeout(WAIT)
    wrong: list[str] = []
    opened.on("pageerror", lambda fault: wrong.append(str(fault)))
    opened.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    yield opened
    assert wrong == []
    opened.close()


def leading(frame: Frame) -> str | None:
    """The track that leads by the game's own measure (Game.lead); None for a tie."""
    values = frame.at.copy().tracks()
    standing = sorted(frame.game.lead, key=lambda name: values[name])
    return standing[-1] if values[standing[-1]] > values[standing[-2]] else None


def shown(page: Any) -> int:
    """The number of the frame that is shown."""
    return int(re.findall(r"frame (\d+)", page.locator(".film .where").inner_text())[0])


def test_the_page_steps_forward_and_back_without_a_network(page: Any, tmp_path: Path) -> None:
    match = Match(load_game("simple_siege"), bots=BOTS)
    film = Film(match, 1, 3)
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    path = tmp_path / "game.html"
    write_film(film, path)
    page.goto(path.as_uri())
    assert shown(page) == 0 and page.locator(".film .back").is_disabled()
    page.locator(".film .forward").click()
    page.keyboard.press("ArrowRight")
    assert shown(page) == 2
    move = film[2].move
    assert move is not None and page.locator(".film .move").inner_text() == move.label
    changed = page.locator(".film dt.new").all_inner_texts()
    assert changed == [name for name in film[2].position() if film[2].position()[name] != film[1].position().get(name)]
    assert page.locator(".film .fired code").all_inner_texts() == [rule.id for rule, _ in film[2].fired]
    page.keyboard.press("ArrowLeft")
    assert shown(page) == 1 and page.url.endswith("#1")
    page.keyboard.press("End")
    last = len(film.frames) - 1
    assert shown(page) == last and "wins" in page.locator(".film .end").inner_text()
    page.locator(".film .slider").fill("5")
    assert shown(page) == 5
    page.locator(".film .turns").select_option(label="turn 3")
    assert shown(page) == of_turn(film, 3)
    page.locator(".film .rules").select_option(label="SS-CON-04")
    page.locator(".film .next-rule").click()
    assert shown(page) == next_firing(film, of_turn(film, 3) or 0, "SS-CON-04")
    page.locator(".film .first").click()
    page.locator(".film .next-lead").click()
    assert shown(page) == next_leader(film)
    page.locator(".film .moves button").nth(7).click()
    assert shown(page) == 7
    page.reload()
    assert shown(page) == 7  # the address keeps it
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert all(url.startswith("file:") for url in asked_for)


@pytest.fixture
def session() -> Iterator[str]:
    """The address of an app of Simple Siege."""
    pytest.importorskip("nicegui", reason="nicegui is not installed: .ci/setup dev")
    command = [sys.executable, "-m", "simlab", "app", "simple_siege", "--no-browser", "--idle", "120"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=plain_environment()
    )
    yield first_match(process, r"http://\S+")
    process.terminate()
    process.wait(20)


def test_what_goes_wrong_in_the_background_is_told() -> None:
    viewer: Any = object.__new__(Viewer)
    viewer.kept = {"lock": threading.Lock()}
    viewer.box, viewer.status = SimpleNamespace(is_deleted=False), SimpleNamespace(text="")
    for fault, text in (
        (InputError("no such game"), "no such game"),
        (KeyError("walls"), "defect of simlab: KeyError"),
    ):

        def fail(fault: Exception = fault) -> None:
            raise fault

        with ThreadPoolExecutor(1) as apart:  # the browser's own loop runs in this thread
            assert apart.submit(lambda: asyncio.run(viewer._apart(fail, "playing"))).result() is None
        assert text in viewer.status.text


def watch(page: Any, frames: int = 5) -> None:
    page.get_by_role("tab", name="Watch a game").click()
    page.wait_for_function(f"document.querySelector('.film')?.simlabFilm?.length > {frames}")


@pytest.mark.long
def test_the_desk_takes_a_game_back_and_plays_on_otherwise(page: Any, session: str) -> None:
    page.goto(session)
    page.get_by_role("tab", name="Watch a game").click()
    page.get_by_role("tab", name="Contract").click()  # the film goes on being played
    page.wait_for_function("Object.values(window.simlabFilms || {})[0]?.length > 5")
    watch(page)
    page.locator(".film .forward").click()
    page.keyboard.press("ArrowRight")
    assert shown(page) == 2
    page.locator(".film .ask-chances").click()
    page.locator(".film .chance").first.wait_for()
    shares = [int(text) for text in re.findall(r"(\d+) %", " ".join(page.locator(".film .chance").all_inner_texts()))]
    assert sum(shares) in (99, 100, 101)
    other = page.locator(".film .options li:not(.chosen)").first
    label = other.locator(".option").inner_text()
    other.locator(".choose").click()
    page.locator(".watch-line").wait_for()
    page.wait_for_function("document.querySelector('.film .where').textContent.startsWith('frame 3 ')")
    assert page.locator(".film .move").inner_text() == label
    assert "--choose 3=" in page.locator(".watch-command").inner_text()
    page.reload()
    watch(page)
    page.wait_for_function("document.querySelector('.film .where').textContent.startsWith('frame 3 ')")
    assert page.locator(".film .move").inner_text() == label  # the app remembers the line and the frame
    page.locator(".watch-undo").click()
    page.locator(".watch-line").wait_for(state="hidden")
    page.wait_for_function("document.querySelector('.film .where').textContent.startsWith('frame 2 ')")
    page.evaluate("window.before = document.querySelector('.film').simlabFilm")
    page.locator(".watch-game input").fill("6")
    page.wait_for_function("document.querySelector('.film .about').textContent.startsWith('Game 6 ')")
    page.wait_for_function("document.querySelector('.film').simlabFilm.length > 3")
    page.locator(".film .where").click()
    page.keyboard.press("ArrowRight")
    assert shown(page) == 1
    assert page.evaluate("window.before.at") == 2  # keys are for the game that is shown alone
