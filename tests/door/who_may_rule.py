"""The rule of who may, said a second time and on paper: from a verb's declaration, who calls, and whose thing it is.

It asks neither the door nor a resolver. What it knows of the company stands in the tables below.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from hq.asks.kinds import Kind
from hq.door.access import NEAREST_FIRST, Touch, Whose
from hq.door.toolset import offered
from hq.door.verb import Verb

Answer = Literal["yes", "no", "ask", "-"]
"""The last where it was not tried."""
Borders = dict[str, tuple[list[str], list[str]]]


@dataclass(frozen=True)
class Principal:
    """Who calls, in the words of the declarations."""

    is_: frozenset[str]
    agent: str = ""
    """The agent that it is, or works for."""
    speaks_as: str = ""
    organisation: str = ""
    leads: frozenset[str] = frozenset()
    project: str = ""
    on_record: bool = True
    """Whether it is, or works for, an agent of the company."""


def _agent(name: str, organisation: str = "", *more: str, leads: tuple[str, ...] = ()) -> Principal:
    return Principal(frozenset(("agent", *more)), name, f"agent:{name}", organisation, frozenset(leads))


PRINCIPALS = {
    "founder": Principal(frozenset(("founder",)), speaks_as="founder"),
    "ceo": _agent("chief", "", "ceo"),
    "operator": _agent("operator", "", "operator"),
    "lead": _agent("lead", "home", leads=("report", "peer", "resting")),
    "director": _agent("director", "home"),
    "report": _agent("report", "home"),
    "peer": _agent("peer", "home"),
    "outsider": _agent("outsider", "away"),
    "worker": Principal(frozenset(("worker",)), "report", "worker:report", "home"),
    "session": _agent("report", "home", "session"),
    "project": Principal(frozenset(("worker", "project", "session")), "operator", "worker:operator", project="site"),
    "service": Principal(frozenset(("service",)), speaks_as="service:intake"),
    "house": Principal(frozenset(("house",))),
    "paused": Principal(frozenset(("worker",)), "resting", "worker:resting", "home"),
    "program": Principal(frozenset(("agent",)), "desk", "agent:desk", on_record=False),
}


@dataclass(frozen=True)
class Belongs:
    """Whose a thing is."""

    own: frozenset[str] = frozenset()
    """Agents."""
    actors: frozenset[str] = frozenset()
    mission: frozenset[str] = frozenset()
    """Agents that take part in the mission that it belongs to."""
    barred: frozenset[str] = frozenset()
    organisation: str = ""
    projects: frozenset[str] = frozenset()
    """Of projects it is part of, those whose agent it is the own of."""
    sessions: frozenset[str] = frozenset()
    """Principals whose session it is."""


def _of(*agents: str, **more: Any) -> Belongs:
    return Belongs(frozenset(agents), **{name: frozenset(value) for name, value in more.items()})


NOBODY = Belongs()
AGENT = {"report": _of("report"), "founder": _of("chief"), "paused": _of("resting"), "outsider": _of("outsider")}
DIRECTS = ("directed_organisation", "seat", "agent_seat", "organisation_document")
DIRECTED = {"report": _of("director"), "paused": _of("director"), "outsider": NOBODY, "founder": None}
ANYWHERE = dict.fromkeys(("report", "outsider", "founder", "paused"), _of("director"))
MISSION = {
    "report": Belongs(barred=frozenset(("report",))),
    "founder": NOBODY,
    "paused": _of("chief", barred=("report",)),
    "outsider": Belongs(barred=frozenset(("outsider",))),
}
FILES = {
    "report": Belongs(mission=frozenset(("report",))),
    "founder": NOBODY,
    "outsider": Belongs(mission=frozenset(("outsider",))),
}
ASKED = {"report": Belongs(actors=frozenset(("agent:report",))), "founder": Belongs(actors=frozenset(("agent:chief",)))}
PART = {"report": Belongs(projects=frozenset(("site",))), "founder": NOBODY}
PROJECT = PART | {"outsider": NOBODY}
ORGANISATION = {
    "report": Belongs(organisation="home"),
    "outsider": Belongs(organisation="away"),
    "-": Belongs(organisation="home"),
}
TREE = {"report": Belongs(actors=frozenset(("agent:report",))), "founder": Belongs(actors=frozenset(("founder",)))}

BELONGS: dict[str, dict[str, Belongs | None]] = {
    **dict.fromkeys(("agent", "agent_or_ceo", "addressee", "session", "worker", "action"), AGENT),
    **dict.fromkeys(DIRECTS, DIRECTED),
    "chart": ANYWHERE,
    "stopped_agent": dict.fromkeys(AGENT) | {"stopped": NOBODY},
    "mission": MISSION,
    "assignment": {"report": _of("report"), "founder": None, "paused": _of("report"), "outsider": _of("outsider")},
    "party": {"report": _of("report"), "founder": NOBODY, "paused": _of("chief", "report"), "outsider": _of("outsider")},
    "imported": {"report": _of("report")},
    "escalation": {"report": _of("lead", barred=("report",))},
    "raised_escalation": {"report": _of("report")},
    "asked": ASKED,
    "memory": {"report": _of("report"), "founder": NOBODY, "outsider": _of("outsider")},
    "found_memory": {"report": NOBODY, "founder": None, "outsider": NOBODY},
    "message": ASKED,
    "conversation": {
        "report": Belongs(actors=frozenset(("founder", "agent:report"))),
        "founder": Belongs(actors=frozenset(("agent:lead", "agent:chief"))),
    },
    "founders_conversation": dict.fromkeys(AGENT, NOBODY),
    "handoff": {"report": Belongs(sessions=frozenset(("session",)))},
    "organisation": ORGANISATION,
    "measured": ORGANISATION,
    "person": {"report": None, "founder": NOBODY},
    "persona": {"report": _of("report")},
    "schedule": {"report": _of("report"), "founder": _of("chief"), "paused": _of("report"), "outsider": _of("outsider")},
    "founders_schedule": dict.fromkeys(("report", "founder", "paused", "outsider"), NOBODY),
    "job": {"report": None, "founder": _of("chief"), "paused": None, "outsider": None, "house": NOBODY},
    "job_of_node": {
        "report": _of("report"), "founder": None, "paused": _of("report"), "outsider": _of("outsider"), "house": None,
    },
    **dict.fromkeys(("workspace", "kept_files"), FILES),
    "tree": FILES | {"founder": None},
    "code_run": FILES,
    "requested_code_run": ASKED | {"founder": Belongs(actors=frozenset(("founder",))),
                                   "outsider": Belongs(actors=frozenset(("agent:outsider",)))},
    "opened_tree": TREE,
    "session_tree": TREE,
    "project": PROJECT,
    "part": PART,
    "task": {"report": _of("report"), "founder": NOBODY},
    "word": {"report": _of("report"), "founder": NOBODY},
    "outsiders_addressee": {"report": NOBODY, "founder": None, "paused": NOBODY, "outsider": NOBODY},
    "aim": {"report": NOBODY, "founder": NOBODY, "outsider": None},
    "project_work": dict.fromkeys(PROJECT, _of("chief", "operator")),
    "skill": {"report": _of("chief")},
    "skill_elsewhere": {"report": _of("chief")},
}  # fmt: skip
"""By what the verbs call it, and owner; nothing where it is nobody's in particular."""
LEFT_OUT = {"agent_or_ceo": _of("chief"), "project": NOBODY, "aim": NOBODY}
"""What is meant where nothing is named."""
WALLS = {"report": "home", "paused": "home", "outsider": "away", "founder": ""}
"""The organisation that an agent works in, and keeps to."""
NEXT_DOOR = ("neighbour", "recipient", "abroad")
"""What only the organisation decides in which somebody works."""
SAYS_NOTHING = {
    "task": lambda who: bool(who.project) or not who.agent,
    "outsiders_addressee": lambda who: bool(who.agent) and who.on_record,
}
"""To whom it is all the same whose it is."""
NOT_DERIVED = {
    "link": "which kinds of link agents draw the catalogue says, kind by kind: tests/door/test_by_hand.py",
    "start": "who calls decides it alone: tests/door/test_programs_outside.py",
    "group": "whom a group has decides, one by one: tests/messages",
}


