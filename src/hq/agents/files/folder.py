"""The files of a company's agents: `<home>/companies/<company>/agents/<agent>/…` and what they share, `_shared/`."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hq.agents.files.definition import NAME, AgentDefinition, parse
from hq.agents.files.markdown import Problem
from hq.agents.files.shipment import HIRED, renewed
from hq.errors import Outage, Refused
from hq.minds.tokens import estimate
from hq.suggestion import did_you_mean

SHIPPED = Path(__file__).parent / "shipped"
SHARED = "_shared"
DEFINITION, MEMORY = "agent.md", "MEMORY.md"
OWN = ("CLAUDE.md", "playbook.md", "personality.md", MEMORY)
LARGEST = 256 * 1024
WHOLE = 8_000
"""Tokens an agent may begin with: its files and the tools it is offered (002 §16.2)."""
CAPS = {
    f"{SHARED}/CLAUDE.md": 900,
    f"{SHARED}/ventures-index.md": 600,
    f"{SHARED}/customers-index.md": 600,
    f"{SHARED}/peer-card.md": 300,
    f"{SHARED}/glossary.md": 400,
    "CLAUDE.md": 1800,
    "playbook.md": 1500,
    "personality.md": 900,
    MEMORY: 1200,
}
OTHER_CAP = 600
FileSignature = tuple[tuple[str, int, int], ...]
"""Each file with when it was written and how long it is."""


@dataclass(frozen=True)
class AgentText:
    """One file that an agent is told."""

    name: str
    text: str

    @property
    def tokens(self) -> int:
        return estimate(self.text)

    @property
    def cap(self) -> int:
        return CAPS.get(self.name, OTHER_CAP)

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it: an index that nobody has filled is only the head of its table."""
        if not self.name.endswith("-index.md"):
            return not self.text.strip()
        return not any(line.startswith("|") for line in self.text.partition("|---")[2].splitlines()[1:])


@dataclass(frozen=True)
class AgentFolder:
    """An agent's files as they are on the disk."""

    slug: str
    definition: AgentDefinition | None
    problems: tuple[Problem, ...]
    texts: tuple[AgentText, ...]
    version: str
    """A hash over everything but MEMORY.md, which the agent itself writes."""

    @property
    def told(self) -> tuple[AgentText, ...]:
        """Those that say something."""
        return tuple(text for text in self.texts if not text.empty)

    @property
    def instructions(self) -> str:
        return "\n\n".join(text.text.strip() for text in self.told)

    @property
    def tokens(self) -> int:
        return sum(text.tokens for text in self.told)

    def checked(self) -> AgentDefinition:
        """The definition, or what is wrong with it."""
        if self.definition is None:
            first, *more = self.problems
            raise Refused.invalid(
                f"{first}" + (f" (and {len(more)} more)" if more else ""),
                hint=f"`hq agent check {self.slug}` lists everything that is wrong",
                problems=[str(problem) for problem in self.problems],
            )
        return self.definition


