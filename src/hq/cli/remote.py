"""The server somebody logged in to with `hq auth login --url … --code …`, kept 0600 in the home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from hq.home import prepare_home, write_private
from hq.settings import Settings


class RemoteLogin(NamedTuple):
    url: str
    token: str


def read(settings: Settings) -> RemoteLogin | None:
    try:
        kept = json.loads(_file(settings).read_text())
        return RemoteLogin(kept["url"], kept["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(settings: Settings, login: RemoteLogin) -> Path:
    prepare_home(settings.home)
    write_private(_file(settings), json.dumps(login._asdict()) + "\n")
    return _file(settings)


def forget(settings: Settings) -> RemoteLogin | None:
    login = read(settings)
    _file(settings).unlink(missing_ok=True)
    return login


def _file(settings: Settings) -> Path:
    return settings.home / "remote.json"
