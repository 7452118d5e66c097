"""The files of organisations and personas (seed 003 §1.5): `<home>/companies/<company>/data/…`, keyed by slug.

Their words are people's to edit. What is not there yet reads as what it would begin with, so a lost write loses nothing.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hq.errors import Outage, Refused

LARGEST = 1024 * 1024
INTENT, SKILL, EXPERIENCE = "intent.md", "skill.md", "experience.md"


def intent_path(organisation: str) -> str:
    return f"data/organisations/{organisation}/{INTENT}"


def skill_path(persona: str) -> str:
    return f"data/personas/{persona}/{SKILL}"


def experience_path(persona: str) -> str:
    return f"data/personas/{persona}/{EXPERIENCE}"


def first_skill(name: str, role: str, about: str | None) -> str:
    return f"# {name}\n\nRole: {role}\n\n{about or 'What this persona is good at, and how it works.'}\n"


def first_experience(name: str) -> str:
    return f"# What {name} has learned\n"


class OrgFiles:
    """Reads and writes them. Paths are made of slugs, which are plain words, so nothing else is reached."""

    def __init__(self, companies: Path) -> None:
        self.companies = companies

    def place(self, company: str, path: str) -> Path:
        return self.companies / company / path

    def read(self, company: str, path: str) -> str | None:
        file = self.place(company, path)
        try:
            if file.stat().st_size > LARGEST:
                raise Refused.invalid(f"{file} is larger than {LARGEST // 1024} KB; shorten it")
            return file.read_bytes().decode("utf-8").replace("\r\n", "\n")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise Refused.invalid(f"{file} is not UTF-8; save it as UTF-8") from error
        except OSError as error:
            raise Outage(f"{file} cannot be read ({error.strerror or error})") from error

    def write(self, company: str, path: str, text: str) -> None:
        """Whole or not at all."""
        file = self.place(company, path)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor, fresh = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
            with os.fdopen(descriptor, "wb") as out:
                out.write(text.encode())
                out.flush()
                os.fsync(out.fileno())
            os.chmod(fresh, 0o644)
            Path(fresh).replace(file)
        except OSError as error:
            raise Outage(f"{file} cannot be written ({error.strerror or error})") from error

    def append(self, company: str, path: str, text: str, begin: str) -> None:
        """Behind what is there, in one write, so that two who append at once both stay."""
        file = self.place(company, path)
        self.begin(company, {path: begin})
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(descriptor, f"\n{text.rstrip()}\n".encode())
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise Outage(f"{file} cannot be written ({error.strerror or error})") from error

    def take_out(self, company: str, path: str, said: str) -> None:
        """What was added in these words, with its date; nothing else changes."""
        text = self.read(company, path) or ""
        left = re.sub(rf"^(- )?(\d{{4}}-\d\d-\d\d )?{re.escape(said.strip())}[ \t]*\n+", "", text, flags=re.MULTILINE)
        if left != text:
            self.write(company, path, left)

    def begin(self, company: str, texts: Mapping[str, str]) -> None:
        """First texts for files that are not there yet; what is there stays."""
        try:
            for path, text in texts.items():
                file = self.place(company, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                try:
                    with file.open("x", encoding="utf-8", newline="") as out:
                        out.write(text)
                except FileExistsError:
                    continue
        except OSError as error:
            raise Outage(f"files of {company} cannot be written ({error.strerror or error})") from error
