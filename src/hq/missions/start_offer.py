"""The start of what was imported: its missions rest until the founder, or who imported them, lets them begin.

Each rests by itself, so one may be given out before the others; `hq mission resume` of the whole lets all of them begin.
"""

from __future__ import annotations

from uuid import UUID

from hq.asks.kinds import YES
from hq.asks.open_asks import OpenAsk
from hq.asks.proposals import NamedProposalOffer, lay_before
from hq.asks.types import Option, Proposal
from hq.asks.withdrawal import withdraw
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.minds.prompt_data import one_line
from hq.missions.life import OPEN
from hq.missions.parties import caller_node
from hq.missions.types import Mission

SQL = beside(__file__)
KIND = "start"
WHY = "it was imported, and nobody said yet that it shall begin"
SHOWN = 20


async def resting(tx: Tx, whole: Stored[Mission]) -> list[Stored[Mission]]:
    """What rests below a mission and was never begun."""
    below = await tx.scalars(SQL["resting"], {"id": whole.id}, of=UUID)
    return [await tx.get(each, Mission) for each in below]


async def ask_start(tx: Tx, whole: Stored[Mission]) -> None:
    """Ask the founder once whether work shall begin on all that rests below a mission."""
    lines = [f"- {one_line(each.props.title)}" for each in await resting(tx, whole)]
    more = [f"- and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    await lay_before(
        tx,
        KIND,
        whole,
        "\n".join(lines[:SHOWN] + more),
        by=await caller_node(tx),
        to=await tx.founder(),
        mission=whole,
        wanted=OPEN,
        change={"verb": "mission.resume", "args": {"ref": whole.slug}},
    )


async def begin_parts(tx: Tx, whole: Stored[Mission]) -> bool:
    """Let all begin that rests below a mission; whether there was any."""
    parts = await resting(tx, whole)
    for each in parts:
        await tx.move(each, "backlog", status_reason=None)
    if parts:
        await drop_ask(tx, whole)
    return bool(parts)


async def drop_ask(tx: Tx, begun: Stored[Mission]) -> None:
    """Once nothing rests any more nobody has to be asked whether it shall begin."""
    for id in await tx.scalars(SQL["start_asks"], {"id": begun.id, "kind": KIND}, of=UUID):
        ask = await tx.get(id, Proposal)
        wholes = await tx.targets([id], ["for_mission"])
        if not await resting(tx, await tx.get(wholes[id, "for_mission"], Mission)):
            await withdraw(tx, ask, "it was begun already")


class StartOffer(NamedProposalOffer):
    """Whether what was imported shall begin, for the founder."""

    name = KIND

    def title(self, ask: OpenAsk) -> str:
        return f"{ask.mission_title or ask.mission} was imported. Shall work on it begin?"

    def label(self, ask: OpenAsk, option: Option) -> str:
        return "Start it" if option.key == YES else "Not now"


KINDS = (StartOffer(),)
