"""`python -m bench <name> [--json] [options]`: run one benchmark, or `all` of them."""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from typing import Protocol

from bench import (
    boot,
    chat,
    cli,
    coding,
    context,
    delegate,
    door,
    embed,
    graph,
    mail,
    org,
    outbox,
    pages,
    policy,
    retrieval,
    route,
    sandbox,
    search,
    session,
    snapshot,
    story,
    stream,
    tick,
    wake,
    workers,
)
from bench.machine import Machine
from bench.report import Result, as_json, as_table


class Benchmark(Protocol):
    """A module: its first line says what it measures."""

    __doc__: str | None

    @staticmethod
    def add_options(parser: argparse.ArgumentParser) -> None: ...

    @staticmethod
    def run(options: argparse.Namespace) -> list[Result]: ...


BENCHMARKS: dict[str, Benchmark] = {
    "boot": boot,
    "cli": cli,
    "graph": graph,
    "door": door,
    "outbox": outbox,
    "stream": stream,
    "search": search,
    "embed": embed,
    "retrieval": retrieval,
    "policy": policy,
    "route": route,
    "chat": chat,
    "context": context,
    "pages": pages,
    "session": session,
    "story": story,
    "wake": wake,
    "tick": tick,
    "workers": workers,
    "org": org,
    "mail": mail,
    "delegate": delegate,
    "coding": coding,
    "sandbox": sandbox,
    "snapshot": snapshot,
}


def main(arguments: list[str]) -> None:
    options = _parser().parse_args(arguments)
    if options.name is None:
        print("\n".join(f"{name:10}{_summary(module)}" for name, module in BENCHMARKS.items()))
        return
    machine = Machine.look()
    if not options.json:
        print(machine.sentence, flush=True)
    with redirect_stdout(sys.stderr):  # what is measured logs, and stdout is for the numbers
        results = _all(options) if options.name == "all" else BENCHMARKS[options.name].run(options)
    print(as_json(options.name, machine, results) if options.json else as_table(results))


def _all(options: argparse.Namespace) -> list[Result]:
    return [result.of(name) for name, module in BENCHMARKS.items() for result in module.run(options)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = parser.add_subparsers(dest="name", metavar="name")
    everything = names.add_parser("all", help="every one of them", conflict_handler="resolve")
    for name, module in BENCHMARKS.items():
        module.add_options(names.add_parser(name, help=_summary(module)))
        module.add_options(everything)
    for each in names.choices.values():
        each.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _summary(module: Benchmark) -> str:
    return (module.__doc__ or "").partition("\n")[0]


if __name__ == "__main__":
    main(sys.argv[1:])