def expected(
    verb: Verb, name: str, owner: str, args: Any, scopes: frozenset[str], given: frozenset[str] | None = None
) -> Answer:
    """What the declaration says, and of agents what they are given."""
    who = PRINCIPALS[name]
    if not scopes & {verb.scope, f"{verb.scope}:{verb.noun}", verb.name}:
        return "no"
    held = who.is_ - ({"worker"} if "project" in who.is_ and verb.changes and not verb.internal else set())
    if not held & set(verb.for_) or (verb.scope in ("founder", "install") and name != "founder"):
        return "no"
    if any(getattr(args, each, None) and not who.is_ & set(for_) for each, for_ in verb.args_for.items()):
        return "no"
    answers = [touched(touch, name, owner, verb, args) for touch in verb.touches] if name != "founder" else []
    by_itself = any(_needs_no_giving(touch, name, owner, verb, args) for touch in verb.touches)
    if given is not None and not by_itself and not _is_given(verb, who, scopes, given):
        return "no"
    return "no" if "no" in answers else "ask" if "ask" in answers else "yes"


def _needs_no_giving(touch: Touch, name: str, owner: str, verb: Verb, args: Any) -> bool:
    """What is one's own, or theirs whom one leads; and what has to be asked for is decided by who is asked."""
    if touch.optional or touch.when or touch.house != "tenant" or touch.agent not in ("own", "led"):
        return False
    answer = touched(touch, name, owner, verb, args)
    nobody = getattr(args, touch.arg, None) is None or touch.noun in NEXT_DOOR
    thing = LEFT_OUT.get(touch.noun) if nobody else BELONGS[touch.noun].get(owner)
    return answer == "ask" or (
        answer == "yes" and thing is not None and _nearness(touch, PRINCIPALS[name], thing, name) in ("own", "led")
    )


