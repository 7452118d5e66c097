"""Checks of a deliverable: a file is there or is different, a command exits 0, an address answers, a person says yes.

A deliverable is one line: `file:README.md`, `changed:src/*`, `command:pytest -q`, `url:https://acme.example`, or plain words,
which a person has to accept. Files and commands are looked at in what is handed in, on a tree nobody else works in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, NotRequired, TypedDict

from hq.channels.egress.address import check_url
from hq.channels.webhooks.sender import Sender, manners
from hq.errors import Refused
from hq.graph.records import Stored
from hq.ids import new_id
from hq.sandbox import Sandbox, paths
from hq.workspace.directories import EMPTY, TenantDirectories
from hq.workspace.empty_test_run import ran_no_tests
from hq.workspace.snapshots.changes import changes
from hq.workspace.snapshots.entries import printable
from hq.workspace.snapshots.lookup import entry_at
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace

Kind = Literal["file", "changed", "command", "url", "person"]
KINDS: tuple[Kind, ...] = ("file", "changed", "command", "url", "person")
ANY_CHANGE = "changed:*"
"""What a change of something that is there has to bring at the least."""
LONGEST = 500
TAIL = 600
"""Characters of a command's output that whoever hands in gets to see."""
NAMED = 5
"""Changed files that are named."""
SHELL = ("/bin/sh", "-c")


@dataclass(frozen=True)
class Check:
    text: str
    """As the mission says it."""
    kind: Kind
    what: str


class CheckedItem(TypedDict):
    """A deliverable that was looked for."""

    deliverable: str
    passed: bool | None
    """Nothing while a person has to say."""
    seen: str
    output: NotRequired[str]
    """The end of what a command printed."""


class RecordedFinding(TypedDict):
    """A finding as `mission.record` takes it."""

    check: str
    kind: Kind
    passed: bool | None
    seen: str
    sha256: str | None


@dataclass(frozen=True)
class CheckFinding:
    """What came of a check. Nobody has said yet: `passed` is nothing."""

    check: str
    kind: Kind
    passed: bool | None
    seen: str
    sha256: str | None = None
    output: str = ""
    """The end of what a command printed: for who handed in, not for the record."""
    outside: bool = False
    """Whether what was printed may be from outside."""

    def recorded(self) -> RecordedFinding:
        return {"check": self.check, "kind": self.kind, "passed": self.passed, "seen": self.seen, "sha256": self.sha256}


class AddressProbe:
    """Asks an address whether it is there. `allow_private` is for a network one trusts; by default there is none."""

    def __init__(self, allow_private: bool = False) -> None:
        self.allow_private = allow_private

    async def look(self, url: str) -> tuple[bool, str]:
        sender = Sender()
        try:
            attempt = await sender.look(url, allow_private=self.allow_private)
        finally:
            await sender.close()
        return attempt.ok, f"it answered {attempt.status}" if attempt.ok else attempt.error or "no answer"


def read_check(text: str) -> Check:
    """One line of a mission's deliverables. What no check can be made of is refused when it is written, not when it is due."""
    text = text.strip()
    if not text or len(text) > LONGEST or "\n" in text:
        raise Refused.invalid(f"a deliverable is one line of at most {LONGEST} characters, such as file:README.md")
    kind, colon, what = text.partition(":")
    if not colon or kind not in KINDS:
        return Check(text, "person", text)
    what = what.strip()
    if not what:
        raise Refused.invalid(f"{text!r} does not say what to look at, as in {kind}:{_example(kind)}")
    if kind == "file" and not paths.parts(what):
        raise Refused.invalid(f"{text!r} names no file")
    if kind == "url":
        check_url(what, manners(allow_private=True))
    return Check(text, kind, what)


def read_checks(texts: Sequence[str]) -> list[Check]:
    checks = [read_check(text) for text in texts]
    twice = {check.text for check in checks if [c.text for c in checks].count(check.text) > 1}
    if twice:
        raise Refused.invalid(f"{sorted(twice)[0]!r} is named twice")
    return checks


ACCEPTED = Check("the outcome is accepted", "person", "the outcome is accepted")
"""What a mission that names no deliverable has to bring."""


