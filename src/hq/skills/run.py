"""Running a skill's commands, and trying out whether it would work where it is to run."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from pydantic import Field, TypeAdapter, ValidationError

from hq.artifacts.excerpt import readable
from hq.artifacts.store import Output, leave
from hq.channels.command_result import CommandResult
from hq.channels.ssh.client import SshTarget
from hq.channels.ssh.verbs import reach
from hq.door.access import STAFF
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Ref, first, verb
from hq.errors import Refused
from hq.json_types import CallArgs
from hq.sandbox import Sandbox
from hq.skills import execution
from hq.skills.execution import SkillScript
from hq.skills.held import HeldSkill
from hq.skills.owners import GIVEN, elsewhere
from hq.skills.registry import SkillRefArgs, entrust, known
from hq.skills.types import SkillCommand, SkillParameter
from hq.suggestion import did_you_mean

Verdict = Literal["ok", "warning", "critical", "unknown"]
VERDICTS: tuple[Verdict, ...] = ("ok", "warning", "critical", "unknown")
"""By exit code, as monitoring programs have had it for decades."""
JSON = {
    "string": str,
    "number": float,
    "integer": int,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, object],
}
MOST_ARGS = 100_000
"""Bytes. A program gets no more in its environment than the machine allows, which is little more than this."""
VERSION = re.compile(r"\d+(?:\.\d+)*")
REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.+-]*)(?:\s*>=\s*(\d+(?:\.\d+)*))?")


class SkillRunArgs(SkillRefArgs):
    command: str = first(min_length=1, max_length=64)
    """One of its commands, as `hq skill show` lists them."""
    args: CallArgs = Field(default_factory=dict)
    """What the command takes."""
    host: Ref | None = None
    """Another machine, by its name. Left out, hq's own skills run on this one, others in the sandbox."""
    timeout: float = Field(60, gt=0, le=1800)
    """Seconds until it is stopped."""


class Did(Output):
    """What a skill's command did."""

    skill: str
    command: str
    where: str
    exit_code: int | None = None
    """Absent where it was stopped."""
    verdict: Verdict | None = None
    """For a check: what it found, by its exit code."""
    timed_out: bool = False


@dataclass(frozen=True)
class SkillTarget:
    """Where a skill runs: a machine over ssh, this one, or the sandbox."""

    target: SshTarget | None
    ours: bool

    @property
    def name(self) -> str:
        return self.target.name if self.target else "this machine" if self.ours else "sandbox"

    def mark(self, skill: HeldSkill) -> str:
        """Whose words come back."""
        return f"ssh:{self.target.name}" if self.target else f"skill:{skill.slug}"

    async def run(self, tx: Tx, script: SkillScript, seconds: float) -> CommandResult:
        if self.target:
            return await execution.over_ssh(self.target, script, seconds)
        if self.ours:
            return await execution.here(script, seconds)
        return await execution.in_sandbox(tx.use(Sandbox), script, seconds)


@dataclass(frozen=True)
class SkillCall:
    skill: HeldSkill
    place: SkillTarget
    command: SkillCommand
    script: SkillScript


async def _ready(tx: Tx, args: SkillRunArgs) -> SkillCall:
    skill, place = await _entrusted(tx, args)
    command = next((c for c in skill.skill.commands if c.name == args.command), None)
    if command is None:
        names = [c.name for c in skill.skill.commands]
        raise Refused.not_found(
            f"{skill.slug} has no command {args.command!r}{did_you_mean(args.command, names)}; it has {', '.join(names) or 'none'}",
            hint=f"`hq skill show {skill.slug}`",
        )
    if command.script is None:
        raise Refused.conflict(f"{command.name} has no script; the skill's instructions say how it is done")
    script = SkillScript(command.script, await skill.files(tx), environment(command.parameters, args.args))
    return SkillCall(skill, place, command, script)


@verb("skill.run", "effect", shows=("args", "host"), for_=STAFF, touches=GIVEN, emits="skill.ran", target="skill", prepare=_ready,
      examples=[{"skill": "disk-health", "command": "check", "args": {"warn_percent": 80}}], text="hq.channels.output_text:output")  # fmt: skip
async def run(tx: Tx, args: SkillRunArgs) -> Did:
    """Run a command of a skill, here or on another machine; one that is off or not yours is asked for, once."""
    ready: SkillCall = tx.prepared
    _check_enabled(ready.skill)
    ran = await ready.place.run(tx, ready.script, args.timeout)
    mark = None if ready.skill.looks and not elsewhere(args) else ready.place.mark(ready.skill)
    kept = leave(tx, f"skill_{ready.skill.slug}", ran.printed, taint=mark, complete=ran.complete)
    return Did(
        skill=ready.skill.slug,
        command=ready.command.name,
        where=ready.place.name,
        exit_code=ran.exit_code,
        verdict=_verdict(ready.command, ran),
        timed_out=ran.timed_out,
        **kept,
    )


class SkillTestArgs(SkillRefArgs):
    host: Ref | None = None
    """Where it is to run: another machine, by its name; left out, where it would run without one."""


@dataclass(frozen=True)
class Trial:
    skill: HeldSkill
    place: SkillTarget
    files: dict[str, bytes]


async def _trial(tx: Tx, args: SkillTestArgs) -> Trial:
    skill, place = await _entrusted(tx, args)
    return Trial(skill, place, await skill.files(tx))


