"""The model policy, which says what tier a turn gets, and why: patterns over what it is about, decided in well under 5
ms, to be recorded.

The house's triggers are in policy.yaml; an agent adds its own under `## Model policy`. What is mandatory is never demoted;
under cost pressure routine turns go to the light tier; heavy turns beyond the day's cap raise an alarm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from hq import patterns
from hq.errors import Refused
from hq.json_types import ModelJson
from hq.minds.mind import TIERS, Tier

FILE = Path(__file__).with_name("policy.yaml")
PRESSURE = 0.7
"""From here on routine turns are demoted."""
READ = 2_000
"""Characters of a turn that are looked at."""


@dataclass(frozen=True)
class PolicyTurn:
    """What a turn is about: the events that woke the agent, and what was said to it."""

    text: str = ""
    events: Sequence[Mapping[str, Any]] = ()
    lower: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text[:READ])
        object.__setattr__(self, "lower", self.text.lower())


@dataclass(frozen=True)
class TierDecision:
    tier: Tier
    why: str
    trigger: str = ""
    mandatory: bool = False
    demoted_from: Tier | None = None
    alarm: str = ""
    """Something the founder should hear about."""

    def as_json(self) -> ModelJson:
        """For the journal."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True)
class PolicyCondition:
    """All of it must hold; the tests on the same event."""

    text: Any = None
    """A compiled pattern."""
    has: tuple[str, ...] = ()
    """One of these must be in the text for the pattern to be worth a try; looking for a word costs next to nothing."""
    topic: re.Pattern[str] | None = None
    where: tuple[tuple[tuple[str, ...], Any], ...] = ()

    def holds(self, turn: PolicyTurn) -> bool:
        if self.text and not self._reads(turn):
            return False
        if not self.topic and not self.where:
            return self.text is not None
        return any(self._fits(event) for event in turn.events)

    def _reads(self, turn: PolicyTurn) -> bool:
        assert self.text is not None
        return (not self.has or any(word in turn.lower for word in self.has)) and bool(self.text.search(turn.text))

    def _fits(self, event: Mapping[str, Any]) -> bool:
        if self.topic and not self.topic.match(str(event.get("topic", ""))):
            return False
        return all(_passes(_at(event, path), test) for path, test in self.where)


@dataclass(frozen=True)
class TierTrigger:
    name: str
    tier: Tier
    why: str
    mandatory: bool = False
    any: tuple[PolicyCondition, ...] = field(default=())

    def fires(self, turn: PolicyTurn) -> bool:
        return any(condition.holds(turn) for condition in self.any)


def decide(
    turn: PolicyTurn,
    declared: Iterable[TierTrigger] = (),
    *,
    pressure: float = 0.0,
    heavy_today: int = 0,
    heavy_cap: int = 100,
    goes_on: bool = False,
) -> TierDecision:
    """The tier of one turn. `pressure` is 0 for plenty of money left and 1 for none; the caps are per day. What goes on, such as a
    conversation or a mission, stays with one mind: another would have to read all of it anew, which costs more than it saves."""
    passing = {each.name for each in house() if goes_on and each.tier == "light"}
    for trigger in (*declared, *house()):
        if not (trigger.tier == "light" and trigger.name in passing) and trigger.fires(turn):
            return _weighed(trigger, pressure, heavy_today, heavy_cap)
    if pressure >= PRESSURE:
        return TierDecision("light", f"routine, demoted at {pressure:.0%} cost pressure", demoted_from="default")
    return TierDecision("default", "routine")


def _weighed(trigger: TierTrigger, pressure: float, heavy_today: int, heavy_cap: int) -> TierDecision:
    found = TierDecision(trigger.tier, trigger.why, trigger.name, trigger.mandatory)
    match trigger.tier:
        case "light":
            return found
        case "default" if pressure >= PRESSURE and not trigger.mandatory:
            return _demoted(found, "light", f"{pressure:.0%} cost pressure")
        case "default":
            return found
        case "heavy":
            over = heavy_today >= heavy_cap
            alarm = f"{heavy_today + 1} heavy turns today, the cap is {heavy_cap}" if over else ""
            if trigger.mandatory:
                return TierDecision("heavy", trigger.why, trigger.name, mandatory=True, alarm=alarm)
            if over:
                return _demoted(found, "default", f"the day's {heavy_cap} heavy turns are used up", alarm)
            return _demoted(found, "default", f"{pressure:.0%} cost pressure") if pressure >= PRESSURE else found


