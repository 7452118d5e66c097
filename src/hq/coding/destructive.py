"""Destructive operations of a coding program, asked about when it is run cautiously.

A filter for what a careful person would stop at, not a wall: the wall is the sandbox, and whatever happens within it can
be taken back by its snapshot. So what cannot be read with certainty is asked about too.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from hq.coding.adapter import Mode, Operation, OperationDecision

LOOKING = ("Read", "Glob", "Grep", "LS", "NotebookRead", "TodoWrite")
EDITING = ("Write", "Edit", "MultiEdit", "NotebookEdit")
ALWAYS = frozenset((
    "rm", "rmdir", "unlink", "shred", "dd", "truncate", "mkfs", "dropdb", "kill", "pkill", "killall", "shutdown", "reboot",
    "systemctl", "crontab", "mount", "umount", "chown", "sudo", "su", "ssh", "scp", "rsync", "nc", "ncat", "docker",
    "podman", "kubectl", "terraform", "eval", "xargs", "parallel", "apply_patch",
))  # fmt: skip
WHEN: Mapping[str, re.Pattern[str]] = {
    "git": re.compile(r"^(?:-[cC] \S+ |-\S+ )*(?:(?:push|clean|rm|restore|rebase|filter-branch|gc|reflog)\b|"
                      r"reset .*--hard|checkout .*(?:-f\b|--)|(?:branch|tag) .*(?:-D|-d|--delete)|stash .*(?:drop|clear))"),
    "find": re.compile(r"-(?:delete|exec|execdir|ok)\b"),
    "chmod": re.compile(r"(?:^|\s)-\w*R|\b0?000\b"),
    "mv": re.compile(r"(?:^|\s)(?:-\w*f|--force)"),
    "cp": re.compile(r"(?:^|\s)(?:-\w*f|--force)"),
    "npm": re.compile(r"\b(?:publish|unpublish|deprecate|owner|access)\b"),
    "pip": re.compile(r"\buninstall\b"),
    "curl": re.compile(r"(?:^|\s)(?:-X|--request|-d|--data\S*|-T|--upload-file|-F|--form)\b"),
    "wget": re.compile(r"--(?:post|method|body)"),
    "sed": re.compile(r"(?:^|\s)(?:-i|--in-place)"),
    "psql": re.compile(r"\b(?:drop|delete|truncate|alter)\b", re.IGNORECASE),
    "sqlite3": re.compile(r"\b(?:drop|delete)\b", re.IGNORECASE),
}  # fmt: skip
INLINE: Mapping[str, Sequence[str]] = {
    "sh": ["-c"], "bash": ["-c"], "dash": ["-c"], "zsh": ["-c"],
    "python": ["-c"], "python3": ["-c"], "perl": ["-e", "-E"], "ruby": ["-e"], "node": ["-e", "--eval"],
}  # fmt: skip
"""Programs that run what they are given as text: nobody can tell what that does by looking at words."""
BEFORE = ("env", "nohup", "time", "timeout", "nice", "command", "exec", "stdbuf")
HIDDEN = re.compile(r"`|\$\(|<\(|>\(|\\\n")
READERS: Mapping[str, re.Pattern[str] | None] = {
    **dict.fromkeys(
        ("ls", "cat", "head", "tail", "grep", "wc", "nl", "pwd", "stat", "cut", "cmp", "du", "true", "cd"), None
    ),
    "rg": re.compile(r"--(?:pre|hostname-bin)"),
    "find": re.compile(r"-(?:delete|exec|execdir|ok|okdir|fls|fprint|fprintf|fprint0)\b"),
    "sed": re.compile(r"^(?!-n \d+(?:,\d+)?p(?: |$))|\s-"),
}
"""Programs that only look, each with what would make it do more."""
UNHEARD = re.compile(r"\s2>(?:&1|\s?/dev/null)(?=$|[\s;|&)])")
SEPARATORS = frozenset((";", "&&", "||", "|", "&", "|&", ";;", "(", ")", "\n", "{", "}", "!", "then", "do", "else"))


def destructive(operation: Operation) -> str:
    """Why it has to be asked about; nothing if it need not be."""
    if operation.tool in LOOKING or operation.tool in EDITING:
        return ""  # what is overwritten is in a snapshot
    if operation.tool == "Delete":
        return "it takes files away"
    if operation.tool != "Bash":
        return f"{operation.tool} is not a tool whose effects are known"
    return _command(str(operation.input.get("command", "")))


def _command(text: str) -> str:
    if HIDDEN.search(text):
        return "it runs a command within a command"
    try:
        words = _words(text)
    except ValueError:
        return "it cannot be read as a command"
    return next((why for part in _parts(words) if (why := _simple(part))), "")


def _words(text: str) -> list[str]:
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)


def _parts(words: Sequence[str]) -> list[list[str]]:
    """The simple commands of a line."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word in SEPARATORS:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _simple(words: list[str]) -> str:
    while words and ("=" in words[0].split("/")[0] or words[0] in BEFORE or words[0][:1] in "-0123456789"):
        words = words[1:]
    if not words:
        return ""
    program, rest = words[0].rpartition("/")[2], words[1:]
    said = " ".join(rest)
    if program in ALWAYS or "$" in program:
        return f"{program} {said}".strip()[:200]
    if program in INLINE and (any(flag in rest for flag in INLINE[program]) or not rest):
        return f"{program} runs a text as a program"
    found = WHEN.get(program)
    return f"{program} {said}"[:200] if found and found.search(said) else ""


def only_looks(text: str) -> bool:
    """Whether a command does nothing but read, as far as it can be read with certainty."""
    text = UNHEARD.sub(" ", text)
    if HIDDEN.search(text):
        return False
    try:
        parts = _parts(_words(text))
    except ValueError:
        return False
    return any(parts) and all(map(_reads, filter(None, parts)))


def _reads(words: list[str]) -> bool:
    program, said = words[0], " ".join(words[1:])
    if program not in READERS or any(">" in word or "<" in word for word in words):
        return False
    unless = READERS[program]
    return not (unless and unless.search(said))


def policy(mode: Mode, answers: Mapping[str, OperationDecision]) -> Callable[[Operation], OperationDecision]:
    """What a mode lets pass. `answers` are what was decided before, by the fingerprint of the operation."""

    def decide(operation: Operation) -> OperationDecision:
        match mode:
            case "yolo":
                return OperationDecision("allow")
            case "plan_only":
                looks = operation.tool in LOOKING or (
                    operation.tool == "Bash" and only_looks(str(operation.input.get("command", "")))
                )
                return (
                    OperationDecision("allow")
                    if looks
                    else OperationDecision("deny", "only a plan is asked for; change nothing")
                )
            case "cautious":
                if operation.fingerprint in answers:
                    return answers[operation.fingerprint]
                why = destructive(operation)
                return OperationDecision("ask", why) if why else OperationDecision("allow")

    return decide