class Finding(TypedDict):
    """Whether something is as it must be."""

    ok: bool
    says: str


class TriedItem(Finding):
    """What was tried, and how it went."""

    check: str


class Tried(Listing[TriedItem]):
    skill: str
    where: str
    ok: bool


@verb("skill.test", "effect", for_=STAFF, touches=GIVEN, emits="skill.tested", target="skill", prepare=_trial,
      examples=[{"skill": "disk-health"}])  # fmt: skip
async def test(tx: Tx, args: SkillTestArgs) -> Tried:
    """Try a skill out: whether what it requires is there, and whether the commands that only look work."""
    trial: Trial = tx.prepared
    _check_enabled(trial.skill)
    skill = trial.skill.skill
    items = await _requirements(tx, trial, skill.cli_config.requires if skill.cli_config else [])
    for command in skill.commands:
        if command.script and command.effect == "read" and not any(p.required for p in command.parameters):
            script = SkillScript(command.script, trial.files, environment(command.parameters, {}))
            ran = await trial.place.run(tx, script, 60)
            said = readable(ran.printed).strip().splitlines()
            works = ran.exit_code is not None and ran.exit_code < 126 and (not _is_check(command) or ran.exit_code < 3)
            items.append({"check": command.name, "ok": works, "says": said[-1][:200] if said else ""})
    if not trial.skill.looks or elsewhere(args):
        tx.taint.add(trial.place.mark(trial.skill))
    ok = all(item["ok"] for item in items)
    return Tried(skill=trial.skill.slug, where=trial.place.name, ok=ok, items=items)


async def _requirements(tx: Tx, trial: Trial, required: Sequence[str]) -> list[TriedItem]:
    """One look for all of them: the script prints a line per program, with its version where that matters."""
    parsed = [(text, REQUIREMENT.fullmatch(text.strip())) for text in required]
    programs = [found for _, found in parsed if found]
    lines = [f"command -v {shlex.quote(f[1])} >/dev/null && echo {n} {_version_of(f)}" for n, f in enumerate(programs)]
    ran = await trial.place.run(tx, SkillScript("look.sh", {"look.sh": "\n".join([*lines, "true"]).encode()}, {}), 60)
    there = {number: said for number, _, said in (line.partition(" ") for line in readable(ran.out).splitlines())}
    items: list[TriedItem] = []
    for text, found in parsed:
        said = there.get(str(programs.index(found))) if found else None
        items.append({"check": f"requires {text}", **_met(found, said)})
    return items


def _version_of(found: re.Match[str]) -> str:
    return f"$({shlex.quote(found[1])} --version 2>&1 </dev/null | head -n 1)" if found[2] else "there"


def _met(found: re.Match[str] | None, said: str | None) -> Finding:
    if found is None:
        return {"ok": False, "says": "is not a program with a version, such as `node >= 18`"}
    if said is None:
        return {"ok": False, "says": f"{found[1]} is not installed"}
    if not found[2]:
        return {"ok": True, "says": "installed"}
    version = VERSION.search(said)
    enough = version is not None and _numbers(version[0]) >= _numbers(found[2])
    return {"ok": enough, "says": said[:100]}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


async def _entrusted(tx: Tx, args: SkillRunArgs | SkillTestArgs) -> tuple[HeldSkill, SkillTarget]:
    """The skill and where it runs. A person's yes to this very call enables it and gives it to who asked."""
    skill = await known(tx, args.skill)
    place = SkillTarget(await reach(tx, args.host) if args.host else None, skill.ours)
    if tx.call.approval_id is not None:
        skill = await entrust(tx, skill, elsewhere=elsewhere(args))
    tx.target = skill.node
    return skill, place


def _check_enabled(skill: HeldSkill) -> None:
    if not skill.enabled:
        raise Refused.conflict(f"the skill {skill.slug} is {skill.status}", hint=f"`hq skill enable {skill.slug}`")


def environment(parameters: Sequence[SkillParameter], given: CallArgs) -> dict[str, str]:
    """Values for a script, each checked against its parameter: SKILL_NAME=value."""
    names = [p.name for p in parameters]
    for name in given:
        if name not in names:
            raise Refused.invalid(f"args: there is no parameter {name!r}{did_you_mean(name, names)}")
    made = {}
    for parameter in parameters:
        value = given.get(parameter.name, parameter.default)
        if value is None:
            if parameter.required:
                raise Refused.invalid(f"args: {parameter.name} is needed: {parameter.description or parameter.type}")
            continue
        try:
            value = TypeAdapter(JSON[parameter.type]).validate_python(value)
        except ValidationError:
            raise Refused.invalid(f"args: {parameter.name} takes a value of type {parameter.type}") from None
        text = value if isinstance(value, str) else json.dumps(value)
        made[f"SKILL_{parameter.name.upper()}"] = " ".join(map(str, value)) if isinstance(value, list) else text
    if sum(len(text.encode()) for text in made.values()) > MOST_ARGS:
        raise Refused.invalid(f"args: more than {MOST_ARGS:,} bytes in all; put what is so long into a file")
    return made


def _is_check(command: SkillCommand) -> bool:
    return command.returns is not None and command.returns.type == "verdict"


def _verdict(command: SkillCommand, ran: CommandResult) -> Verdict | None:
    if not _is_check(command):
        return None
    return VERDICTS[ran.exit_code] if ran.exit_code is not None and ran.exit_code < len(VERDICTS) else "unknown"


VERBS = (run, test)
