"""The tools of a session: what it is shown, and all that it reaches. Shown is what is needed every day; the rest of what its
agent may use it has through the tool `hq`, and a call of what it reaches works whether it was shown or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hq.context.inbound_format import HOW_TO_ANSWER
from hq.door.borders import Share
from hq.door.caller import Caller
from hq.door.command_tool import command_tool
from hq.door.door import Door
from hq.door.toolset import Tool, may_use, tools_of, verbs_named, verbs_reached, within
from hq.door.verb import Registry
from hq.engine.sessions.leases import Claimed
from hq.sessions.config import AgentConfig

SHOWN_TOKENS = 3_000
"""What the schemas of a session's tools may take of every call of its mind."""
ALWAYS = ("tools.help", "tools.request")
"""What every session has beside its tools."""
DAILY = (
    "graph_search", "memory_search", "memory_add", "agent_ask", "agent_send", "agent_reply", "mission_list", "mission_show",
    "escalation_raise", "code_execute", "container_exec", "read_file", "write_file", "edit_file", "grep", "glob", "web_search", "web_fetch",
)  # fmt: skip
"""What an agent is shown whose file does not say it."""
WORKING: tuple[str, ...] = (
    "skill_run", "skill_list", "ssh_exec", "container_exec", "read_file", "grep", "glob", "web_search", "web_fetch", "http_request",
    "graph_search", "memory_search", "mission_show", "task_list",
)  # fmt: skip
"""What a worker is shown that was given no tools by name."""
BRIEFED = (
    "mission_accept", "mission_submit", "mission_check", "mission_plan", "mission_note", "mission_decline", "mission_counter",
    "mission_delegate", "escalation_raise", "mission_show",
)  # fmt: skip
"""What a mission's brief and the news of it name: whoever may be given one is shown that, whatever its files say."""
ABOUT_WORK = (
    "mission_wait", "mission_list", "mission_brief", "mission_memory_list", "mission_tree", "mission_answer", "mission_settle_plan", "mission_sign_off",
    "escalation_resolve", "escalation_pass_on", "escalation_withdraw", "escalation_list", "escalation_show", "agent_list", "agent_ask",
    "agent_send", "agent_reply", "agent_inbox", "agent_read", "ask_show", "ask_answer", "ask_withdraw",
)  # fmt: skip
"""What every agent reaches for the sake of missions and messages, shown or not."""
ADDRESSED = ("agent_reply",)
"""What a message that somebody waits for an answer to names."""


@dataclass(frozen=True)
class ToolOffer:
    """What a session has."""

    shown: tuple[Tool, ...] = ()
    reach: frozenset[str] = frozenset()
    """The verbs it may call, by name."""


def tool_offer(door: Door, held: Claimed, config: AgentConfig, shares: tuple[Share, ...] = ()) -> ToolOffer:
    """What a session's rights allow, of what its agent has, and what of that it is shown. `shares` is what agents' files keep for
    one of them."""
    registry = door.registry
    if held.kind == "worker":  # it has at most what who sent it has
        named, mine = (), ()
        daily = config.daily or _usual(config)
    else:
        named = _named(held, config)
        mine = config.daily
        daily = _shown(config, named)
    told = {*_verbs(registry, [*named, *mine]), *ALWAYS}
    reach = (verbs_reached(registry, config.tools, config.reads, config.only) | told) & _allowed(
        registry, held, config, shares
    )
    ready = frozenset(name for name in reach if _ready(door, name))
    shown = tuple(dict.fromkeys(verb for verb in _verbs(registry, daily) if verb in ready))
    return replace(offer_of(registry, ready, shown), reach=reach)  # who calls it all the same hears what is missing


def _ready(door: Door, name: str) -> bool:
    """Whether it would work here: what always fails for want of a setting is not put before anybody."""
    asked = door.registry.get(name).ready
    return asked is None or asked(door.services)


def _named(held: Claimed, config: AgentConfig) -> Sequence[str]:
    """What briefs and messages name. Whoever works here may get either at any time and has it from the start: a provider keeps
    what a call begins with, and that are the tools, so they are the same whatever woke it."""
    if config.kind or held.trigger_kind == "mission":
        return (*BRIEFED, *ADDRESSED, *ABOUT_WORK)
    return ADDRESSED if held.trigger.kind in HOW_TO_ANSWER else ()


def _shown(config: AgentConfig, named: Sequence[str]) -> Sequence[str]:
    """Whoever works on missions sees those tools first; the CEO gives missions out, and has them beside its own."""
    named = [name for name in named if name not in ABOUT_WORK or name in ADDRESSED]
    return [*config.daily, *ADDRESSED] if config.kind == "ceo" else [*named, *(config.daily or DAILY)]


def offer_of(registry: Registry, reach: frozenset[str], shown: Iterable[str], limit: int = SHOWN_TOKENS) -> ToolOffer:
    """As many of these as fit, and `hq` for the others."""
    wanted = tools_of(registry, shown)
    rest = command_tool(registry, reach, frozenset(shown))
    fit = within(wanted, limit - rest.tokens)
    if len(fit) < len(wanted):  # what is left out has to be named in the command's own words
        rest = command_tool(registry, reach, frozenset(tool.verb for tool in fit if tool.verb))
        fit = within(fit, limit - rest.tokens)
    return ToolOffer((*fit, rest), reach)


def _usual(config: AgentConfig) -> Iterable[str]:
    """Of a worker: what it was given for this one task."""
    return WORKING if config.tools is None else config.tools


def _verbs(registry: Registry, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from verbs_named(registry, name)


def _allowed(registry: Registry, held: Claimed, config: AgentConfig, shares: tuple[Share, ...]) -> frozenset[str]:
    """By the credential's scopes, by whom each verb is for, and by whose each is."""
    worker = held.kind == "worker"
    who = Caller(
        held.id, held.tenant_id, held.principal_id, "worker" if worker else "agent", held.actor, held.scopes,
        None, None, "balanced", False, None, held.trigger.project, shares,
        frozenset(registry.verbs),  # a session is held to its own tools
    )  # fmt: skip
    roles = ("ceo", "operator") if not config.kind else [role for role in ("ceo", "operator") if role == config.kind]
    found = may_use(registry, who, in_session=True)
    for role in () if worker else roles:
        found |= may_use(registry, replace(who, role=role), in_session=True)
    return found
