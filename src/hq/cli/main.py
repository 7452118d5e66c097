"""The way in: `hq`. Whatever happens ends in one of five exit codes and, if it went wrong, in one line that says why."""

from __future__ import annotations

import os
import sys

from hq.cli.overview import overview
from hq.terminal.screen import Screen

INTERRUPTED = 130


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        code = _carry_out(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output had enough of it. Python flushes once more at the end, so that goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _failed(error, args)
    return code


def _carry_out(args: list[str]) -> int:
    if "_HQ_COMPLETE" not in os.environ:
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        if not {*args} - {"--help", "-h", "--all"}:
            print("\n".join(overview(Screen.of(sys.stdout), every="--all" in args)))
            return 0
        if args in (["--version"], ["version"]):
            from hq import __version__

            print(f"hq {__version__}")
            return 0
    from hq.cli.root import run as run_command

    return run_command(args)


def _failed(error: Exception, args: list[str]) -> int:
    """Without a word more than needed; HQ_DEBUG=1 shows everything."""
    from hq.cli.output import complain, print_json
    from hq.cli.request import failed
    from hq.errors import Defect, HqError

    if os.environ.get("HQ_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if not isinstance(error, HqError):
        error = Defect(f"something went wrong: {type(error).__name__}: {error}", hint="HQ_DEBUG=1 shows the details")
    if "--json" in args:
        print_json(failed(_action(args), error).contract)
    else:
        complain(error.as_dict())
    return error.code.exit


def _action(args: list[str]) -> str:
    words = [word for word in args if not word.startswith("-")]
    return words[1] if len(words) > 1 else "".join(words)


if __name__ == "__main__":
    main()
