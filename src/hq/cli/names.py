"""Names of nouns and verbs: `verbs.json`, read without loading a single one of them, or anything else heavy."""

from __future__ import annotations

import json
import os
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hq.cli.manifest import CliManifest

FILE = os.path.join(os.path.dirname(__file__), "verbs.json")


@cache
def manifest() -> CliManifest:
    with open(FILE, "rb") as file:
        return json.load(file)


def nouns() -> dict[str, str]:
    """Every noun with its line."""
    return manifest()["nouns"]


def typed() -> set[str]:
    """Nouns with a verb that somebody types; the others are called by hq itself."""
    return {name.partition(".")[0] for name, verb in manifest()["verbs"].items() if not verb.get("internal")}


def under() -> dict[str, str]:
    """Nouns whose commands are another noun's, with the words that lead there: role is `org role`."""
    return manifest()["under"]


def words(noun: str) -> str:
    """What is typed for a noun."""
    return under().get(noun) or command_name(noun)


def aliases() -> dict[str, str]:
    """Every short command with the verb it stands for."""
    return manifest()["aliases"]


def actions(noun: str) -> list[str]:
    return [action for name in manifest()["verbs"] if (action := name.removeprefix(f"{noun}.")) != name]


def summary(verb: str) -> str:
    return manifest()["verbs"][verb]["says"]


def command_name(word: str) -> str:
    return word.replace("_", "-")
