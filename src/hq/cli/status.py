"""`hq status`: what the lock, the server's own file and /health say of a home."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hq.home import read_token
from hq.json_types import CallResult
from hq.server_lock import RunningServer, find, holder
from hq.settings import Settings
from hq.terminal.screen import Screen

if TYPE_CHECKING:
    from hq.api.health import Health, HealthPart

PATIENCE = 4.0
SHOWN = {
    "kind": "{}", "version": "version {}", "milliseconds": "{} ms", "free_mb": "{} MB free",
    "size": "{} connections", "trouble": "{}",
}  # fmt: skip


@dataclass(frozen=True)
class ServerStatus:
    settings: Settings
    running: RunningServer | None
    pid: int | None
    """Of the process that holds the home, ready or not."""
    health: Health | None
    frozen: str | None = None
    """Why everything is stopped, where it is."""

    @classmethod
    def of(cls, settings: Settings) -> ServerStatus:
        pid, running = holder(settings), find(settings)
        health = asked(running.url) if running else None
        return cls(settings, running, pid, health, _frozen(settings, running.url) if running and health else None)

    @property
    def exit_code(self) -> int:
        if self.running is None:
            return 1
        return 0 if self.health and self.health["status"] == "ok" else 2

    def as_dict(self) -> CallResult:
        server = asdict(self.running) | {"uptime_seconds": round(_uptime(self.running))} if self.running else None
        return {
            "running": self.running is not None,
            "home": str(self.settings.home),
            "server": server,
            "health": self.health,
            "frozen": self.frozen is not None,
        }

    def lines(self, screen: Screen) -> Iterator[str]:
        if self.running is None:
            yield f"hq is starting (pid {self.pid})" if self.pid is not None else "hq is not running; `hq up` starts it"
            return
        since = _in_words(_uptime(self.running))
        yield f"{'server':<10} {self.running.url} · pid {self.running.pid} · version {self.running.version} · up {since}"
        yield f"{'home':<10} {self.settings.home}"
        if self.frozen is not None:
            yield f"{'frozen':<10} {screen.red('everything is stopped')}{self.frozen and f': {self.frozen}'}; `hq thaw` lets it go on"
        if self.health is None:
            yield f"{'health':<10} {screen.red('does not answer')}; `hq logs` says why"
            return
        for name, part in self.health["parts"].items():
            yield f"{name:<10} {_state(part['status'], screen)} {_facts(name, part)}".rstrip()


def asked(url: str) -> Health | None:
    """What /health says; None when nothing answers."""
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=PATIENCE) as answer:  # noqa: S310
            return json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return json.load(error) if error.code == 503 else None
    except (OSError, ValueError):
        return None


def _frozen(settings: Settings, url: str) -> str | None:
    """Whether the founder has stopped everything, as the server of this home says it."""
    if not (token := read_token(settings)):
        return None
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/freeze/list", b"{}", headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            frozen = json.load(answer)["data"]["items"]
    except (OSError, ValueError, KeyError):
        return None
    return next((each.get("reason") or "" for each in frozen if each["scope"] == "all"), None)


def _state(status: str, screen: Screen) -> str:
    return screen.green("ok") if status == "ok" else screen.red(status)


def _facts(name: str, part: HealthPart) -> str:
    facts = [form.format(part[key]) for key, form in SHOWN.items() if key in part]
    if part["status"] != "ok" and (lag := part.get("lag")):
        facts.append(f"{lag} behind")
    if name == "announcer":
        facts.insert(0, "leading" if part.get("leading") else "not leading")
    return " · ".join(facts)


def _uptime(running: RunningServer) -> float:
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(running.started_at)).total_seconds())


def _in_words(seconds: float) -> str:
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{int(seconds)} s"
