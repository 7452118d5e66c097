"""An agent's definition, written as the file it is read from: for agents that are made by hq itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hq.agents.files.definition import AFTER_WORK, AgentDefinition, Beat

ABREAST = 8


def rendered(agent: AgentDefinition) -> str:
    """The text of its agent.md."""
    limits = [(name, value) for name, value in vars(agent.budget).items() if value is not None]
    parts = [
        f"---\nname: {agent.name}\n{f'title: {agent.title}' + chr(10) if agent.title else ''}description: {agent.description}\nkind: {agent.kind}\nrole: {agent.role}\n---",
        "## Model policy\n" + _table(("Condition", "Tier"), agent.model_policy),
        "## Triggers\n"
        + _table(
            ("Kind", "Value"),
            [
                *(_beat(beat) for beat in agent.beats),
                ("Outbox topics", ", ".join(agent.topics) or "none"),
                ("Founder inbox", "enabled" if agent.inbox else "off"),
            ],
        ),
        "## Tools\n"
        + _bullets([f"base: {'true' if agent.base else 'false'}"])
        + _bullets(_tool(agent, tool) for tool in agent.tools)
        + _bullets(f"daily: {', '.join(names)}" for names in _lines(agent.daily)),
        "## Subagents allowed\n" + _bullets([f"max: {agent.max_subagents}", *agent.subagents]),
        "## Budget\n" + _table(("Control", "Value"), [(name, str(value)) for name, value in limits]),
        "## Permissions\n"
        + _table(
            ("Kind", "Value"),
            [
                ("Scopes", ", ".join(agent.scopes) or "none"),
                ("Owns", ", ".join(agent.owns) or "none"),
                ("Never", ", ".join(agent.never) or "none"),
                ("Write paths", ", ".join(agent.write_paths) or "none"),
            ],
        ),
        "## Session lifecycle\n" + _bullets([f"warm_window_seconds: {agent.warm_window_seconds}"]),
        "## Prompt\n" + _bullets(agent.prompt),
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _lines(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """A few in a line, as a person would write them."""
    for start in range(0, len(names), ABREAST):
        yield names[start : start + ABREAST]


def _beat(beat: Beat) -> tuple[str, str]:
    return AFTER_WORK if beat.after_work else "Beat", f"{beat.cron} ({beat.says})" if beat.says else beat.cron


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [head, ("---", "---"), *rows]
    return "\n".join(f"| {_cell(name)} | {_cell(value)} |" for name, value in lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _bullets(items: Iterable[str]) -> str:
    return "".join(f"- {item}\n" for item in items)


def _tool(agent: AgentDefinition, name: str) -> str:
    use = "read" if name in agent.reads else ", ".join(agent.only.get(name, ()))
    return f"{name}: {use}" if use else name
