"""`hq ceo prompt`: the prompt of the heartbeat, as its mind would get it now, with what each part costs."""

from __future__ import annotations

from hq.agents.context_verbs import ContextShown, shown_whole
from hq.ceo.decision import CeoSituation, card_verbs, tick_request
from hq.ceo.rows import SituationRow
from hq.ceo.triggers import BY_NAME
from hq.ceo.watch import look
from hq.database.queries import beside
from hq.door.access import OVERSEERS
from hq.door.tx import Tx
from hq.door.verb import Args, verb
from hq.org.ceo_agent import ceo

SQL = beside(__file__)


class CeoPromptArgs(Args):
    """Nothing to choose."""


@verb("ceo.prompt", "read", for_=OVERSEERS, past=False, examples=[{}], text="hq.agents.context_text:shown")
async def prompt(tx: Tx, args: CeoPromptArgs) -> ContextShown:
    """The whole prompt with which the heartbeat would ask a mind about what is noticed now; looking asks nobody."""
    seen = [each for each in await look(tx) if BY_NAME[each.trigger].weighed]
    now = CeoSituation.of(await tx.the_one(SQL["situation"], {"now": tx.now}, into=SituationRow), tx.now)
    agent = await ceo(tx)
    ask = tick_request(agent, now, seen, [], card_verbs(tx.door))
    role, actions = ask.instructions.split("\n\nThe actions:", 1)
    (asked,) = [str(part.content) for message in ask.messages for part in message.parts]  # type: ignore[union-attr]
    stands, noticed = asked.split("\n\nNoticed just now:\n", 1)
    return shown_whole(
        agent,
        [
            ("system", "role", role),
            ("system", "actions", f"The actions:{actions}"),
            ("now", "how things stand", stands),
            ("now", "noticed", f"Noticed just now:\n{noticed}"),
        ],
    )


VERBS = (prompt,)
