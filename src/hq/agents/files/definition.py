"""An agent's definition, as its file says it (002 §20.3): parsed strictly, every mistake with its line and what to
do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypedDict, cast, get_args

from cronsim import CronSim, CronSimError

from hq.agents.files.markdown import MarkdownDocument, MarkdownSection, Pair, Problem, read
from hq.suggestion import did_you_mean

Kind = Literal["ceo", "operator", "team", "project", "subagent"]
TIERS = ("default", "heavy", "light")
SCOPES = ("read", "write", "effect", "sql")
BASE_TOOLS = ("graph", "event", "tools")
"""What every agent has (002 §33.4), in the nouns of this registry."""
FRONT = ("name", "title", "description", "kind", "role", "memory")
SECTIONS = (
    "Model policy",
    "Triggers",
    "Tools",
    "Subagents allowed",
    "Budget",
    "Permissions",
    "Session lifecycle",
    "Prompt",
)
OPTIONAL = ("Session lifecycle", "Prompt", "Subagents allowed")
TOOL = re.compile(r"^[a-z][a-z0-9_]{1,63}$")
TOOL_USE = re.compile(r"|read|write|[a-z_]+(?:\s*,\s*[a-z_]+)*")
PATTERN = re.compile(r"^[a-z0-9_.:*-]{1,80}$")
FILE = re.compile(r"^(_shared/)?[A-Za-z0-9][\w.-]*\.md$")
NAME = re.compile(r"^[a-z0-9][a-z0-9-]{0,59}$")
OFF = ("off", "none", "disabled")
AFTER_WORK = "Beat after work"
BEATS = ("Beat", AFTER_WORK)
SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Beat:
    """A wake by the clock."""

    cron: str
    says: str = ""
    after_work: bool = False
    """Passed over where nobody did anything since."""


@dataclass(frozen=True)
class BudgetLimit:
    daily_usd_soft: float | None = None
    daily_usd_hard: float | None = None
    daily_tokens_hard: int | None = None
    tokens_per_run_cap: int | None = None
    max_turns_per_query: int | None = None
    opus_turns_per_day_cap: int | None = None


class Fields(TypedDict, total=False):
    """Some of what a definition says, by the names of its fields."""

    name: str
    description: str
    role: str
    kind: Kind
    title: str
    model_policy: tuple[tuple[str, str], ...]
    beats: tuple[Beat, ...]
    topics: tuple[str, ...]
    inbox: bool
    base: bool
    tools: tuple[str, ...]
    reads: tuple[str, ...]
    only: Mapping[str, tuple[str, ...]]
    daily: tuple[str, ...]
    subagents: tuple[str, ...]
    max_subagents: int
    budget: BudgetLimit
    scopes: tuple[str, ...]
    owns: tuple[str, ...]
    never: tuple[str, ...]
    write_paths: tuple[str, ...]
    warm_window_seconds: int
    prompt: tuple[str, ...]


@dataclass(frozen=True)
class AgentDefinition:
    """An agent, as its file says."""

    name: str
    description: str
    role: str
    kind: Kind = "team"
    title: str = ""
    """What people call it, where that is not its name."""
    model_policy: tuple[tuple[str, str], ...] = (("default", "default"),)
    """Condition and tier, in the order they are tried."""
    beats: tuple[Beat, ...] = ()
    topics: tuple[str, ...] = ()
    inbox: bool = True
    """Whether messages wake it."""
    base: bool = True
    """Whether it has the base set of tools."""
    tools: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    """Tools among them that it only looks with."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of some nouns, the actions it has."""
    daily: tuple[str, ...] = ()
    """The tools that it is shown; all else it reaches through `hq`."""
    subagents: tuple[str, ...] = ()
    max_subagents: int = 2
    budget: BudgetLimit = field(default_factory=BudgetLimit)
    scopes: tuple[str, ...] = ("read", "write", "effect")
    owns: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    write_paths: tuple[str, ...] = ()
    warm_window_seconds: int = 0
    prompt: tuple[str, ...] = ()
    """Files that make its instructions, in order; none named, all of them."""

    @property
    def offered(self) -> tuple[str, ...]:
        """All it is given, by noun or by tool: what it reaches, shown or not."""
        return tuple(dict.fromkeys((*(BASE_TOOLS if self.base else ()), *self.tools)))


def parse(file: str, text: str) -> tuple[AgentDefinition | None, list[Problem]]:
    """The definition, and everything that is wrong with the file; with a problem there is no definition."""
    document = read(file, text)
    reading = _DefinitionReader(document)
    values = reading.front() | reading.sections()
    if document.problems:
        return None, sorted(document.problems, key=lambda each: each.line)
    return AgentDefinition(**values), []


