"""The workers: processes (joblib's loky), threads or a Dask cluster, fed by a separate thread."""

from __future__ import annotations

import contextlib
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from simlab.compiler.parallel import search_path
from simlab.engine.signals import children_ignore_ctrl_c, follow
from simlab.errors import InputError, RunFailed
from simlab.runs.worker import ShardReport, ShardSpec, play_shard

T = TypeVar("T")
BACKENDS = ("loky", "threads", "dask")
LOOPBACK = "127.0.0.1"  #: processes started here can be reached only from here
ANSWER = 10.0  #: seconds within which a Dask scheduler must answer
STARTING = 180.0  #: seconds within which at least one Dask worker must be available
_WORKER = ".popen_loky_"  # in the command of loky's worker processes
ENDING = 10.0  #: seconds within which loky must give up after its workers have ended
_SAFE = "PYTHONSAFEPATH"  #: with it, Python does not look for modules in the current folder
_LOOK = 5.0  # seconds without a report after which the workers of a cluster are counted
_IDLE = 300  # seconds after which a process without work ends
#: A worker plays in one thread: libraries that start one for each processor would only take memory.
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "NUMEXPR")


class _NoWorkers(TimeoutError):
    """Raised if a Dask scheduler has no worker."""


class Pool:
    """Hands work to the workers and puts their reports into a queue, so the main thread still responds to Ctrl-C.

    Args:
        kind: `inline` (one thread), or one of BACKENDS.
        scheduler: address of a Dask scheduler; None starts workers of this machine.
    """

    def __init__(self, kind: str, workers: int, scheduler: str | None) -> None:
        self.kind, self.workers, self.scheduler = kind, workers, scheduler
        self.in_process = kind in ("inline", "threads")
        self._outbox: queue.Queue[ShardReport | BaseException | None] = queue.Queue()
        self._client: Any = None
        self._cluster: Any = None
        self._settings = contextlib.ExitStack()
        self._empty_since = math.inf
        self._thread: threading.Thread | None = None

    def start(self, specs: Iterable[ShardSpec], at_a_time: int | None = None) -> None:
        """Starts work; `specs` is consumed as workers become free."""
        self._outbox = queue.Queue()
        if self.kind == "dask" and self._client is None:
            self._connect()
        arguments = (specs, at_a_time, self._outbox)
        self._thread = threading.Thread(target=self._pump, args=arguments, name="simlab-pool", daemon=True)
        self._thread.start()

    def next(self, timeout: float) -> ShardReport | BaseException | None:
        """A report, an exception, or None at the end; raises queue.Empty after `timeout` seconds."""
        return self._outbox.get(timeout=timeout)

    def _pump(self, specs: Iterable[ShardSpec], at_a_time: int | None, outbox: queue.Queue[Any]) -> None:
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        underway: set[Any] = set()  # Dask gives up work that nobody refers to

        def take() -> None:
            while True:
                with contextlib.suppress(queue.Empty):
                    future = answers.get(timeout=_LOOK)
                    break
                self._check_workers()
            underway.discard(future)
            outbox.put(future.result())

        with contextlib.ExitStack() as around:
            if not self.in_process:
                around.enter_context(_away_from_current_folder())
            around.enter_context(children_ignore_ctrl_c(processes=not self.in_process))
            try:
                submit, ahead = self._executor()
                for spec in specs:
                    future = submit(spec)
                    underway.add(future)
                    future.add_done_callback(answers.put)
                    if len(underway) >= (at_a_time or ahead):
                        take()
                while underway:
                    take()
                outbox.put(None)
            except BaseException as fault:  # noqa: BLE001 - the main thread raises it
                for future in underway:
                    with contextlib.suppress(Exception):  # the scheduler may be gone
                        future.cancel()
                outbox.put(fault)

    def _check_workers(self) -> None:
        """Raises _NoWorkers if a Dask cluster has had no worker for too long: it would keep the work for ever."""
        if self.kind != "dask" or self._client.nthreads():
            self._empty_since = math.inf
            return
        self._empty_since = min(self._empty_since, time.monotonic())
        if time.monotonic() - self._empty_since > STARTING:
            raise _NoWorkers

    def _executor(self) -> tuple[Callable[[ShardSpec], Any], int]:
        """A function that hands out one piece of work, and the number of pieces to hand out ahead of reports."""
        if self.in_process:
            return lambda spec: in_a_thread(partial(play_shard, spec), "simlab-worker"), self.workers
        if self.kind == "dask":
            try:
                self._client.wait_for_workers(1, timeout=STARTING)  # a killed one is started again, which takes a while
            except TimeoutError:
                raise _NoWorkers from None
            # A cluster may grow while it works: extra work is queued for it.
            return partial(self._client.submit, play_shard, pure=False), 2 * sum(self._client.ncores().values()) + 32
        from joblib.externals.loky import get_reusable_executor

        threads = {name: os.environ.get(name, "1") for name in (f"{library}_NUM_THREADS" for library in _ONE_THREAD)}
        executor = get_reusable_executor(
            self.workers, timeout=_IDLE, initializer=_begin, initargs=(os.getpid(),), env=threads
        )
        return partial(executor.submit, play_shard), 2 * self.workers

    def _connect(self) -> None:
        try:
            dask: Any = import_module("dask")
            distributed: Any = import_module("distributed")
        except ImportError:
            raise InputError(
                "the dask backend needs the package distributed. Install it: pip install 'simlab[dask]'"
            ) from None
        try:
            if self.scheduler:
                self._client = distributed.Client(self.scheduler, timeout=ANSWER, set_as_default=False)
                return
        except Exception as fault:  # noqa: BLE001 - each protocol raises errors of its own
            if str(self.scheduler).startswith("tls:") and isinstance(fault, TypeError):
                raise InputError(
                    f"the scheduler's address {self.scheduler} asks for TLS, which Dask is not set up for here: set "
                    "distributed.comm.tls in Dask's configuration, ca-file and client.cert and client.key, as for the "
                    "scheduler (docs/several-machines.md)."
                ) from None
            raise InputError(
                f"no Dask scheduler answers at {self.scheduler} ({type(fault).__name__}). Start one with "
                "`dask scheduler`, or leave the address out to use this machine."
            ) from None
        # A cluster gives up a dead worker that is not back after 15 seconds, which a busy machine may take.
        patience = {"distributed.deploy.lost-worker-timeout": f"{STARTING:g}s"}
        self._settings.enter_context(dask.config.set(patience))
        self._settings.enter_context(_away_from_current_folder())  # a killed process is started again at any time
        with dask.config.set({"distributed.scheduler.allowed-failures": 1}), children_ignore_ctrl_c():
            self._cluster = distributed.LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                processes=True,
                host=LOOPBACK,
                # Each part of a cluster answers HTTP, with or without its dashboard: only to this machine.
                dashboard_address=f"{LOOPBACK}:0",
                worker_dashboard_address=f"{LOOPBACK}:0",
                silence_logs=50,
            )
            self._client = distributed.Client(self._cluster, set_as_default=False)

    def lost_scheduler(self, fault: BaseException, command: str) -> RunFailed | None:
        """The message if the Dask scheduler no longer answers or has no worker, with the command that resumes."""
        if self.kind != "dask" or not isinstance(fault, OSError | TimeoutError):
            return None
        where = f" at {self.scheduler}" if self.scheduler else ""
        if isinstance(fault, _NoWorkers):
            start = f"Start workers again (dask worker {self.scheduler}), then give" if self.scheduler else "Give"
            return RunFailed(
                f"the Dask scheduler{where} has had no worker for {STARTING:g} seconds: they were ended, and nothing "
                f"started them again. What is finished is kept. {start} the same command: {command}"
            )
        why = (str(fault).strip().splitlines() or ["no message"])[0]
        return RunFailed(
            f"the Dask scheduler{where} no longer answers ({type(fault).__name__}: {why[:200]}). What is finished is "
            f"kept. Start the scheduler again, then give the same command: {command}"
        )

    def stop(self) -> None:
        """Ends the work in progress and its processes immediately."""
        if self.kind == "loky" and self._thread is not None:
            self._end_processes(self._thread)
            self._thread = None

    @staticmethod
    def _end_processes(thread: threading.Thread) -> None:
        """Ends the workers, and waits for the thread that uses them.

        A thread that is about to start workers would start them after the shutdown. If a signal killed one worker while
        the next was starting, loky has lost track of the second and would wait for it forever. The shutdown therefore
        runs in a thread, and the processes are found in the system's process list and killed.
        """
        end = time.monotonic() + ENDING
        while True:
            closing = threading.Thread(target=_shut_down, name="simlab-closing", daemon=True)
            closing.start()
            closing.join(0.5)
            kill_workers()
            thread.join(0.5)
            closing.join(0.5)
            if not (thread.is_alive() or closing.is_alive()) or time.monotonic() > end:
                return

    def close(self) -> None:
        """Ends all processes, because the workers of the next run have to import the code afresh."""
        self.stop()
        for thing in (self._client, self._cluster):
            if thing is not None:
                with contextlib.suppress(OSError, TimeoutError):
                    thing.close()
        self._client = self._cluster = None
        self._settings.close()


