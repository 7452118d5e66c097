"""Given verbs: what an agent may call, and by what. A session is offered it, `hq agent can` tells it, and the door holds every token
of the agent, and of who works for it, to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from hq.agents.files.definition import BASE_TOOLS
from hq.agents.working_set import working_set
from hq.door.toolset import verbs_named
from hq.door.tx import Tx
from hq.door.verb import Registry
from hq.org.agent import Agent
from hq.org.authority import sitting
from hq.org.decisions import CHANGED
from hq.sessions.tool_offer import ABOUT_WORK, ADDRESSED, ALWAYS, BRIEFED

ANY = "any"
"""Of one that leads, and has no file: whatever its scopes allow."""
LEADING = ("ceo", "operator")
OWN = ("worker_spawn", "memory_add")
"""What is one's own from its making on. Of what is there a verb says itself whose it is, and for one's own needs no giving."""


def sources(registry: Registry, agent: Agent, brief: str, *, directs: bool) -> Iterator[tuple[str, str]]:
    """Every verb that an agent is given, once, by what gives it that first."""
    mine = "its file" if agent.workspace else "its record"
    given: list[tuple[Iterable[str], Mapping[str, Iterable[str]], str]]
    if agent.workspace:
        given = [(agent.tools, agent.tool_actions, f"{mine}: Tools")]
    elif agent.kind in LEADING and not agent.tools:
        given = [((verb.noun for verb in registry), {}, f"{ANY}: it leads, and no file says what it has")]
    else:
        job = working_set(registry, (agent.role, agent.description), ())
        given = [
            (agent.tools, {}, f"{mine}: tools"),
            (BASE_TOOLS, {}, "shared default: every agent"),
            (job.tools, job.only, f"shared default for {agent.role}"),
        ]
    if directs:
        given.append((CHANGED, {}, "its seat: AR Director"))
    given += [((*BRIEFED, *ADDRESSED, *ABOUT_WORK), {}, brief), (ALWAYS, {}, "shared default: every session")]
    given.append((OWN, {}, "shared default: what is its own"))
    seen: set[str] = set()
    for names, only, source in given:
        for name in names:
            for verb in verbs_named(registry, name, ", ".join(only.get(name, ()))):
                if verb not in seen:
                    seen.add(verb)
                    yield verb, source


@lru_cache(maxsize=1024)
def given(registry: Registry, record: str) -> frozenset[str]:
    """All that an agent is given whatever its seat, from its record as a call opens with it. Those who lead are bound by what their
    files and others' say of who owns what: they answer for everything, and their tools are what they work with every day."""
    known = {name: value for name, value in json.loads(record).items() if value is not None}
    agent = Agent.model_construct(**known)
    if agent.kind in LEADING:
        return frozenset(registry.verbs)
    return frozenset(verb for verb, _ in sources(registry, agent, "", directs=False))


async def lent(tx: Tx) -> tuple[str, ...]:
    """The nouns that come with the seat of who calls: the AR Director changes the organisation."""
    return CHANGED if any(seat.directs for seat in await sitting(tx)) else ()
