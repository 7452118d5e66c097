"""Settings, all of them by environment. `docs/reference/settings.md` is made from this file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hq.errors import Refused


def default_home(root: bool) -> Path:
    """As root the server runs as another user, who could not reach a home under /root."""
    return Path("/var/lib/hq") if root else Path.home() / ".hq"


@dataclass(frozen=True)
class Settings:
    home: Path
    """HQ_HOME: the directory that holds everything: database, keys, logs. `~/.hq`, or `/var/lib/hq` as root."""
    database_url: str | None
    """HQ_DATABASE_URL: a Postgres server to use instead of the embedded one; its role must own the database."""
    host: str
    """HQ_HOST: the address to serve on. Only this machine unless changed."""
    port: int
    """HQ_PORT: the port to serve on; 0 takes a free one."""
    allowed_hosts: tuple[str, ...]
    """HQ_ALLOWED_HOSTS: further names the server answers to, with commas between; needed behind a proxy or a domain."""
    url: str | None
    """HQ_URL: a running server for the command line to talk to, when it is not the one of this home."""
    token: str | None
    """HQ_TOKEN: the credential to use instead of the home's token file."""
    direct: bool
    """HQ_DIRECT: 1 makes the command line work on the database itself, even when a server is running."""
    vault_key: str | None
    """HQ_VAULT_KEY: the vault's key (64 hexadecimal digits) where it must not lie in the home; older keys may follow."""
    calls_per_second: int
    """HQ_CALLS_PER_SECOND: how fast one token of an agent, a worker or a service may call, with ten seconds' worth at once; 0 is no limit."""
    pool_size: int
    """HQ_POOL_SIZE: how many database connections one process keeps at most."""
    embedder: str
    """HQ_EMBEDDER: what turns texts into vectors: wordllama, none, voyage:<model>, openai:<model> or ollama:<model>."""
    embedder_url: str | None
    """HQ_EMBEDDER_URL: where the embedder is, when not at its provider's own address: any that speaks OpenAI's protocol."""
    embedder_key: str | None
    """HQ_EMBEDDER_KEY: the key of the embedder's provider."""
    search: str
    """HQ_SEARCH: who searches the web: brave or tavily (key in the vault as search/brave, search/tavily), or searxng:<url>."""
    connector_sandbox: bool
    """HQ_CONNECTOR_SANDBOX: off starts connectors' programs as hq's own user, who can read this home; on, in the sandbox."""
    connector_paths: str
    """HQ_CONNECTOR_PATHS: directories that connectors' programs may read in the sandbox, with commas between."""
    agents_at_once: int
    """HQ_AGENTS_AT_ONCE: how many agents of a company work at the same time; further ones wait their turn."""
    sessions_at_once: int
    """HQ_SESSIONS_AT_ONCE: how many sessions one process works on at the same time; a sixth is kept for your own conversation, another for who waits for an answer."""
    stuck_after: int
    """HQ_STUCK_AFTER: seconds for which a process may stand still until it says in the log where it does, and ends; 0 lets it."""
    agents_memory: int
    """HQ_AGENTS_MEMORY: megabytes of memory that must be available before an agent is woken; with less it waits."""
    loops: str
    """HQ_LOOPS: where loops of agents are broken, as `name=number` with commas between; `docs/how-to/budgets.md` lists them."""
    run_timeout: int
    """HQ_RUN_TIMEOUT: seconds a run of the supervisor may work before it stops with what it has; what it waits does not count."""
    artifact_days: int
    """HQ_ARTIFACT_DAYS: how many days artifacts, and the details of a worker in its directory, stay; its result stays for ever."""
    log_level: str
    """HQ_LOG_LEVEL: debug, info, warning or error."""

    @property
    def token_file(self) -> Path:
        return self.home / "token"

    @property
    def server_file(self) -> Path:
        """Where a running server says how to reach it."""
        return self.home / "run" / "server.json"

    @property
    def lock_file(self) -> Path:
        """Held by the one process that serves this home, for as long as it lives."""
        return self.home / "run" / "lock"

    @property
    def log_file(self) -> Path:
        return self.home / "logs" / "hq.log"

    @property
    def companies(self) -> Path:
        """Where the companies keep their files: each its agents, in markdown, and what its workers left."""
        return self.home / "companies"

    @property
    def vault_file(self) -> Path:
        return self.home / "vault.key"

    @classmethod
    def load(cls, env: Mapping[str, str] | None = None) -> Settings:
        env = os.environ if env is None else env
        home = Path(env.get("HQ_HOME") or default_home(os.geteuid() == 0)).expanduser().absolute()
        return cls(
            home=home,
            database_url=env.get("HQ_DATABASE_URL") or None,
            host=env.get("HQ_HOST") or "127.0.0.1",
            port=_number(env, "HQ_PORT", 8300, 0, 65535),
            allowed_hosts=tuple(name for part in env.get("HQ_ALLOWED_HOSTS", "").split(",") if (name := part.strip())),
            url=(env.get("HQ_URL") or "").rstrip("/") or None,
            token=env.get("HQ_TOKEN") or None,
            direct=env.get("HQ_DIRECT", "") not in ("", "0"),
            vault_key=env.get("HQ_VAULT_KEY") or None,
            calls_per_second=_number(env, "HQ_CALLS_PER_SECOND", 50, 0, 100_000),
            pool_size=_number(env, "HQ_POOL_SIZE", 16, 2, 200),
            embedder=env.get("HQ_EMBEDDER") or "wordllama",
            embedder_url=env.get("HQ_EMBEDDER_URL") or None,
            embedder_key=env.get("HQ_EMBEDDER_KEY") or None,
            search=env.get("HQ_SEARCH") or "",
            connector_sandbox=_switch(env, "HQ_CONNECTOR_SANDBOX"),
            connector_paths=env.get("HQ_CONNECTOR_PATHS") or "",
            agents_at_once=_number(env, "HQ_AGENTS_AT_ONCE", 2, 1, 1000),
            sessions_at_once=_number(env, "HQ_SESSIONS_AT_ONCE", 12, 1, 256),
            stuck_after=_number(env, "HQ_STUCK_AFTER", 60, 0, 86_400),
            agents_memory=_number(env, "HQ_AGENTS_MEMORY", 600, 0, 1_000_000),
            loops=env.get("HQ_LOOPS") or "",
            run_timeout=_number(env, "HQ_RUN_TIMEOUT", 60, 1, 3600),
            artifact_days=_number(env, "HQ_ARTIFACT_DAYS", 90, 1, 36_500),
            log_level=(env.get("HQ_LOG_LEVEL") or "info").lower(),
        )


def _number(env: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = env.get(name) or str(default)
    if not text.isdigit() or not low <= int(text) <= high:
        raise Refused.invalid(f"{name} is {text!r}; it takes a number from {low} to {high}")
    return int(text)


def _switch(env: Mapping[str, str], name: str) -> bool:
    """On unless it is said otherwise."""
    text = (env.get(name) or "on").lower()
    if text not in ("on", "off"):
        raise Refused.invalid(f"{name} is {text!r}; it takes on or off")
    return text == "on"