def _demoted(found: TierDecision, tier: Tier, because: str, alarm: str = "") -> TierDecision:
    return TierDecision(tier, f"{found.why}, demoted: {because}", found.trigger, demoted_from=found.tier, alarm=alarm)


@cache
def house() -> tuple[TierTrigger, ...]:
    """The triggers every agent has."""
    told = yaml.safe_load(FILE.read_text("utf-8"))
    return tuple(_trigger(part, tier) for tier in ("heavy", "light") for part in told[tier])


def of_agent(policy: Sequence[tuple[str, str]]) -> tuple[TierTrigger, ...]:
    """The conditions of an agent's `## Model policy` with their tiers, in its order. `default` is what is left over."""
    own = [(_own(condition), tier) for condition, tier in policy if condition != "default"]
    return tuple(replace(trigger, tier=tier, mandatory=trigger.mandatory and tier == "heavy") for trigger, tier in own)


def declared_triggers(conditions: Sequence[Any]) -> tuple[TierTrigger, ...]:
    """Each as the name of one of the house's, a pattern, or a whole trigger."""
    return tuple(_own(part) for part in conditions)


def _own(part: Any) -> TierTrigger:
    if isinstance(part, Mapping):
        return _trigger({"name": "own", "mandatory": True, **part}, part.get("tier", "heavy"))
    by_name = {trigger.name: trigger for trigger in house()}
    name = str(part).strip().lower().replace("-", "_").replace(" ", "_")
    if name in by_name:
        return by_name[name]
    return TierTrigger(
        str(part), "heavy", f"the agent's own trigger {part!r}", True, (PolicyCondition(text=_pattern(str(part))),)
    )


def _trigger(part: Mapping[str, Any], tier: Tier) -> TierTrigger:
    known = ("name", "why", "mandatory", "any", "text", "has", "topic", "where", "tier")
    if strange := [key for key in part if key not in known]:
        raise Refused.invalid(f"a trigger does not know {', '.join(strange)}; it takes {', '.join(known)}")
    if tier not in TIERS:
        raise Refused.invalid(f"a trigger's tier is one of {', '.join(TIERS)}, not {tier!r}")
    conditions = part.get("any") or [{key: part[key] for key in ("text", "has", "topic", "where") if key in part}]
    name = str(part.get("name", "own"))
    made = tuple(_condition(each) for each in conditions)
    return TierTrigger(name, tier, str(part.get("why", name.replace("_", " "))), bool(part.get("mandatory")), made)


def _condition(part: Mapping[str, Any]) -> PolicyCondition:
    if not part:
        raise Refused.invalid("a trigger needs text, topic or where")
    return PolicyCondition(
        text=_pattern(part["text"]) if "text" in part else None,
        has=tuple(map(str, part.get("has", ()))),
        topic=re.compile(translate(part["topic"])) if "topic" in part else None,
        where=tuple((tuple(path.split(".")), test) for path, test in part.get("where", {}).items()),
    )


def _pattern(text: str) -> Any:
    try:
        return patterns.compiled(text, ignore_case="(?" not in text)
    except Refused as error:
        raise Refused.invalid(f"{text!r} is not a {error.message}") from error


def _at(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _passes(value: Any, test: Any) -> bool:
    if isinstance(test, Mapping):
        return all(_compares(value, operator, wanted) for operator, wanted in test.items())
    return value in test if isinstance(test, list) else value == test


def _compares(value: Any, operator: str, wanted: Any) -> bool:
    match operator:
        case "exists":
            return (value is not None) == bool(wanted)
        case "matches":
            return isinstance(value, str) and _pattern(wanted).search(value) is not None
        case "longer":
            return isinstance(value, list | str) and len(value) > wanted
        case ">=" | ">" | "<=" | "<" if isinstance(value, int | float):
            return {">=": value >= wanted, ">": value > wanted, "<=": value <= wanted, "<": value < wanted}[operator]
        case ">=" | ">" | "<=" | "<":
            return False
        case _:
            raise Refused.invalid(f"a test does not know {operator!r}; it takes exists, matches, longer, >=, >, <=, <")
