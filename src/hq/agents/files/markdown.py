"""Markdown as an agent's file uses it: frontmatter, sections, tables, bullets. Every piece knows its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

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
    tokens: list[Token] = field(default_factory=list)


@dataclass
class MarkdownDocument:
    """A file taken apart. What it could not make sense of is in `problems`."""

    file: str
    front: list[Pair] = field(default_factory=list)
    sections: list[MarkdownSection] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    above: int = 0
    """Lines before the body."""

    def wrong(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.file, line, message))

    def section(self, title: str) -> MarkdownSection | None:
        return next((each for each in self.sections if each.title.casefold() == title.casefold()), None)

    def table(self, section: MarkdownSection, columns: tuple[str, str]) -> Iterator[Pair]:
        """The rows of a section's table of two columns."""
        rows = list(self._rows(section))
        if not rows:
            self.wrong(section.line, f"## {section.title} needs a table: {_head(columns)} and a line of dashes")
            return
        if rows[0][1] != list(columns):
            self.wrong(rows[0][0], f"the table of ## {section.title} begins with {_head(columns)} and a line of dashes")
            return
        for number, cells in rows[1:]:
            if not all(cells) or self._borders(number) != 1:
                self.wrong(number, "a row has two cells, both filled: | name | value |")
            else:
                yield Pair(cells[0], cells[1], number)

    def _rows(self, section: MarkdownSection) -> Iterator[tuple[int, list[str]]]:
        cells: list[str] = []
        for at, token in enumerate(section.tokens):
            if token.type == "tr_open":
                cells = []
                yield self.line_of(token), cells
            elif token.type in ("th_open", "td_open"):
                cells.append(section.tokens[at + 1].content.strip())

    def _borders(self, line: int) -> int:
        """Between cells: those past the head's are not among the tokens, and are not passed over in silence."""
        return self.body[line - self.above - 1].replace("\\|", "").strip().strip("|").count("|")

    def line_of(self, token: Token) -> int:
        return self.above + (token.map or [0])[0] + 1

    def bullets(self, section: MarkdownSection) -> Iterator[Pair]:
        """The bullets of a section, as `name: value` or a name alone. Other text is a remark."""
        for token, said in _items(section.tokens):
            pair = PAIR.match(said)
            name, value = (pair.group(1).strip(), pair.group(2)) if pair else (said, "")
            yield Pair(name, value, self.line_of(token))


def bullets(text: str) -> list[str]:
    """Every bullet of a text, its first line."""
    return [said for _, said in _items(_markdown().parse(text))]


def _items(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    for at, token in enumerate(tokens):
        numbered = token.info
        if token.type == "list_item_open" and not numbered and tokens[at + 1].type == "paragraph_open":
            yield token, tokens[at + 2].content.partition("\n")[0].strip()


def read(file: str, text: str) -> MarkdownDocument:
    """Take a file apart."""
    document = MarkdownDocument(file)
    lines = text.splitlines()
    document.above = _front(document, lines)
    document.body = lines[document.above :]
    tokens = _markdown().parse("\n".join(document.body))
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.markup == "##" and token.level == 0:
            title, line = tokens[at + 1].content, document.line_of(token)
            if document.section(title):
                document.wrong(line, f"## {title} is there twice; put both into one")
            document.sections.append(MarkdownSection(title, line))
        elif document.sections:
            document.sections[-1].tokens.append(token)
    return document


def _front(document: MarkdownDocument, lines: list[str]) -> int:
    """Reads the frontmatter, and tells how many lines it takes."""
    if not lines or lines[0].strip() != "---":
        document.wrong(1, "the file begins with frontmatter: a line ---, then name: and description:, then ---")
        return 0
    for number, line in enumerate(map(str.strip, lines[1:]), start=2):
        if line == "---":
            return number
        if not line or line.startswith("#"):
            continue
        if pair := PAIR.match(line):
            document.front.append(Pair(pair.group(1), pair.group(2), number))
        else:
            document.wrong(number, f"{line!r} is not frontmatter; write it as name: value")
    document.wrong(1, "the frontmatter has no end; close it with a line ---")
    return len(lines)


def _head(columns: tuple[str, str]) -> str:
    return f"| {columns[0]} | {columns[1]} |"


@cache
def _markdown() -> MarkdownIt:
    """Blocks only: a value is what is written, with its stars and backticks."""
    from markdown_it import MarkdownIt  # most calls read no file

    return MarkdownIt("zero").enable(["heading", "list", "table", "fence"])