def checks_of(deliverables: Sequence[str]) -> list[Check]:
    """What has to hold before a mission closes; there is always something."""
    return [read_check(text) for text in deliverables] or [ACCEPTED]


def needs_person(deliverables: Sequence[str]) -> bool:
    return any(check.kind == "person" for check in checks_of(deliverables))


def _example(kind: str) -> str:
    return {"file": "README.md", "changed": "src/*", "command": "pytest -q", "url": "https://acme.example"}.get(
        kind, "the founder likes it"
    )


@dataclass(frozen=True)
class CheckContext:
    """What checks are made on."""

    workspace: Stored[Workspace] | None
    snapshot: str
    """Of its files, the ones that are looked at."""
    began: str
    """Its files when the mission began."""
    company: TenantDirectories
    sandbox: Sandbox
    looker: AddressProbe
    clean: bool
    """Whether all that a command finds there is the company's own."""

    async def run(self, check: Check) -> CheckFinding:
        if check.kind == "person":
            return CheckFinding(check.text, check.kind, None, "waits for a person's word")
        if check.kind == "url":
            passed, seen = await self.looker.look(check.what)
            return CheckFinding(check.text, check.kind, passed, seen)
        if self.workspace is None:
            return CheckFinding(check.text, check.kind, False, "the mission has no workspace")
        if check.kind == "file":
            return await in_thread(self._file, check, self.workspace)
        if check.kind == "changed":
            return await in_thread(self._changed, check)
        return await self._command(check, self.workspace)

    def _file(self, check: Check, workspace: Stored[Workspace]) -> CheckFinding:
        entry = entry_at(self.company.blobs, self.snapshot, paths.parts(check.what))
        if entry is None or entry.kind in ("directory", "link"):
            there = f"a {entry.kind}" if entry else "not there"
            return CheckFinding(check.text, check.kind, False, f"{there}, among the files of {workspace.slug}")
        same = self.began != EMPTY and entry_at(self.company.blobs, self.began, paths.parts(check.what)) == entry
        seen = f"{entry.size} bytes" + (", as before" if same else "")
        return CheckFinding(check.text, check.kind, True, seen, sha256=entry.hash)

    def _changed(self, check: Check) -> CheckFinding:
        """That a file is there shows nothing where it was there before."""
        found = [printable(each.path) for each in changes(self.company.blobs, self.began, self.snapshot)]
        found = [path for path in found if fnmatchcase(path, check.what)]
        if not found:
            among = "" if check.text == ANY_CHANGE else f" that {check.what} names"
            ran = "; what running leaves lying, such as __pycache__, does not count" if self._ran() else ""
            return CheckFinding(check.text, check.kind, False, f"nothing{among} is different from when it began{ran}")
        many = "1 file is" if len(found) == 1 else f"{len(found)} files are"
        if not self.clean:  # names are words too, and what was found goes on the record of the mission
            return CheckFinding(check.text, check.kind, True, f"{many} different")
        named = ", ".join(found[:NAMED]) + (" and others" if len(found) > NAMED else "")
        return CheckFinding(check.text, check.kind, True, f"{many} different: {named}")

    def _ran(self) -> bool:
        """Whether by-products of running are all that is different."""
        return self.began != self.snapshot and not changes(self.company.blobs, self.began, self.snapshot)

    async def _command(self, check: Check, workspace: Stored[Workspace]) -> CheckFinding:
        """On a tree of its own: what others leave lying about neither helps nor hinders."""
        tree = f"check-{new_id()}"
        await in_thread(self.company.begin, workspace.id, tree, self.snapshot)
        try:
            job = self.company.job(workspace.id, workspace.props, tree, [*SHELL, check.what])
            outcome = await self.sandbox.run(job)
        finally:
            await in_thread(self.company.drop, workspace.id, tree)
        printed = (outcome.stdout + outcome.stderr).decode("utf-8", "replace").replace("\0", "")
        untested = outcome.ok and ran_no_tests(printed)
        seen = "it ran no tests" if untested else outcome.why or f"exit {outcome.exit}"
        passed = outcome.ok and not untested
        outside = not self.clean or outcome.reached_outside
        output = "" if passed else printed[-TAIL:]
        return CheckFinding(check.text, check.kind, passed, seen, output=output, outside=outside)
