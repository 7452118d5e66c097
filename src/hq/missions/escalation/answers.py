"""Answers to escalations: who may give one, by the risk table, where it is kept, and how it reaches who asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hq.asks.authority import THROUGH, is_founders
from hq.asks.founder_words import repeats_founder
from hq.asks.kinds import AskAnswer
from hq.asks.open_asks import OpenAsk
from hq.asks.types import Ask, Escalation, Option
from hq.business.types import Decision
from hq.door.actor import HOUSE_ACTOR
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.memory.discretion import AtDiscretion, keep_word, word_on
from hq.memory.types import OrgMemory
from hq.memory.verbs import curated
from hq.minds.prompt_data import quoted
from hq.missions.brief_decisions import hold_to
from hq.missions.escalation.overruling import Overruled, overrule, superseded
from hq.missions.escalation.trigger import ASKED
from hq.missions.life import OVER
from hq.missions.notes import remember
from hq.missions.notice import tell
from hq.missions.parties import caller_node
from hq.missions.types import Mission
from hq.org.agent import Agent
from hq.workspace.verbs.workspace_verbs import inside

ENDS = re.compile(
    r"(?:please,? |yes,? )?(?:end|cancel|abandon|drop|call off|give up)(?: on)? (?:the|this|that) (?:whole )?mission(?: now)?[.!]?"
    r"|(?:termina|termine|terminar|encerra|encerre|encerrar|cancela|cancele|cancelar) a missão[.!]?",
    re.IGNORECASE,
)
"""Words that end a mission and say nothing else."""


class Escalated(AtDiscretion):
    """A way out, for whom it was laid before, the CEO or the founder; by the risk table, for the founder alone."""

    name, type = "escalation", Escalation
    way_up = "pass it on (escalation_pass_on)"

    def title(self, ask: OpenAsk) -> str:
        summary = ask.props.summary
        if ask.props.trigger not in ASKED:
            return summary
        return f"{ask.agent or 'Somebody'} {'asks' if summary.rstrip().endswith('?') else 'cannot go on'}: {summary}"

    def asker(self, ask: OpenAsk) -> str | None:
        """What the house found nobody asked, though it is about somebody's work."""
        return ask.asked_by if ask.props.trigger in ASKED else HOUSE_ACTOR

    def options(self, ask: Ask) -> Sequence[Option]:
        assert isinstance(ask, Escalation)
        return ask.options

    def counted(self, ask: Ask) -> str:
        assert isinstance(ask, Escalation)
        return next((each.key for each in ask.options if each.label == ask.resolution), ask.resolution or "")

    def is_asked(self, ask: Stored[Escalation]) -> bool:
        return ask.props.trigger in ASKED

    async def is_with(self, tx: Tx, ask: Stored[Escalation]) -> bool:
        """The CEO answers what is with others too."""
        return tx.caller.role == "ceo" or await super().is_with(tx, ask)

    async def answered(self, tx: Tx, ask: Stored[Escalation], answer: AskAnswer) -> Stored[Escalation]:
        because = await self.rests_on(tx, ask, answer)
        said = {"resolution": answer.words, "resolved_at": tx.now, "decided_by": answer.by, "because": because}
        return await self._decided(tx, await tx.move(ask, "resolved", **said), answer)

    async def again(self, tx: Tx, ask: Stored[Escalation], answer: AskAnswer) -> Stored[Escalation] | None:
        """What an agent answered, the founder decides otherwise."""
        by_agent = (ask.props.decided_by or "").startswith(("agent:", THROUGH))
        if ask.status != "resolved" or not by_agent or not is_founders(tx, answer):
            return None
        if answer.words == ask.props.resolution:
            return None
        await superseded(tx, ask)
        said = {"resolution": answer.words, "resolved_at": tx.now, "decided_by": answer.by, "because": []}
        return await self._decided(tx, await tx.change(ask, said), answer, ask.props)

    async def _decided(
        self, tx: Tx, ask: Stored[Escalation], answer: AskAnswer, before: Escalation | None = None
    ) -> Stored[Escalation]:
        """Keep it, where a question was answered hold the mission to it, and let who asked go on; `before` is what it overrules."""
        ends = await tx.targets([ask.id], ["for_mission", "requested_by"])
        asker = await tx.get(ends[ask.id, "requested_by"], Agent)
        mission_id = ends.get((ask.id, "for_mission"))
        mission = await tx.get(mission_id, Mission) if mission_id else None
        question = ask.props.summary.rstrip().endswith("?")
        if (who := await caller_node(tx)) is not None:
            await tx.link(ask, "resolved_by", who)
        await _keep(tx, ask, mission)
        if mission is not None and question and (before or mission.status not in OVER):
            mission = await hold_to(tx, mission, ask.props.summary, answer.words, answer.by)
        # How one mission goes on, or ends, is that mission's; what was a question may come up again.
        if mission is None or answer.terms.get("always") or question:
            category = "preference" if answer.terms.get("always") else "decision"
            known = await keep_word(tx, ask.props.summary, answer.words, category)
            await curated(tx, await tx.get(known.slug, OrgMemory), [asker])  # who asked knows the answer from now on
            was = before and word_on(before.summary, before.resolution or "")
            await _add_experience(tx, asker, word_on(ask.props.summary, answer.words), was)
        if mission is not None and ends_mission(tx, mission, answer):
            why = f"The founder ended it: {ask.props.summary}"
            await tx.inner("mission.fail", {"ref": mission.slug, "why": why[:2000]})
        elif before is not None:
            await overrule(tx, Overruled(ask, asker, mission, before))
        else:
            await _tell(tx, ask, asker, mission, answer)
        repeats = {"founder_said": True} if await repeats_founder(tx, answer.words) else {}
        tx.emit("escalation.resolved", id=str(ask.id), slug=ask.slug, status="resolved", by=answer.by, **repeats)
        return ask