@contextlib.contextmanager
def _away_from_current_folder() -> Iterator[None]:
    """Processes that loky or multiprocessing start in here do not look for modules in the current folder: neither while
    they start, nor with the search path that this process sends them.
    """
    from multiprocessing import spawn

    from joblib.externals.loky.backend import spawn as loky_spawn

    def without(prepare: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        return lambda *arguments, **named: {**prepare(*arguments, **named), "sys_path": search_path()}

    mine = _SAFE not in os.environ
    places: list[Any] = [spawn, loky_spawn]
    before = [(place, place.get_preparation_data) for place in places]
    for place, prepare in before:
        place.get_preparation_data = without(prepare)
    os.environ.setdefault(_SAFE, "1")
    try:
        yield
    finally:
        if mine:
            os.environ.pop(_SAFE, None)
        for place, prepare in before:
            place.get_preparation_data = prepare


def in_a_thread(task: Callable[[], T], name: str) -> Future[T]:
    """Runs a task in a thread of its own, which does not keep the process alive if it never ends."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(task())
        except BaseException as fault:  # noqa: BLE001 - the thread that waits for the future raises it
            future.set_exception(fault)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def _begin(driver: int) -> None:
    """Called in a new worker process. It has no answers to print, so all prints go to standard error."""
    sys.stdout = sys.stderr
    follow(driver)


def _shut_down() -> None:
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


def kill_workers() -> None:
    """Kills loky's worker processes of this process, but not its resource tracker, which cleans up."""
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        for child in psutil.Process().children():
            with contextlib.suppress(psutil.Error, OSError):
                if any(_WORKER in word for word in child.cmdline()):
                    child.kill()


def processors() -> int:
    """How many workers to start: the processors that this process may use, fewer in a container with a limit."""
    import joblib

    return int(joblib.cpu_count())


def is_death(fault: BaseException) -> bool:
    """Whether an error means that a worker died, not that its work raised an exception."""
    if isinstance(fault, BrokenExecutor):
        return True
    module = type(fault).__module__.split(".")[0]
    return module == "distributed" and type(fault).__name__ in (
        "KilledWorker",
        "CommClosedError",
        "FutureCancelledError",
    )
