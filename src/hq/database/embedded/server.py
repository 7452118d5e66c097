"""An embedded Postgres: made on first use, started, found again after any kind of death, and stopped.

It outlives the process that starts it; every hq process of a home finds the same server. Whether it runs is asked by
connecting, and whether any process of it is left by a lock those processes hold, never by a pid.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import psycopg
from psycopg.pq import PGconn, Ping

from hq import locks
from hq.database.embedded import diagnosis
from hq.database.embedded.account import Account, account_for
from hq.database.embedded.binaries import installed, within_reach
from hq.database.embedded.bootstrap import DATABASE, OWNER, SUPERUSER, bootstrap, complete
from hq.database.embedded.cluster import PORT, Cluster
from hq.database.embedded.launch import PATIENCE, SETTINGS, Launcher
from hq.errors import Outage

POLL = 0.05  # seconds


class EmbeddedServer:
    """The one Postgres server of a home. Every method may be called from several processes at once."""

    def __init__(self, home: Path, *, shared_buffers: str = "128MB", extra: Mapping[str, str] | None = None) -> None:
        self._cluster = Cluster(Path(os.path.realpath(home)))
        self._settings = {**SETTINGS, "shared_buffers": shared_buffers, **(extra or {})}

    @property
    def url(self) -> str:
        """How the owner of the schema connects: role, password, database and socket."""
        with self._explained():
            return self._cluster.url(OWNER, DATABASE)

    @property
    def pid(self) -> int | None:
        """The postmaster's, while it lives."""
        with self._explained():
            return self._postmaster()

    @property
    def log_path(self) -> Path:
        return self._cluster.log

    def running(self) -> bool:
        """Whether it takes connections now."""
        return self._ping() == Ping.OK

    def start(self) -> None:
        """Come back with a ready server, whatever was there before: nothing, half of one, a crashed one, or this one."""
        with self._explained():
            if self._ready():
                return
            account = self._account()
            self._cluster.lay_out(account)
            with locks.exclusive(self._cluster.start_lock):
                self._cluster.keep_password(OWNER, account)
                fresh = not self._cluster.data.exists()
                self._bring_up(account)
                if fresh or not self._ready():
                    self._bootstrap()

    def stop(self) -> None:
        """End all sessions, shut down in order and wait for it. Nothing happens when no server runs."""
        with self._explained():
            if not self._alive():
                return
            with locks.exclusive(self._cluster.start_lock):
                self._shut_down()
                self._cluster.leave_no_socket()

    def _explained(self) -> AbstractContextManager[None]:
        return diagnosis.explained(self._cluster.home, account_for(self._cluster.data))

    def _account(self) -> Account:
        account = account_for(self._cluster.data)
        barrier = account.barrier(self._cluster.place) if account.demoted else None
        if barrier:
            raise Outage(diagnosis.shut_out(self._cluster.home, account, barrier))
        return account

    def _ping(self) -> Ping:
        """What libpq finds at the socket; REJECT is a server that starts, recovers or shuts down."""
        where = f"host='{self._cluster.sockets}' port={PORT} user={OWNER} dbname={DATABASE} connect_timeout=5"
        return Ping(PGconn.ping(where.encode()))

    def _ready(self) -> bool:
        """Whether there is nothing left to do for `start`."""
        try:
            return complete(self._cluster)
        except (psycopg.Error, Outage):
            return False

    def _answers(self) -> bool:
        return self._ping() in (Ping.OK, Ping.REJECT)

    def _alive(self) -> bool:
        """Whether any process is left: the postmaster, or what a killed one left behind."""
        return locks.held(self._cluster.life_lock) or self._answers()

    def _postmaster(self) -> int | None:
        """The pid in the server's own file, which means something only while somebody answers at its socket."""
        try:
            first = (self._cluster.data / "postmaster.pid").read_text().partition("\n")[0]
        except (FileNotFoundError, NotADirectoryError):
            return None
        return int(first) if first.isdigit() and self._answers() else None

    def _bring_up(self, account: Account) -> None:
        """Called with the start lock held; afterwards the server takes connections."""
        with self._sole_life() as guard:
            if guard is None:
                return
            self._cluster.open_sockets(account)
            self._cluster.open_log(account)
            binaries = within_reach(installed(), account, self._cluster.place)
            launcher = Launcher(self._cluster, account, binaries, self._settings)
            self._ensure_data(launcher, guard)
            self._cluster.forget_dead_server()
            launcher.launch(guard)

    def _ensure_data(self, launcher: Launcher, guard: int) -> None:
        if not self._cluster.data.exists():
            self._cluster.keep_password(SUPERUSER, launcher.account)
            launcher.initialise(guard)
        launcher.check_version()

    @contextmanager
    def _sole_life(self) -> Iterator[int | None]:
        """The life lock, once no process of an earlier server is left; None when that server takes connections."""
        guard = self._await_life()
        try:
            yield guard
        finally:
            if guard is not None:
                os.close(guard)

    def _await_life(self) -> int | None:
        """A crashed server's last processes, a recovery, an abandoned `initdb`: all of them end by themselves."""
        for _ in self._patiently("is not ready, most likely because it still recovers from a crash"):
            found = self._ping()
            if found == Ping.OK:
                return None
            guard = None if found == Ping.REJECT else locks.take(self._cluster.life_lock)
            if guard is not None:
                return guard
        return None

    def _shut_down(self) -> None:
        asked = False
        for _ in self._patiently("does not stop"):
            if not self._alive():
                return
            if not asked and (pid := self._postmaster()):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGINT)  # Postgres calls it a fast shutdown
                asked = True

    def _patiently(self, complaint: str) -> Iterator[None]:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            yield
            time.sleep(POLL)
        raise Outage(f"After {PATIENCE} seconds the database {complaint}; look into {self._cluster.log} and try again.")

    def _bootstrap(self) -> None:
        try:
            bootstrap(self._cluster)
        except psycopg.Error as error:
            raise Outage(diagnosis.failed(self._cluster, "could not be prepared", str(error))) from error