async def _tell(
    tx: Tx, ask: Stored[Escalation], asker: Stored[Agent], mission: Stored[Mission] | None, answer: AskAnswer
) -> None:
    """Who asked goes on with the answer."""
    noticed = "The house noticed {}, and the word on that is"
    what = noticed if ask.props.trigger not in ASKED else "Your escalation {} was answered"
    word = f"{what.format(quoted(ask.props.summary))}: {answer.words}"
    about = mission.id if mission else ask.id
    await tell(tx, asker.id, ask, f"answered: {ask.props.summary}", word, about)


def ends_mission(tx: Tx, mission: Stored[Mission], answer: AskAnswer) -> bool:
    """Whether the founder's answer is that the mission is over, and nothing else; then nobody has to be told how to end it."""
    return mission.status not in OVER and is_founders(tx, answer) and ENDS.fullmatch(answer.words.strip()) is not None


async def _keep(tx: Tx, escalation: Stored[Escalation], mission: Stored[Mission] | None) -> None:
    """What was decided, as a decision, and among the notes of its mission."""
    props = escalation.props
    links = [NewLink("spawned_from", escalation)] + ([NewLink("about", mission)] if mission else [])
    decision = Decision(
        title=props.summary,
        status="accepted",
        context_md=props.context_md,
        decision_md=props.resolution,
        decided_at=tx.now,
    )
    await tx.create(decision, links=links)
    if mission is not None:
        await remember(tx, mission, f"{props.summary} → {props.resolution}", "decision")


async def _add_experience(tx: Tx, asker: Stored[Agent], what: str, was: str | None) -> None:
    """What was decided once need not be asked again by whoever takes the persona's place; what it overrules is learned no more."""
    persona = (await tx.targets([asker.id], ["embodies"])).get((asker.id, "embodies"))
    if persona is not None:
        body = f"- {tx.now:%Y-%m-%d} {what}"
        slug = (await tx.get(persona)).slug
        instead = {"instead_of": was} if was else {}
        tx.follow_ups.append(inside(tx, "persona.append_experience", {"slug": slug, "body": body, **instead}))


KINDS = (Escalated(),)