class _DefinitionReader:
    def __init__(self, document: MarkdownDocument) -> None:
        self.document = document
        self.wrong = document.wrong

    def front(self) -> Fields:
        found = {pair.name: pair.value for pair in self._named(self.document.front, FRONT, "frontmatter")}
        for name in ("name", "description", "role"):
            if not found.get(name):
                self.wrong(1, f"the frontmatter lacks {name}:")
        if found.get("name") and not NAME.match(found["name"]):
            self.wrong(self._line("name"), "name is a slug: small letters, digits and dashes")
        if found.get("kind", "team") not in get_args(Kind):
            self.wrong(self._line("kind"), f"kind is one of {', '.join(get_args(Kind))}")
        if found.pop("memory", "project") != "project":
            self.wrong(self._line("memory"), "memory is project, or left out")
        return cast("Fields", found)

    def _line(self, name: str) -> int:
        return next(pair.line for pair in self.document.front if pair.name == name)

    def sections(self) -> Fields:
        known = {title.casefold(): title for title in SECTIONS}
        found: Fields = {}
        for section in self.document.sections:
            title = known.get(section.title.casefold())
            if title is None:
                hint = did_you_mean(section.title, SECTIONS) or f"; there are {', '.join(SECTIONS)}"
                self.wrong(section.line, f"## {section.title} is no section of an agent{hint}")
                continue
            readers: dict[str, Callable[[MarkdownSection], Fields]] = {
                "Model policy": self._models,
                "Triggers": self._triggers,
                "Tools": self._tools,
                "Subagents allowed": self._subagents,
                "Budget": self._budget,
                "Permissions": self._permissions,
                "Session lifecycle": self._lifecycle,
                "Prompt": self._prompt,
            }
            found |= readers[title](section)
        for title in SECTIONS:
            if title not in OPTIONAL and not self.document.section(title):
                self.wrong(1, f"the section ## {title} is missing")
        return found

    def _models(self, section: MarkdownSection) -> Fields:
        rows: list[tuple[str, str]] = []
        for pair in self.document.table(section, ("Condition", "Tier")):
            if pair.value not in TIERS:
                self.wrong(pair.line, f"{pair.value!r} is no tier; take {', '.join(TIERS)}")
            rows.append((pair.name, pair.value))
        return {"model_policy": tuple(rows)}

    def _triggers(self, section: MarkdownSection) -> Fields:
        found: Fields = {"beats": (), "topics": (), "inbox": True}
        beats: tuple[Beat, ...] = ()
        for pair in self._rows(section, (*BEATS, "Outbox topics", "Founder inbox"), many=BEATS):
            match pair.name:
                case "Outbox topics":
                    found["topics"] = tuple(self._patterns(pair))
                case "Founder inbox":
                    found["inbox"] = self._switch(pair)
                case _:
                    beats += tuple(self._beats(pair))
        return {**found, "beats": beats}

    def _beats(self, pair: Pair) -> Iterator[Beat]:
        if pair.value.casefold() in OFF:
            return
        for each in pair.value.split(";"):
            fields = each.replace("`", "").split(maxsplit=5)
            cron, says = " ".join(fields[:5]), fields[5] if len(fields) > 5 else ""
            try:
                CronSim(cron, SOME_DAY)
            except CronSimError:
                self.wrong(
                    pair.line,
                    f"{cron!r} is not a cron expression; write minute, hour, day, month and weekday, "
                    "such as 0 7 * * * (morning brief)",
                )
                continue
            yield Beat(cron, says.strip().removeprefix("(").removesuffix(")").strip(), pair.name == AFTER_WORK)

    def _tools(self, section: MarkdownSection) -> Fields:
        base, tools, reads, only, daily = True, [], [], {}, []
        for pair in self.document.bullets(section):
            if pair.name == "base":
                base = self._switch(pair)
            elif pair.name == "daily":
                daily += self._shown(pair)
            elif not TOOL.match(pair.name):
                self.wrong(
                    pair.line,
                    f"{pair.name!r} is no name of a tool; write - task, - entity: read, - agent: ask, send, or - read_file",
                )
            elif pair.name in tools:
                self.wrong(pair.line, f"{pair.name} is named twice")
            elif not TOOL_USE.fullmatch(pair.value):
                self.wrong(
                    pair.line, f"{pair.name} is given to read, to write, or for actions by name, not {pair.value!r}"
                )
            else:
                tools.append(pair.name)
                reads += [pair.name] if pair.value == "read" else []
                if pair.value not in ("", "read", "write"):
                    only[pair.name] = tuple(action.strip() for action in pair.value.split(","))
        return {"base": base, "tools": tuple(tools), "reads": tuple(reads), "only": only, "daily": tuple(daily)}

    def _shown(self, pair: Pair) -> list[str]:
        """Tools by name, with commas between; on several lines where they are many."""
        names = _items(pair.value)
        for name in names:
            if not TOOL.match(name):
                self.wrong(pair.line, f"daily names tools, such as mission_create, read_file; {name!r} is none")
        return [name for name in names if TOOL.match(name)]

    def _subagents(self, section: MarkdownSection) -> Fields:
        found: Fields = {}
        names: list[str] = []
        for pair in self.document.bullets(section):
            if pair.name == "max":
                found["max_subagents"] = self._number(pair, int)
            else:
                names.append(pair.name if not pair.value else f"{pair.name}:{pair.value}")
        return {**found, "subagents": tuple(names)}

    def _budget(self, section: MarkdownSection) -> Fields:
        controls = tuple(BudgetLimit.__dataclass_fields__)
        rows = self._named(self.document.table(section, ("Control", "Value")), controls, "a budget")
        values = {pair.name: self._number(pair, float if "usd" in pair.name else int) for pair in rows}
        soft, hard = values.get("daily_usd_soft"), values.get("daily_usd_hard")
        if soft is not None and hard is not None and soft > hard:
            self.wrong(section.line, f"daily_usd_soft ({soft}) is above daily_usd_hard ({hard}); it must warn first")
        return {"budget": BudgetLimit(**values)}

    def _permissions(self, section: MarkdownSection) -> Fields:
        found: Fields = {}
        for pair in self._rows(section, ("Scopes", "Owns", "Never", "Write paths")):
            if pair.name == "Write paths":
                found["write_paths"] = tuple(_items(pair.value))
                for path in found["write_paths"]:
                    if path.startswith("/") or ".." in path.split("/"):
                        self.wrong(pair.line, f"{path!r} leaves the company's files; paths are relative to them")
            elif pair.name == "Scopes":
                found["scopes"] = tuple(_items(pair.value))
                for scope in found["scopes"]:
                    if scope.partition(":")[0] not in SCOPES:
                        self.wrong(pair.line, f"{scope!r} is no scope an agent may hold; take {', '.join(SCOPES)}")
            else:
                found[pair.name.lower()] = tuple(self._patterns(pair))
        return found

    def _lifecycle(self, section: MarkdownSection) -> Fields:
        for pair in self.document.bullets(section):
            if pair.name == "warm_window_seconds":
                return {"warm_window_seconds": self._number(pair, int)}
        return {}

    def _prompt(self, section: MarkdownSection) -> Fields:
        files = []
        for pair in self.document.bullets(section):
            name = pair.name.strip("`")
            if not FILE.match(name):
                self.wrong(pair.line, f"{name!r} is not a file of the agent; write CLAUDE.md or _shared/glossary.md")
            files.append(name)
        return {"prompt": tuple(files)}

    # ---- what the sections share

    def _rows(self, section: MarkdownSection, names: tuple[str, ...], many: tuple[str, ...] = ()) -> Iterator[Pair]:
        spelled = {name.casefold(): name for name in names}
        rows = [
            Pair(spelled.get(pair.name.casefold(), pair.name), pair.value, pair.line)
            for pair in self.document.table(section, ("Kind", "Value"))
        ]
        yield from self._named(rows, names, f"## {section.title}", many)

    def _named(self, pairs: Any, names: tuple[str, ...], where: str, many: tuple[str, ...] = ()) -> Iterator[Pair]:
        """Only what is known, and once."""
        seen: set[str] = set()
        for pair in pairs:
            if pair.name not in names:
                hint = did_you_mean(pair.name, names) or f"; it takes {', '.join(names)}"
                self.wrong(pair.line, f"{where} has no {pair.name!r}{hint}")
            elif pair.name in seen and pair.name not in many:
                self.wrong(pair.line, f"{pair.name} is there twice; put both into one")
            else:
                seen.add(pair.name)
                yield pair

    def _patterns(self, pair: Pair) -> Iterator[str]:
        for item in _items(pair.value):
            if PATTERN.match(item):
                yield item
            else:
                self.wrong(pair.line, f"{item!r} is not a pattern; write task.created, task.* or *.created")

    def _switch(self, pair: Pair) -> bool:
        word = pair.value.casefold().split(maxsplit=1)[0] if pair.value else ""
        if word not in ("true", "yes", "on", "enabled", "false", "no", *OFF):
            self.wrong(pair.line, f"{pair.name} is on or off, not {pair.value!r}")
        return word in ("true", "yes", "on", "enabled")

    def _number(self, pair: Pair, kind: type[int] | type[float]) -> Any:
        text = re.sub(r"[$_,\s]", "", pair.value.partition("(")[0])
        try:
            number = kind(text)
        except ValueError:
            number = -1
        if not 0 <= number < float("inf"):
            self.wrong(pair.line, f"{pair.name} is a {'whole ' if kind is int else ''}number, not {pair.value!r}")
            return None
        return number


def _items(value: str) -> list[str]:
    if value.strip().casefold() in OFF:
        return []
    return list(dict.fromkeys(item.strip().strip("`") for item in value.split(",") if item.strip()))