class AgentFiles:
    """Reads and writes them. Names come from callers, so only plain ones reach the disk."""

    def __init__(self, companies: Path) -> None:
        self.companies = companies
        self._good: dict[tuple[str, str], AgentFolder] = {}
        """The last version of each agent's files that could be read."""

    def folder(self, company: str) -> Path:
        return self.companies / company / "agents"

    def ship(self, company: str) -> bool:
        """Give a company that has no agents yet the ones that come with hq. Says whether it did."""
        folder = self.folder(company)
        if folder.exists():
            self.renew(company)
            return False
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".agents-"))
            shutil.copytree(SHIPPED, fresh, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            fresh.chmod(0o755)
            try:
                fresh.rename(folder)  # whole or not at all
            except OSError:
                shutil.rmtree(fresh, ignore_errors=True)
                if not folder.exists():
                    raise
                return False
        except OSError as error:
            raise Outage(f"the agents' files cannot be written to {folder} ({error.strerror or error})") from error
        return True

    def renew(self, company: str) -> list[str]:
        """Give what nobody has edited the words that come with this hq. Says which files that were."""
        folder = self.folder(company)
        try:
            return renewed(folder, SHIPPED) if folder.is_dir() else []
        except OSError as error:
            raise Outage(f"the agents' files cannot be written to {folder} ({error.strerror or error})") from error

    def slugs(self, company: str) -> list[str]:
        folder = self.folder(company)
        if not folder.is_dir():
            return []
        return sorted(each.name for each in folder.iterdir() if NAME.match(each.name) and (each / DEFINITION).is_file())

    def has(self, company: str, slug: str) -> bool:
        return bool(NAME.match(slug)) and (self.folder(company) / slug / DEFINITION).is_file()

    def signature(self, company: str) -> FileSignature:
        """What changes whenever a file does; costs no reading."""
        found: list[tuple[str, int, int]] = []
        with os.scandir(self.folder(company)) as agents:
            for agent in agents:
                if agent.is_dir():
                    with os.scandir(agent) as files:
                        told = [file for file in files if file.name.endswith(".md") and file.name != MEMORY]
                    found += [(file.path, (stat := file.stat()).st_mtime_ns, stat.st_size) for file in told]
        return tuple(sorted(found))

    def load(self, company: str, slug: str) -> AgentFolder:
        """An agent's files, read anew. What is wrong with them comes along; only an agent without any is refused."""
        folder = self.folder(company)
        if not self.has(company, slug):
            raise Refused.not_found(
                f"{slug!r} has no {DEFINITION} in {folder}{did_you_mean(slug, self.slugs(company))}",
                hint="`hq agent list` shows who works here",
            )
        problems: list[Problem] = []
        source = _read(folder, f"{slug}/{DEFINITION}", problems)
        definition, wrong = parse(f"agents/{slug}/{DEFINITION}", source)
        problems += wrong
        if definition and definition.name != slug:
            line = next(n for n, text in enumerate(source.splitlines(), 1) if text.startswith("name:"))
            problems.append(
                Problem(
                    f"agents/{slug}/{DEFINITION}",
                    line,
                    f"it says name: {definition.name} but lies in {slug}/; make them the same",
                )
            )
        texts = [AgentText(name, _read(folder, path, problems)) for name, path in self._files(folder, slug, definition)]
        hashed = hashlib.sha256(source.encode())
        for text in texts:
            if text.name != MEMORY:
                hashed.update(f"\0{text.name}\0{text.text}".encode())
        return AgentFolder(
            slug, None if problems else definition, tuple(problems), tuple(texts), hashed.hexdigest()[:16]
        )

    def usable(self, company: str, slug: str) -> tuple[AgentFolder, str | None]:
        """An agent's files as it can work with them, and what is wrong with those of now: a slip in a file does not stop an agent that
        worked a minute ago."""
        loaded = self.load(company, slug)
        if loaded.definition is not None:
            self._good[company, slug] = loaded
        elif (company, slug) not in self._good:
            loaded.checked()  # says what is wrong
        return self._good[company, slug], str(loaded.problems[0]) if loaded.problems else None

    def _files(self, folder: Path, slug: str, definition: AgentDefinition | None) -> list[tuple[str, str]]:
        """Which files it is told, each as the name it goes by and its path."""
        if definition and definition.prompt:
            names = list(definition.prompt)
        else:
            shared = sorted(path.name for path in (folder / SHARED).glob("*.md"))
            shared.sort(key=lambda name: list(CAPS).index(f"{SHARED}/{name}") if f"{SHARED}/{name}" in CAPS else 99)
            names = [f"{SHARED}/{name}" for name in shared]
            names += [name for name in OWN if name != MEMORY and (folder / slug / name).is_file()]
        return [(name, name if name.startswith(f"{SHARED}/") else f"{slug}/{name}") for name in names]

    def for_anybody(self, company: str) -> str:
        """What is told to an agent that has no files: the rules that all share, and how one works who was hired."""
        shared = sorted(path.name for path in (self.folder(company) / SHARED).glob("*.md"))
        texts = [AgentText(name, _read(self.folder(company), f"{SHARED}/{name}", [])) for name in shared]
        told = [text.text.strip() for text in texts if not text.empty]
        return "\n\n".join([*told, HIRED.read_text("utf-8").strip()])

    def texts(self, company: str, slug: str) -> dict[str, str]:
        """What is said of an agent in files of its own, its settings left out."""
        folder = self.folder(company) / slug
        return {name: (folder / name).read_text("utf-8") for name in OWN if (folder / name).is_file()}

    def drafted(self, company: str, slug: str, texts: dict[str, str]) -> AgentFolder:
        """What an agent with these files would be, before they are written."""
        with tempfile.TemporaryDirectory() as home:
            aside = AgentFiles(Path(home))
            own = aside.folder(company) / slug
            own.mkdir(parents=True)
            (own.parent / SHARED).symlink_to(self.folder(company) / SHARED)
            for name, text in texts.items():
                (own / name).write_text(text, "utf-8")
            return aside.load(company, slug)

    def write(self, company: str, slug: str, texts: dict[str, str]) -> None:
        """A new agent's folder, whole or not at all."""
        folder = self.folder(company)
        try:
            fresh = Path(tempfile.mkdtemp(dir=folder, prefix=".new-"))
            for name, text in texts.items():
                (fresh / name).write_text(text, "utf-8")
            fresh.chmod(0o755)
            fresh.rename(folder / slug)
        except OSError as error:
            raise Outage(f"the files of {slug} cannot be written to {folder} ({error.strerror or error})") from error

    def write_memory(self, company: str, slug: str, text: str) -> None:
        """MEMORY.md, whole or not at all; it is a cache and can always be written again."""
        file = self.folder(company) / slug / MEMORY
        if not self.has(company, slug):
            return
        try:
            descriptor, fresh = tempfile.mkstemp(dir=file.parent, prefix=".memory-")
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            os.chmod(fresh, 0o644)
            Path(fresh).replace(file)
        except OSError as error:
            raise Outage(f"{file} cannot be written ({error.strerror or error})") from error

    def memory(self, company: str, slug: str) -> str:
        file = self.folder(company) / slug / MEMORY
        return _read(file.parent, MEMORY, []) if self.has(company, slug) and file.is_file() else ""


def _read(folder: Path, path: str, problems: list[Problem]) -> str:
    said = f"agents/{path}"
    file = folder / path
    try:
        if file.stat().st_size > LARGEST:
            problems.append(
                Problem(said, 1, f"the file is larger than {LARGEST // 1024} KB; an agent cannot be told that")
            )
            return ""
        return file.read_text("utf-8")
    except FileNotFoundError:
        problems.append(Problem(said, 1, "the file is not there; write it, or take it out of ## Prompt"))
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        problems.append(Problem(said, line, "the file is not UTF-8; save it as UTF-8"))
    except OSError as error:
        problems.append(Problem(said, 1, f"the file cannot be read ({error.strerror or error})"))
    return ""
