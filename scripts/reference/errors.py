"""The page of the errors: their tree, their codes, and the exit codes of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hq import errors
from hq.api.problems import HTTP_CODES
from scripts.reference.markdown import codes, head, table

INTRO = """
Errors form one tree, sorted by who must act: the caller, time, or us. An error has a code, a message that says what to do
and often a hint. Over HTTP it is a problem document (RFC 9457) whose `type` is `/errors/<code>`.
"""


def page() -> Iterator[str]:
    yield from head("Errors", INTRO)
    drawing = (errors.__doc__ or "").strip().partition("\n\n")[2]
    yield "```text"
    yield from drawing.splitlines()
    yield "```"
    yield ""
    yield "## Codes"
    yield ""
    yield from _table(errors.CODES.values())
    yield "## Only over HTTP"
    yield ""
    yield "The door never says these."
    yield ""
    yield from _table(HTTP_CODES.values())
    yield "## Exit codes"
    yield ""
    by_exit: dict[int, list[str]] = {}
    for code in errors.CODES.values():
        by_exit.setdefault(code.exit, []).append(code.name)
    rows = [("0", "It worked."), *((str(number), codes(by_exit[number])) for number in sorted(by_exit))]
    rows[1] = (
        "1",
        f"{rows[1][1]}; or the call went well and what it had done did not: a program that ended with another code than 0, "
        "work whose `status` is failed, timeout or cancelled, a test that is not `ok`",
    )
    yield from table(("exit code", "errors"), [*rows, ("130", "Interrupted with Ctrl-C.")])


def _table(known: Iterable[errors.Code]) -> Iterator[str]:
    return table(
        ("code", "exit", "HTTP", "meaning"),
        [(f"`{code.name}`", str(code.exit), str(code.status), code.meaning) for code in known],
    )