def _is_given(verb: Verb, who: Principal, scopes: frozenset[str], given: frozenset[str]) -> bool:
    """To change something with. A session has its own tools, of what no model is given nothing tells, and answers an ask asks for."""
    if not verb.changes or not offered(verb) or verb.answers or "session" in who.is_:
        return True
    return verb.name in given or bool(scopes & {f"{verb.scope}:{verb.noun}", verb.name})


def is_somebodys(touch: Touch, owner: str) -> bool:
    """Whether what this owner has of it is anybody's in particular."""
    return touch.noun in NEXT_DOOR or BELONGS[touch.noun].get(owner) is not None


def touched(touch: Touch, name: str, owner: str, verb: Verb, args: Any) -> Answer:
    given = getattr(args, touch.arg, None)
    if touch.noun in ("start", "group") and not PRINCIPALS[name].on_record:
        return "no"
    if (given is None and touch.optional) or (touch.when and not touch.when(args)) or touch.noun in NOT_DERIVED:
        return "yes"
    if touch.beyond == "ask" and not verb.changes:
        return "yes"
    who = PRINCIPALS[name]
    if touch.noun in SAYS_NOTHING and SAYS_NOTHING[touch.noun](who):
        return "yes"
    if touch.noun in NEXT_DOOR:
        return _next_door(who, owner, touch, looks=not verb.changes)
    if touch.noun == "session_tree" and "session" in who.is_:
        return "no"  # within a session only its own tree is; these are others'
    if given is not None and owner not in BELONGS[touch.noun]:
        return "yes"  # there is no such thing, which the verb says better
    thing = LEFT_OUT.get(touch.noun) if given is None else BELONGS[touch.noun][owner]
    if thing is None:
        return "no" if who.project and touch.project else "yes"
    far = _reach(touch, who)
    if who.agent and (who.agent in thing.barred or (touch.not_own and who.agent in thing.own)):
        return "no" if touch.not_own or touch.bars or far != "tenant" else "yes"
    if NEAREST_FIRST.index(_nearness(touch, who, thing, name)) <= NEAREST_FIRST.index(far):
        return "yes"
    return "no" if touch.beyond == "refuse" or _closed(touch, who, thing) else "ask"


