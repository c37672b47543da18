"""The workers: joblib in a separate thread."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, InvalidStateError
from importlib import import_module
from typing import Any

from simlab.engine.signals import children_ignore_ctrl_c, follow
from simlab.errors import InputError, RunFailed
from simlab.runs.worker import ShardReport, ShardSpec, Stopped, play_shard

BACKENDS = ("loky", "threads", "dask")
LOOPBACK = "127.0.0.1"  #: processes started here can be reached only from here
ANSWER = 10.0  #: seconds within which a Dask scheduler must answer
STARTING = 180.0  #: seconds within which at least one Dask worker must be available
_WORKER = ".popen_loky_"  # in the command of joblib's worker processes
ENDING = 10.0  #: seconds within which joblib must give up after its workers have ended


class Pool:
    """Hands work to joblib and puts its reports into a queue, so the main thread still responds to Ctrl-C.

    Args:
        kind: `inline` (one thread), or one of BACKENDS. workers: number of workers.
        scheduler: address of a Dask scheduler; None starts workers of this machine.
    """

    def __init__(self, kind: str, workers: int, scheduler: str | None) -> None:
        self.kind, self.workers, self.scheduler = kind, workers, scheduler
        self.in_process = kind in ("inline", "threads")
        if kind == "loky":
            # Errors of a dead worker in loky's callbacks also come out of `next`: no trace of them for the user.
            logging.getLogger("concurrent.futures").setLevel(logging.CRITICAL + 1)
        self._outbox: queue.Queue[ShardReport | BaseException | None] = queue.Queue()
        self._client: Any = None
        self._cluster: Any = None
        self._settings = contextlib.ExitStack()
        self._waiting: set[Any] = set()
        self._thread: threading.Thread | None = None

    def start(self, specs: Iterable[ShardSpec], at_a_time: int | None = None) -> None:
        """Starts work; `specs` is consumed as workers become free."""
        self._outbox = queue.Queue()
        if self.kind == "dask" and self._client is None:
            self._connect()
        arguments = (specs, at_a_time or self.workers, self._outbox)
        self._thread = threading.Thread(target=self._pump, args=arguments, name="simlab-pool", daemon=True)
        self._thread.start()

    def next(self, timeout: float) -> ShardReport | BaseException | None:
        """A report, an exception, or None at the end; raises queue.Empty after `timeout` seconds."""
        return self._outbox.get(timeout=timeout)

    def _pump(self, specs: Iterable[ShardSpec], at_a_time: int, outbox: queue.Queue[Any]) -> None:
        with children_ignore_ctrl_c(processes=self.kind in ("loky", "dask")):
            self._play(specs, at_a_time, outbox)

    def _play(self, specs: Iterable[ShardSpec], at_a_time: int, outbox: queue.Queue[Any]) -> None:
        try:
            if self.kind == "inline":
                for spec in specs:
                    outbox.put(play_shard(spec))
            else:
                for report in self._parallel(specs, at_a_time):
                    outbox.put(report)
            outbox.put(None)
        except BaseException as fault:  # noqa: BLE001 - the main thread raises it
            outbox.put(fault)

    def _parallel(self, specs: Iterable[ShardSpec], at_a_time: int) -> Iterator[ShardReport]:
        import joblib

        backend: Any = {"loky": "loky", "threads": "threading"}.get(self.kind)
        if backend is None:
            backend = self._dask_backend()
        # For one worker two are started, one of them idle: joblib would do the work of a single one in this process.
        own = {"initializer": follow, "initargs": (os.getpid(),)} if self.kind == "loky" else {}
        with joblib.parallel_config(backend=backend, n_jobs=max(self.workers, 2), **own):
            # A Dask cluster may grow while it works: extra work is queued for it.
            ahead: Any = "2 * n_jobs + 32" if self.kind == "dask" else "2 * n_jobs"
            if at_a_time == 1:
                ahead = 1
            run = joblib.Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch=ahead)
            yield from run(joblib.delayed(play_shard)(spec) for spec in specs)

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
        except (OSError, TimeoutError, ValueError) as fault:
            raise InputError(
                f"no Dask scheduler answers at {self.scheduler} ({type(fault).__name__}). Start one with "
                "`dask scheduler`, or leave the address out to use this machine."
            ) from None
        # A cluster gives up a dead worker that is not back after 15 seconds, which a busy machine may take.
        patience = {"distributed.deploy.lost-worker-timeout": f"{STARTING:g}s"}
        self._settings.enter_context(dask.config.set(patience))
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

    def _dask_backend(self) -> Any:
        """joblib's backend for Dask, patched because the original does not notice work that Dask gave up, and waits
        forever.
        """
        base = self._joblibs_own_backend()
        waiting = self._waiting

        class Backend(base):  # type: ignore[misc, valid-type]
            def effective_n_jobs(self, n_jobs: int) -> int:
                if not sum(self.client.ncores().values()):
                    # joblib waits with a task of one fixed name: after workers have died, a task of that name may have
                    # been cancelled, and never answers again.
                    self.client.submit(os.getpid, pure=False).result(timeout=STARTING)
                # For one worker joblib would leave Dask alone and play in this process.
                return max(int(super().effective_n_jobs(n_jobs)), 2)

            def submit(self, func: Any, callback: Any = None) -> Any:
                future = super().submit(func, callback)
                waiting.add(future)

                def over(done: Any) -> None:
                    waiting.discard(done)
                    if done.exception() is not None:
                        callback(done)

                future.add_done_callback(over)
                return future

            def retrieve_result_callback(self, out: Any) -> Any:
                if hasattr(out, "exception") and hasattr(out, "add_done_callback"):
                    raise out.exception()
                return super().retrieve_result_callback(out)

        # A killed worker is started again, which may take a while on a busy machine.
        return Backend(client=self._client, wait_for_workers_timeout=STARTING)

    @staticmethod
    def _joblibs_own_backend() -> Any:
        """The private class of joblib that is patched. Another version of joblib may lack it, or the methods that are
        overridden.
        """
        try:
            dask: Any = import_module("joblib._dask").DaskDistributedBackend
        except (ImportError, AttributeError):
            dask = None
        if not {"effective_n_jobs", "submit", "retrieve_result_callback"} <= vars(dask or object).keys():
            from importlib.metadata import version

            raise InputError(
                f"the dask backend does not fit joblib {version('joblib')}, whose inner parts differ. Install one "
                "that fits: pip install 'joblib>=1.6,<1.7'; or use --backend loky."
            )
        return dask

    def lost_scheduler(self, fault: BaseException, command: str) -> RunFailed | None:
        """The message if the Dask scheduler no longer answers; None for another fault.

        Args:
            command: the command that resumes the run.
        """
        if self.kind != "dask" or not isinstance(fault, OSError | TimeoutError):
            return None
        where = f" at {self.scheduler}" if self.scheduler else ""
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
        for future in list(self._waiting):
            with contextlib.suppress(InvalidStateError):  # it has just come in
                future.set_exception(Stopped())

    @staticmethod
    def _end_processes(thread: threading.Thread) -> None:
        """Ends the workers, and waits for the thread that uses them.

        A thread that is just about to start workers would start them afterwards. A thread that is still removing
        joblib's temporary folders would compete with the end of this process, and one of the two would report an error.
        If a signal killed one worker while the next was starting, joblib has lost track of the latter and would wait
        for it forever. The shutdown therefore runs in a thread, and the processes are found in the system's process
        list and killed.
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
        """Ends all processes, because the workers of the next run have to import the code as it is then."""
        self.stop()
        for thing in (self._client, self._cluster):
            if thing is not None:
                with contextlib.suppress(OSError, TimeoutError):
                    thing.close()
        self._client = self._cluster = None
        self._settings.close()


def _shut_down() -> None:
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


def kill_workers() -> None:
    """Kills the worker processes that joblib started for this process, but not its resource tracker, which cleans
    up.
    """
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        for child in psutil.Process().children():
            with contextlib.suppress(psutil.Error, OSError):
                if any(_WORKER in word for word in child.cmdline()):
                    child.kill()


def is_death(fault: BaseException) -> bool:
    """Whether a worker died. The alternative is that its work raised an exception."""
    if isinstance(fault, BrokenExecutor):
        return True
    module = type(fault).__module__.split(".")[0]
    return module == "distributed" and type(fault).__name__ in (
        "KilledWorker",
        "CommClosedError",
        "FutureCancelledError",
    )
