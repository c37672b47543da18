"""The page itself, by clicks in a real browser: Chromium, as Debian packages it."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simlab.runs.open_experiment import load_experiment
from tests.processes import first_match, plain_environment

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: .ci/setup dev")
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
if not CHROMIUM:
    pytest.skip("no Chromium here: apt-get install chromium", allow_module_level=True)

PATIENCE = 180_000  # milliseconds: kernels may have to be compiled first, on a busy machine
EXPERIMENT = """
[experiment]
name = "small"
game = "simple_siege"
games = 400
seed = 5

[bots]
besieger = "stormer"
besieged = "warden"
"""


class Session:
    """An app in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "small.toml").write_text(EXPERIMENT)
        root = str(Path(__file__).parents[2])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "simlab", "app", "small.toml", "--no-browser"],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=plain_environment() | {"PYTHONPATH": root},
        )  # fmt: skip
        self.address = first_match(self.process, r"http://\S+")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    running = Session(tmp_path_factory.mktemp("session"))
    yield running
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(30) == 0  # Ctrl-C is the way to end it
    assert running.process.stderr is not None
    assert "Traceback" not in running.process.stderr.read()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


class Tab:
    """One tab of the browser that shows the app."""

    def __init__(self, browser: Any, session: Session) -> None:
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.page = browser.new_page(viewport={"width": 1280, "height": 900})
        self.page.set_default_timeout(PATIENCE)
        self.page.on("request", lambda request: self._requested(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(session.address)
        self.figure("besieger_win").wait_for()

    def _requested(self, url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            self.outside.append(url)

    def figure(self, name: str) -> Any:
        return self.page.locator(f"[data-figure={name}]")

    def slide(self, knob: str, key: str, times: int = 1) -> None:
        slider = self.page.locator(f"[data-knob={knob}] .q-slider__track-container")
        slider.focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def value(self, knob: str) -> str:
        text: str = self.page.locator(f"[data-knob={knob}] input").first.input_value()
        return text

    def says(self, part: str, text: str) -> None:
        """Waits until a part of the page says something."""
        playwright.expect(self.page.locator(f"[data-test={part}]")).to_contain_text(text, timeout=PATIENCE)

    def open(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()


@pytest.fixture(scope="module")
def tab(session: Session, browser: Any) -> Iterator[Tab]:
    """One for all tests: each leaves the printed rules behind."""
    shown = Tab(browser, session)
    yield shown
    shown.page.close()
    assert shown.outside == []  # scripts, styles and fonts are this machine's own
    assert shown.errors == []


def status(address: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_without_its_token_the_desk_answers_nothing(session: Session) -> None:
    own, _, token = session.address.rstrip("/").rpartition("/")
    assert status(session.address) == 200
    for path in ("/", "/wrong/", f"/{token[:-1]}/", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"):
        assert status(own + path) == 403, path
    assert status(session.address, Host="evil.example") == 403
    assert status(session.address, Origin="http://evil.example") == 403
    assert status(f"{session.address}report/any") == 404


def test_a_slider_moves_the_figures_and_a_reload_keeps_them(tab: Tab, session: Session, browser: Any) -> None:
    before = tab.figure("besieger_win").inner_text()
    tab.slide("walls_start", "ArrowRight", 2)
    tab.says("status", "400 games under each set of rules")
    tab.says("headline", "falls by")
    playwright.expect(tab.figure("besieger_win")).to_contain_text("points", timeout=PATIENCE)
    moved = tab.figure("besieger_win").inner_text()
    assert moved.startswith(before.split("(")[0].rstrip())  # the printed rules stand as they stood
    tab.page.reload()
    playwright.expect(tab.figure("besieger_win")).to_have_text(re.compile("points"), timeout=PATIENCE)
    assert tab.value("walls_start") == "7"
    other = Tab(browser, session)  # a second tab shows the same session, and what happens in either
    assert other.value("walls_start") == "7"
    other.page.locator("[data-knob=walls_start]").get_by_role("button", name="back to printed").click()
    playwright.expect(tab.page.locator("[data-knob=walls_start] input").first).to_have_value("5", timeout=PATIENCE)
    other.says("status", "400 games.")
    other.page.close()


@pytest.mark.long
def test_a_bot_that_does_not_exist_is_told_beside_its_field(tab: Tab) -> None:
    field = tab.page.locator("[data-seat=besieger]")
    field.fill("stormr")
    fault = tab.page.locator('[data-field="bot besieger"]')
    playwright.expect(fault).to_contain_text("stormer", timeout=PATIENCE)
    tab.says("fault", "Not played")
    field.fill("rusher")
    playwright.expect(fault).to_be_empty(timeout=PATIENCE)
    tab.says("status", "400 games.")
    field.fill("stormer")
    tab.says("headline", "wins")


@pytest.mark.long
def test_a_bot_is_written_as_rules_and_plays(tab: Tab, session: Session) -> None:
    """A mistake stays in the form with what is wrong; then the bot is saved, and takes its seat."""
    tab.page.get_by_label("bots for besieger").click()
    tab.page.get_by_text("write rules").click()
    tab.page.get_by_label("options or formula").fill("Asault")
    tab.page.get_by_role("button", name="Save and use").click()
    tab.says("rules-fault", "Did you mean 'Assault'?")
    tab.page.get_by_label("options or formula").fill("Construct Mine, Assault")
    tab.page.get_by_role("button", name="add a rule").click()
    tab.page.get_by_label("if").nth(1).fill("turn < 3")
    tab.page.get_by_label("options or formula").nth(1).fill("Plan")
    tab.page.get_by_label("up rule 2").click()
    tab.page.get_by_label("name of the bot").fill("digger")
    tab.page.get_by_role("button", name="Save and use").click()
    field = tab.page.locator("[data-seat=besieger]")
    playwright.expect(field).to_have_value("digger.toml", timeout=PATIENCE)
    tab.says("status", "400 games.")
    text = (session.folder / "digger.toml").read_text()
    assert text.index('if = "turn < 3"') < text.index('"Construct Mine"') and 'game = "simple_siege"' in text
    field.fill("stormer")
    tab.says("headline", "wins")


@pytest.mark.long
def test_a_number_that_is_not_allowed_stays_as_typed_until_it_is_mended(tab: Tab) -> None:
    """It is not changed into the next one allowed behind the designer's back, and a reload does not hide it."""
    shown = tab.page.locator("[data-knob=walls_start]")
    shown.locator("input").first.fill("99")
    shown.locator("input").first.blur()
    fault = tab.page.locator('[data-field="knob walls_start"]')
    playwright.expect(fault).to_contain_text("takes 1..10", timeout=PATIENCE)
    tab.page.reload()
    playwright.expect(fault).to_contain_text("takes 1..10", timeout=PATIENCE)
    assert tab.value("walls_start") == "99"
    shown.locator("input").first.fill("5")  # what it was before
    playwright.expect(fault).to_be_empty(timeout=PATIENCE)
    tab.says("status", "400 games.")


@pytest.mark.long
def test_the_filter_leaves_the_knobs_that_it_names(tab: Tab) -> None:
    tab.page.get_by_label("filter the knobs").fill("repair")
    playwright.expect(tab.page.locator("[data-knob=walls_start]")).to_be_hidden(timeout=PATIENCE)
    assert tab.page.locator("[data-knob=repair_cost]").is_visible()
    tab.page.get_by_label("filter the knobs").fill("")
    playwright.expect(tab.page.locator("[data-knob=walls_start]")).to_be_visible(timeout=PATIENCE)


@pytest.mark.long
def test_a_table_with_a_mistake_shows_the_line_and_can_be_put_back(tab: Tab) -> None:
    tab.open("Cards and tables")
    wrong = "id,name,group,modifier,cost,cost_source,source\nmine,Mine,assault,huge,3,rulebook,rulebook\n"
    upload = {"name": "counters.csv", "mimeType": "text/csv", "buffer": wrong.encode()}
    tab.page.locator("input[type=file]").set_input_files(upload)
    fault = tab.page.locator('[data-field="table counters"]')
    playwright.expect(fault).to_contain_text("counters.csv, line 2, modifier: 'huge'", timeout=PATIENCE)
    tab.page.get_by_role("button", name="back to printed", exact=True).click()
    playwright.expect(fault).to_be_empty(timeout=PATIENCE)
    cell = tab.page.locator("[role=row][row-index='0'] [col-id=modifier]")
    cell.dblclick()
    tab.page.keyboard.press("Control+a")
    tab.page.keyboard.type("4")
    tab.page.keyboard.press("Enter")
    playwright.expect(tab.page.get_by_text("counters: your table")).to_be_visible(timeout=PATIENCE)
    tab.says("status", "400 games under each set of rules")
    tab.page.get_by_role("button", name="back to printed", exact=True).click()
    tab.says("status", "400 games.")


@pytest.mark.long
def test_the_caption_names_the_rules_of_the_numbers_while_a_table_is_wrong(tab: Tab) -> None:
    tab.open("Cards and tables")
    tab.slide("walls_start", "ArrowRight", 2)
    tab.says("changes", "walls_start 5 → 7")
    wrong = "id,name,group,modifier,cost,cost_source,source\nmine,Mine,assault,huge,3,rulebook,rulebook\n"
    upload = {"name": "counters.csv", "mimeType": "text/csv", "buffer": wrong.encode()}
    tab.page.locator("input[type=file]").set_input_files(upload)
    tab.says("fault", "'huge'")
    tab.page.locator("[data-knob=walls_start]").get_by_role("button", name="back to printed").click()
    playwright.expect(tab.page.locator("[data-knob=walls_start] input").first).to_have_value("5", timeout=PATIENCE)
    for _ in range(2):  # the second time after a reload
        tab.says("changes", "walls_start 5 → 7")
        tab.says("headline", "falls by")
        tab.says("fault", "'huge'")
        playwright.expect(tab.page.locator(".q-tab__alert")).to_have_count(1, timeout=PATIENCE)
        tab.page.reload()
    tab.open("Cards and tables")
    playwright.expect(tab.page.locator('[data-field="table counters"]')).to_contain_text("'huge'", timeout=PATIENCE)
    huge = upload | {"buffer": (wrong + '"' + "x, y\n" * 50_000).encode()}  # an open quotation mark
    tab.page.locator("input[type=file]").set_input_files(huge)
    playwright.expect(tab.page.locator('[data-field="table counters"]')).to_contain_text("is not CSV", timeout=PATIENCE)
    tab.page.reload()
    tab.says("fault", "is not CSV")
    tab.open("Cards and tables")
    tab.page.get_by_role("button", name="back to printed", exact=True).click()
    tab.says("status", "400 games.")
    tab.says("changes", "The rules as printed.")
    playwright.expect(tab.page.locator(".q-tab__alert")).to_have_count(0, timeout=PATIENCE)


@pytest.mark.long
def test_what_is_saved_is_an_experiment(tab: Tab, session: Session) -> None:
    tab.slide("walls_start", "ArrowRight", 1)
    tab.open("Save and report")
    tab.page.get_by_label("name").fill("taller_walls")
    tab.page.get_by_label("notes").fill("what I saw")
    tab.page.wait_for_timeout(600)  # the fields wait for the end of typing
    tab.page.get_by_role("button", name="Save as experiment").click()
    playwright.expect(tab.page.get_by_text("simlab run taller_walls.toml")).to_be_visible(timeout=PATIENCE)
    saved = load_experiment(session.folder / "taller_walls.toml")
    assert saved.knobs == {"walls_start": 6} and saved.notes == "what I saw"
    assert (saved.games, saved.seed) == (400, 5)
    tab.page.get_by_role("button", name="all back to printed").click()
    tab.says("status", "400 games.")


@pytest.mark.long
def test_the_contract_is_judged_while_one_looks(tab: Tab) -> None:
    tab.open("Contract")
    field = tab.page.get_by_label("contract", exact=True)
    field.fill("turns_p50 = { min = 2, max = 30 }")
    playwright.expect(tab.page.locator("ul.contract")).to_contain_text("met", timeout=PATIENCE)
    field.fill("turns_p51 = { mn = 2 }")
    playwright.expect(tab.page.locator("[data-field=contract]")).to_contain_text("mn", timeout=PATIENCE)
    field.fill("")
    playwright.expect(tab.page.locator("ul.contract")).to_have_count(0, timeout=PATIENCE)


UNNAMED = """() => [...document.querySelectorAll("input, textarea, select, button, [role=slider], [role=tab]")]
  .filter(one => one.offsetParent !== null && one.type !== "file" && !one.closest("[aria-hidden=true]"))
  .filter(one => !(one.getAttribute("aria-label") || one.innerText || one.labels?.length || one.placeholder || one.title
    || one.closest("label") || (one.getAttribute("aria-labelledby") &&
        document.getElementById(one.getAttribute("aria-labelledby")))))
  .map(one => one.outerHTML.slice(0, 120))"""


@pytest.mark.long
def test_every_control_has_a_name_for_screen_readers(tab: Tab) -> None:
    for name in ("Figures", "Cards and tables", "Contract", "Save and report"):
        tab.open(name)
        assert tab.page.evaluate(UNNAMED) == [], name


@pytest.mark.long
def test_nothing_is_wider_than_the_page(tab: Tab) -> None:
    for width in (768, 400, 1280):
        tab.page.set_viewport_size({"width": width, "height": 900})
        for name in ("Figures", "Cards and tables", "Contract", "Save and report"):
            tab.open(name)
            assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, (width, name)
