"""A routing decision, and what follows from it: which mind answers first, and what it is told of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import OpenStep, RouteNote, WakeStep
from hq.engine.sessions.trigger import SessionTrigger
from hq.minds.policy import TierDecision
from hq.sessions.routing.router import Route

AT_ONCE = "This seems to be something you can answer at once, in a sentence or two; look things up only where you must."
FIND_OUT = (
    "This seems to be something to find out: say in one sentence that you look into it, find it out, then answer."
)


@dataclass(frozen=True)
class RoutingDecision:
    """What was said last in a thread, and where it goes; nowhere in particular unless somebody routes it."""

    said: str = ""
    route: Route | None = None

    @property
    def at_once(self) -> bool:
        return bool(self.route and self.route.intent == "answer" and self.route.mode == "quick")

    @property
    def hint(self) -> str:
        if self.at_once:
            return AT_ONCE
        return FIND_OUT if self.route and self.route.intent == "investigate" and self.route.sure else ""

    def weigh(self, chosen: TierDecision) -> TierDecision:
        """A routine turn that can be answered at once gets the light mind; any other keeps its own."""
        if not self.at_once or chosen.trigger or chosen.tier != "default" or self.route is None:
            return chosen
        return TierDecision("light", f"routed: {self.route.why}")

    def turned(self, claimed: Claimed) -> Claimed:
        """The session as what was said last makes it: the tier is chosen by that, not by how the thread began."""
        return (
            replace(claimed, trigger=claimed.trigger.model_copy(update={"text": self.said})) if self.said else claimed
        )


def way_of(trigger: SessionTrigger, steps: Sequence[JournalStep]) -> RoutingDecision:
    """Read back after a rest or a crash."""
    way = RoutingDecision()
    for step in sorted(steps, key=lambda step: step.number):
        match step.payload:
            case OpenStep():
                way = RoutingDecision(trigger.text)
            case WakeStep(prompt=said):
                way = RoutingDecision(said)
            case RouteNote(route=route):
                way = replace(way, route=Route(**route))
            case _:
                pass
    return way
