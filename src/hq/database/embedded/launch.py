"""Running `initdb` and `pg_ctl` for an embedded server, as its account, with its configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from hq.database.embedded import diagnosis
from hq.database.embedded.account import Account
from hq.database.embedded.binaries import INSTEAD, Binaries
from hq.database.embedded.bootstrap import SUPERUSER
from hq.database.embedded.cluster import PORT, Cluster, make_directory, rename, write
from hq.errors import Outage

PATIENCE = 300  # seconds; recovery after a crash reads up to `max_wal_size` of log

SETTINGS: Mapping[str, str] = {
    "cluster_name": "hq",
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "shared_preload_libraries": "pg_stat_statements",
    # In files of the data directory: systemd empties /dev/shm of a user who logs out, and containers keep it tiny.
    "dynamic_shared_memory_type": "mmap",
    "synchronous_commit": "on",
    "wal_compression": "pglz",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",
    "jit": "off",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "default_text_search_config": "pg_catalog.english",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
    "lc_messages": "C",
}


@dataclass(frozen=True)
class Launcher:
    """The programs of Postgres, applied to one cluster.

    `guard` is a descriptor that holds the life lock. The programs and the server inherit it, so the lock is free
    again exactly when the last of their processes is gone.
    """

    cluster: Cluster
    account: Account
    binaries: Binaries
    settings: Mapping[str, str]

    def initialise(self, guard: int) -> None:
        """Make the data directory beside its place and move it there whole, so that half of one is never found."""
        draft = self.cluster.place / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        make_directory(draft, 0o700)
        self.account.own(draft)
        done = self._run("initdb", *self._initdb_options(), "-D", draft.name, guard=guard)
        if done.returncode:
            shutil.rmtree(draft, ignore_errors=True)
            raise Outage(diagnosis.failed(self.cluster, "could not be made", done.stdout))
        rename(draft, self.cluster.data)

    def check_version(self) -> None:
        """Postgres reads only data of its own major version."""
        try:
            found = (self.cluster.data / "PG_VERSION").read_text().strip()
        except FileNotFoundError:
            raise Outage(
                f"{self.cluster.data} holds no database (PG_VERSION is missing); restore it, or move it away."
            ) from None
        ours = self.binaries.version().split(".")[0]
        if found != ours:
            raise Outage(diagnosis.foreign_version(self.cluster, found, ours))

    def launch(self, guard: int) -> None:
        """Start the server in a session of its own, so that no Ctrl-C reaches it, and wait until it is ready."""
        write(self.cluster.config, self._config(), self.account)
        before = self.cluster.log.stat().st_size
        # Names relative to the working directory: pg_ctl passes them through a shell, and a home may hold any character.
        files = ("-D", self.cluster.data.name, "-l", self.cluster.log.name)
        options = ("-o", f"-c config_file={self.cluster.config.name}")
        done = self._run("pg_ctl", "start", "-w", "-t", str(PATIENCE), *files, *options, guard=guard)
        if done.returncode:
            slow = "did not start in time" in done.stdout
            what = f"is still not ready after {PATIENCE} seconds, try again later" if slow else "does not start"
            raise Outage(diagnosis.failed(self.cluster, what, self._logged_since(before) or done.stdout))

    def _logged_since(self, position: int) -> str:
        with self.cluster.log.open("rb") as log:
            log.seek(position)
            return log.read().decode(errors="replace")

    def _initdb_options(self) -> list[str]:
        locale = "C.UTF-8" if sys.platform == "linux" else "C"  # only for what the built-in provider leaves to libc
        options = ["-U", SUPERUSER, "-A", "scram-sha-256", "--pwfile", self.cluster.password_file(SUPERUSER).name]
        options += ["-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", f"--locale={locale}"]
        options += ["--data-checksums", "--no-instructions"]
        return options + (["--no-sync"] if self.settings.get("fsync") == "off" else [])

    def _config(self) -> str:
        settings = {**self.settings, "unix_socket_directories": str(self.cluster.sockets)}
        quoted = {name: value.replace("\\", "\\\\").replace("'", "''") for name, value in settings.items()}
        lines = [f"{name} = '{value}'\n" for name, value in quoted.items()]
        return "# Written by hq at every start; changes are lost.\n" + "".join(lines)

    def _run(self, program: str, *arguments: str, guard: int) -> subprocess.CompletedProcess[str]:
        command = [str(self.binaries.program(program)), *arguments]
        try:
            return subprocess.run(
                command,
                cwd=self.cluster.place,
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                pass_fds=(guard,),
                start_new_session=True,
                check=False,
                **self.account.child_options,
            )
        except OSError as error:
            cannot = f"{command[0]} cannot be run as user {self.account.name} ({error.strerror})"
            raise Outage(f"{cannot}; {INSTEAD}.") from error