def _closed(touch: Touch, who: Principal, thing: Belongs) -> bool:
    """Who directs an organisation asks nobody about another one."""
    return touch.noun in DIRECTS and who.speaks_as == "agent:director"


def _next_door(who: Principal, owner: str, touch: Touch, *, looks: bool) -> Answer:
    if looks and "service" in who.is_ and touch.service == "tenant":
        return "yes"
    if touch.noun == "neighbour" and not who.on_record:
        return "yes" if owner == "founder" else "no"
    at_home = "home" if who.project and touch.noun in ("abroad", "neighbour") else ""  # where its project is
    mine = who.organisation or at_home or (touch.noun == "abroad" and who.agent not in ("chief", "operator"))
    apart = mine and WALLS.get(owner) and mine != WALLS[owner]
    return "no" if apart and _reach(touch, who) != "tenant" else "yes"


def _reach(touch: Touch, who: Principal) -> Whose:
    if "house" in who.is_:
        return touch.house
    if who.project and touch.project:
        return touch.project
    return touch.ceo if "ceo" in who.is_ else touch.operator if "operator" in who.is_ else touch.agent


def _nearness(touch: Touch, who: Principal, thing: Belongs, name: str) -> Whose:
    in_person = "worker" not in who.is_ or not touch.in_person
    if who.project and touch.project:
        return "own" if who.project in thing.projects else "tenant"
    if (who.agent in thing.own and in_person) or who.speaks_as in thing.actors or name in thing.sessions:
        return "own"
    if who.agent in thing.mission:
        return "mission"
    if who.leads & thing.own:
        return "led"
    return "org" if thing.organisation and thing.organisation == who.organisation else "tenant"


MAY_ANSWER = {
    "card": {"founder"},
    "message": {"founder"},
    "escalation": {"founder", "ceo", "lead"},
    **{kind: {"founder", "ceo"} for kind in ("plan", "terms", "delegation", "review")},
}
"""Who answers what is no permission: whom it was laid before, who gave the mission, and whoever leads the company."""


def may_answer(kind: Kind, name: str) -> Answer:
    """A permission is the founder's alone; one that a seat gives too, also theirs who sit there."""
    if kind.permission:
        return "yes" if name == "founder" or (name == "director" and kind.also_to) else "no"
    return "yes" if name in MAY_ANSWER[kind.name] else "no"


def bordered(verb: Verb, name: str, borders: Borders, scopes: frozenset[str]) -> bool:
    """Whether agents' files keep it from who calls: another owns it, or who calls never does it."""
    if name in ("founder", "house") or not verb.changes or verb.internal:
        return False
    owners = {agent for agent, (owns, _) in borders.items() if _covered(verb, owns)}
    who = PRINCIPALS[name]
    if (me := who.agent) in borders:
        return me not in owners and bool(owners or _covered(verb, borders[me][1]))
    return (
        (name == "service" or not who.on_record)
        and bool(owners)
        and not scopes & {f"{verb.scope}:{verb.noun}", verb.name}
    )


def _covered(verb: Verb, patterns: list[str]) -> bool:
    named = [
        each.removeprefix("effect:") for each in patterns if verb.kind == "effect" or not each.startswith("effect:")
    ]
    return any(fnmatchcase(verb.name, each) for each in named)
