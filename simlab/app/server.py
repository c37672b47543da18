"""The app's server: it serves only this machine, at an address that nobody can guess.

The token is the first part of every path, `http://127.0.0.1:PORT/TOKEN/`: the page, socket, scripts and reports are all
below it, and any other request is answered with 403. The app therefore needs no cookie, which browsers would also send
to other programs on this machine, because cookies ignore the port. Two more kinds of request are refused: requests with
another Host name (from a foreign page whose name resolves to this machine), and requests from another page (Origin).
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.engine.signals import is_alive
from simlab.errors import InputError

if TYPE_CHECKING:
    from simlab.app.form import FormState

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

HOST = "127.0.0.1"
MOST_BODY = 2_000_000  #: bytes of a request or a message: a component table has 1 MB at most
_FOLDER = "simlab-session-"  # start of the name of a temporary folder
_NAMES = (HOST, "localhost")
_HEADERS = [
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
]


def require() -> None:
    """Reports what to install if the app's library is missing.

    Raises:
        InputError: NiceGUI is missing or too old.
    """
    how = f"Install it with: {sys.executable} -m pip install 'nicegui>=3'"
    try:
        import nicegui
    except ImportError:
        raise InputError(f"simlab app needs the package nicegui, which is not installed. {how}") from None
    if int(nicegui.__version__.split(".")[0]) < 3:
        raise InputError(f"simlab app needs nicegui 3 or newer; {nicegui.__version__} is installed. {how}")


class Door:
    """Admits requests with the token and the right host name.

    Args:
        app: the application to protect. token: first part of every path. port: the server's port.
    """

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app, self.token = app, token.encode()
        self.hosts = {f"{name}:{port}" for name in _NAMES}
        self.origins = {f"http://{host}" for host in self.hosts}

    def refusal(self, scope: Scope) -> tuple[str, int]:
        """The reason why a request is refused, before its body is read, and the status; "" if it is allowed."""
        from fastapi.datastructures import Headers

        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self.hosts]:
            return "this address is not the app's", 403
        if any(origin not in self.origins for origin in headers.getlist("origin")):
            return "the request came from another page", 403
        first = str(scope["path"]).removeprefix("/").partition("/")[0]
        if not hmac.compare_digest(first.encode(), self.token):
            return "the token in the address is missing or wrong. Open the address that `simlab app` printed", 403
        length = headers.get("content-length", "0")  # the server checks that it is the true one
        large = "transfer-encoding" in headers or not length.isdecimal() or int(length) > MOST_BODY
        if scope["type"] == "http" and large:
            return f"a request may have {MOST_BODY:,} bytes at most, and must state its length", 413
        return "", 200

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        from fastapi.responses import PlainTextResponse

        why, status = self.refusal(scope) if scope["type"] in ("http", "websocket") else ("", 200)
        if not why:
            await self.app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it was accepted: answered 403
        else:
            await PlainTextResponse(f"simlab app: {why}.\n", status)(scope, receive, send)


def _with_headers(send: Callable[[Message], Awaitable[None]]) -> Callable[[Message], Awaitable[None]]:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_HEADERS]
        await send(message)

    return sent


def bound(port: int | None) -> socket.socket:
    """A socket that accepts connections only from this machine.

    Args:
        port: None for any free port.
    Raises:
        InputError: the port is taken or not allowed.
    """
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((HOST, port or 0))
    except OSError as fault:
        door.close()
        raise InputError(f"--port {port}: {fault.strerror}. Name another, or leave it out for a free one.") from None
    return door


@contextlib.contextmanager
def work_folder() -> Iterator[Path]:
    """A temporary folder with the process ID in its name, removed at the end.

    An app that is killed (SIGKILL, power cut) leaves its folder behind. The next session removes it.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        process = folder.name.removeprefix(_FOLDER).partition("-")[0]
        if process.isdecimal() and not is_alive(int(process)):
            shutil.rmtree(folder, ignore_errors=True)
    prefix = f"{_FOLDER}{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        yield Path(name)


def redirecting_file(address: str, folder: Path) -> Path:
    """Writes a page that only this user can read and that redirects to an address.

    A browser's command line is visible to all users of the machine, and the address contains the token.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "open.html"
    link = escape(address, quote=True)
    text = (
        '<!doctype html><html lang="en-GB"><head><meta charset="utf-8"><title>simlab app</title>'
        f'<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={link}"></head>'
        f'<body><p><a href="{link}">Open the app</a></p></body></html>\n'
    )
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path


def serve(
    form: FormState,
    files: Path,
    *,
    port: int | None = None,
    browser: bool = True,
    idle: float | None = None,
    notify: Callable[[str], None] = print,
) -> None:
    """Runs the app until Ctrl-C.

    Args:
        files: folder of the edited tables, which the app removes at the end.
        port: port to listen on; None for a free one.
        browser: whether to open the page in the browser.
        idle: end when no page has been open for this many seconds; None: never.
        notify: called with the address once the server answers.
    Raises:
        InputError: the port is taken, or NiceGUI is missing.
    """
    require()
    import uvicorn
    from fastapi import FastAPI
    from nicegui import ui

    from simlab.app.page import Page
    from simlab.app.session import Session

    listening = bound(port)
    number = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{number}/{token}/"
    session = Session(form, files)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    session.routes(app, f"/{token}")
    ui.page("/")(lambda: Page(session))  # each browser tab gets its own
    ui.run_with(
        app, title=f"simlab: {session.form.loaded.title}", mount_path=f"/{token}", dark=None, tailwind=False,
        show_welcome_message=False, reconnect_timeout=30.0, favicon="⚖️", language="en-GB",
    )  # fmt: skip
    config = uvicorn.Config(
        Door(app, token, number),
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=1,
        lifespan="on",
        ws_max_size=MOST_BODY,
    )
    server = uvicorn.Server(config)
    closing = threading.Event()

    def wait() -> None:
        while not server.started and not closing.is_set():
            time.sleep(0.02)
        if closing.is_set():
            return
        # Not earlier: NiceGUI goes through all objects when it starts, and a tuple that another thread is making just
        # then is no longer that thread's alone (bpo-15108): "SystemError: bad argument to internal function".
        session.replay()
        notify(address)
        if browser:
            with contextlib.suppress(Exception):  # the app works without opening a browser
                webbrowser.open(redirecting_file(address, files).resolve().as_uri())
        while idle is not None and not closing.wait(0.1):
            if time.monotonic() - session.last_open > idle:
                server.should_exit = True

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    try:
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            with contextlib.suppress(ValueError):  # outside the main thread
                signal.signal(signal.SIGHUP, server.handle_exit)  # uvicorn handles only SIGINT and SIGTERM
        with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
            server.run(sockets=[listening])
    finally:
        closing.set()
        session.close()
        listening.close()
