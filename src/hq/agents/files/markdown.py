"""Markdown as an agent's file uses it: frontmatter, sections, tables, bullets. Every piece knows its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

HEADING = re.compile(r"^##\s+(.+?)\s*$")
RULE = re.compile(r"^\|(\s*:?-+:?\s*\|)+\s*$")
CELL = re.compile(r"(?<!\\)\|")
BULLET = re.compile(r"^[-*]\s+(.+?)\s*$")
PAIR = re.compile(r"^([A-Za-z_][\w -]*):\s*(.*?)\s*$")


@dataclass(frozen=True)
class Problem:
    """Something in a file that has to be put right."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Pair:
    """A name and its value, from frontmatter, a table's row or a bullet."""

    name: str
    value: str
    line: int


@dataclass
class MarkdownSection:
    title: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class MarkdownDocument:
    """A file taken apart. What it could not make sense of is in `problems`."""

    file: str
    front: list[Pair] = field(default_factory=list)
    sections: list[MarkdownSection] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def wrong(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.file, line, message))

    def section(self, title: str) -> MarkdownSection | None:
        return next((each for each in self.sections if each.title.casefold() == title.casefold()), None)

    def table(self, section: MarkdownSection, columns: tuple[str, str]) -> Iterator[Pair]:
        """The rows of a section's table of two columns."""
        rows = [(number, text) for number, text in section.lines if text.startswith("|")]
        if not rows:
            self.wrong(section.line, f"## {section.title} needs a table: {_head(columns)}")
            return
        if _cells(rows[0][1]) != list(columns) or len(rows) < 2 or not RULE.match(rows[1][1]):
            self.wrong(rows[0][0], f"the table of ## {section.title} begins with {_head(columns)} and a line of dashes")
            return
        for number, text in rows[2:]:
            cells = _cells(text)
            if len(cells) != 2 or not all(cells):
                self.wrong(number, "a row has two cells, both filled: | name | value |")
            else:
                yield Pair(cells[0], cells[1], number)

    def bullets(self, section: MarkdownSection) -> Iterator[Pair]:
        """The bullets of a section, as `name: value` or a name alone. Other text is a remark."""
        for number, text in section.lines:
            if found := BULLET.match(text):
                pair = PAIR.match(found.group(1))
                yield Pair(pair.group(1).strip(), pair.group(2), number) if pair else Pair(found.group(1), "", number)


def read(file: str, text: str) -> MarkdownDocument:
    """Take a file apart."""
    document = MarkdownDocument(file)
    lines = list(enumerate(text.splitlines(), start=1))
    for number, line in _body(document, lines):
        if heading := HEADING.match(line):
            if document.section(heading.group(1)):
                document.wrong(number, f"## {heading.group(1)} is there twice; put both into one")
            document.sections.append(MarkdownSection(heading.group(1), number))
        elif document.sections:
            document.sections[-1].lines.append((number, line.strip()))
    return document


def _body(document: MarkdownDocument, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Reads the frontmatter; what follows it comes back."""
    if not lines or lines[0][1].strip() != "---":
        document.wrong(1, "the file begins with frontmatter: a line ---, then name: and description:, then ---")
        return lines
    for index, (number, line) in enumerate(lines[1:], start=1):
        if line.strip() == "---":
            return lines[index + 1 :]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if pair := PAIR.match(line.strip()):
            document.front.append(Pair(pair.group(1), pair.group(2), number))
        else:
            document.wrong(number, f"{line.strip()!r} is not frontmatter; write it as name: value")
    document.wrong(1, "the frontmatter has no end; close it with a line ---")
    return []


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(line.strip().strip("|"))]


def _head(columns: tuple[str, str]) -> str:
    return f"| {columns[0]} | {columns[1]} |"
