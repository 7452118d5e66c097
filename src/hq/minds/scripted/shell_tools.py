"""Shell tools, for a program whose one tool is a shell, as Codex is: the tools the scripts call, done with commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic_ai.messages import ModelMessage, UserPromptPart
from pydantic_ai.tools import ToolDefinition

SHELL = "exec_command"
LOOKING = ("Read", "Grep")
_FORBIDDEN = re.compile(r"\bchange nothing\b", re.IGNORECASE)
_SPECIAL, _ESCAPED = re.compile(r"[]\\/&.*^$[]"), r"\\\g<0>"
_CWD = re.compile(r"<cwd>(/[^<]*)</cwd>")
_EXIT = re.compile(r"(?:Process exited with code|Exit code:) (\d+)")
_STOPPED = re.compile(r"\b(?:aborted|rejected) by user\b")


def lent(tools: Mapping[str, ToolDefinition], said: str) -> Mapping[str, ToolDefinition]:
    """The tools as the scripts know them; where nothing is to be changed, those that look."""
    if SHELL not in tools:
        return tools
    names = LOOKING if _FORBIDDEN.search(said) else _DONE
    return {**tools, **{name: _tool(name) for name in names}}


def done_by(tool: str, args: Mapping[str, Any], tools: Mapping[str, ToolDefinition]) -> tuple[str, Mapping[str, Any]]:
    """The call that is really made."""
    if SHELL not in tools or tool not in _DONE:
        return tool, args
    return SHELL, {"cmd": _DONE[tool][1](args)}


def cwd(messages: Iterable[ModelMessage]) -> str:
    """Where the program works, which it says before anything else."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart) and (found := _CWD.search(str(part.content))):
                return found[1]
    return ""


def command_output(text: str) -> tuple[str, bool]:
    """What a command said, without what the shell tool says around it, and whether it went wrong."""
    around, between, output = text.partition("Output:\n")
    if not between:
        return text, bool(_STOPPED.search(text))
    if output.startswith("Exit code:"):  # a patch, which tells it once more
        around, _, output = output.partition("Output:\n")
    code = _EXIT.search(around)
    return output.strip("\n"), code is not None and code[1] != "0"


def _patch(args: Mapping[str, Any]) -> str:
    lines = "".join(f"+{line}\n" for line in str(args["content"]).splitlines())
    path = args["file_path"]
    return f"apply_patch <<'PATCH'\n*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\nPATCH\n"


def _sed(args: Mapping[str, Any]) -> str:
    path, old, new = shlex.quote(args["file_path"]), args["old_string"], args["new_string"]
    change = f"s/{_SPECIAL.sub(_ESCAPED, old)}/{_SPECIAL.sub(_ESCAPED, new)}/"
    return f"grep -qF -e {shlex.quote(old)} {path} && sed -i {shlex.quote(change)} {path}"


_DONE: Mapping[str, tuple[tuple[str, ...], Callable[[Mapping[str, Any]], str]]] = {
    "Bash": (("command",), lambda args: str(args["command"])),
    "Read": (("file_path",), lambda args: f"cat {shlex.quote(args['file_path'])}"),
    "Grep": (("pattern",), lambda args: f"grep -rnIE --exclude-dir=.hq -e {shlex.quote(args['pattern'])} ."),
    "Write": (("file_path", "content"), _patch),
    "Edit": (("file_path", "old_string", "new_string"), _sed),
}


def _tool(name: str) -> ToolDefinition:
    needs = list(_DONE[name][0])
    properties = {each: {"type": "string"} for each in needs}
    return ToolDefinition(
        name=name, parameters_json_schema={"type": "object", "properties": properties, "required": needs}
    )
