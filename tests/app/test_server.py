"""Who is let in at the app: whoever knows the token, by the app's own name, from the app's own page."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from simlab.app.form import FormState
from simlab.app.server import HOST, MOST_BODY, Door, bound, require
from simlab.app.session import Session
from simlab.errors import InputError
from tests.processes import first_match, plain_environment

PORT, TOKEN = 4711, "abc-DEF_123"


def answer(path: str, kind: str = "http", **headers: str) -> list[dict[str, Any]]:
    """What the door sends; `let in` where it lets the request through."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        sent.append({"type": "let in"})

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(dict(message))

    listed = {"host": f"{HOST}:{PORT}", **headers}
    scope = {"type": kind, "path": path, "headers": [(n.encode(), v.encode()) for n, v in listed.items()]}
    asyncio.run(Door(app, TOKEN, PORT)(scope, receive, send))
    return sent


def test_the_address_with_its_token_is_let_in() -> None:
    assert answer(f"/{TOKEN}/") == [{"type": "let in"}]
    own = f"http://{HOST}:{PORT}"
    assert answer(f"/{TOKEN}/_nicegui_ws/socket.io/", "websocket", origin=own) == [{"type": "let in"}]


@pytest.mark.parametrize(
    "path", ["/", "/abc", f"/{TOKEN}x/", f"/x/{TOKEN}/", "/_nicegui_ws/socket.io/", "/favicon.ico"]
)
def test_without_the_token_everything_is_refused(path: str) -> None:
    first, *_ = answer(path)
    assert first["status"] == 403
    assert answer(path, "websocket") == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": f"evil.example:{PORT}"}, {"host": HOST}, {"origin": "http://evil.example"},
     {"origin": "null"}, {"origin": f"http://{HOST}:1"}],
)  # fmt: skip
def test_other_names_and_other_pages_are_refused_even_with_the_token(headers: dict[str, str]) -> None:
    assert answer(f"/{TOKEN}/", **headers)[0]["status"] == 403
    assert answer(f"/{TOKEN}/", "websocket", **headers)[0]["type"] == "websocket.close"


@pytest.mark.parametrize(
    "headers",
    [{"content-length": str(MOST_BODY + 1)}, {"content-length": "300000000"}, {"content-length": "-1"},
     {"transfer-encoding": "chunked"}, {"content-length": "5", "transfer-encoding": "chunked"}],
)  # fmt: skip
def test_a_request_that_is_too_large_is_refused_before_it_is_read(headers: dict[str, str]) -> None:
    assert answer(f"/{TOKEN}/_nicegui/client/x/upload/7", **headers)[0]["status"] == 413
    assert answer("/wrong/", **headers)[0]["status"] == 403


def test_a_request_within_the_limit_is_let_in() -> None:
    assert answer(f"/{TOKEN}/", **{"content-length": str(MOST_BODY)}) == [{"type": "let in"}]


@pytest.mark.skipif(os.name == "nt", reason="modes of files, and $BROWSER as a command")
def test_the_browser_is_started_without_the_token(tmp_path: Path) -> None:
    """All users of the machine can read a command line."""
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$*" > "{seen}.part"\nmv "{seen}.part" "{seen}"\n')
    browser.chmod(0o755)
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, "-m", "simlab", "app", "simple_siege"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=plain_environment() | {"PYTHONPATH": root, "BROWSER": f"{browser} %s"},
    )  # fmt: skip
    try:
        address = first_match(process, r"http://\S+")
        until = time.monotonic() + 30
        while not seen.exists() and time.monotonic() < until:
            time.sleep(0.05)
        words = seen.read_text()
        page = Path(url2pathname(urlsplit(words).path))
        assert address.split("/")[3] not in words and words.startswith("file://")
        assert f'content="0; url={address}"' in page.read_text()
        assert stat.S_IMODE(page.stat().st_mode) == 0o600 and stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert not page.exists()
    finally:
        process.kill()
        process.communicate()


def test_it_listens_on_this_machine_alone() -> None:
    door = bound(None)
    try:
        assert door.getsockname()[0] == "127.0.0.1"
        door.listen()
        with pytest.raises(InputError, match="--port"):
            bound(door.getsockname()[1])
    finally:
        door.close()
    assert isinstance(door, socket.socket)


def test_a_missing_library_is_named_with_the_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nicegui", None)
    with pytest.raises(InputError, match=r"nicegui.*pip install 'nicegui>=3'"):
        require()


def test_a_report_made_here_is_served_and_no_other_file(tmp_path: Path) -> None:
    form = FormState("simple_siege", tmp_path / "files")
    session, app = Session(form, tmp_path / "files", tmp_path), FastAPI()
    try:
        session.routes(app, "/token")
        made = tmp_path / "results" / "walls-1234" / "report.html"
        made.parent.mkdir(parents=True)
        made.write_text("<p>the report</p>")

        def get(path: str) -> Response:
            async def ask() -> Response:
                async with AsyncClient(transport=ASGITransport(app), base_url="http://session") as client:
                    return await client.get(path)

            return asyncio.run(ask())

        assert get("/token/report/walls-1234").status_code == 404  # not made by this session
        assert session.report_address(made) == "report/walls-1234"
        assert get("/token/report/walls-1234").text == "<p>the report</p>"
        for name in ("other", "..%2F..%2Fsecret", "walls-1234%2F..%2Freport.html"):
            assert get(f"/token/report/{name}").status_code == 404
    finally:
        session.close()
