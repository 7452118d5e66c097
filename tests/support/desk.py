"""An agent at its desk: in its own session on a mission, at its own working tree."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from tests.support.firm import Firm


class AtDesk:
    """An agent in its own session on a mission, at its own working tree."""

    def __init__(self, firm: Firm, session: str, token: str, workspace: str, tree: Path) -> None:
        self.firm, self.session, self.token, self.workspace, self.tree = firm, session, token, workspace, tree

    async def call(self, verb: str, **args):
        return await self.firm.hq.call(verb, _token=self.token, _session_id=UUID(self.session), **args)

    async def do(self, verb: str, **args):
        outcome = await self.call(verb, **args)
        assert outcome.ok, outcome.error
        return outcome.data

    async def write(self, path: str, text: str) -> None:
        await self.do("file.write", path=path, content=text)


async def desk(firm: Firm, mission: str, agent: str = "forge") -> AtDesk:
    session = (await firm.sessions(agent))[0]["session"]
    for space in (await firm.hq.do("workspace.list"))["items"]:
        for tree in (await firm.hq.do("workspace.trees", ref=space["slug"]))["items"]:
            if tree["session"] == session:
                return AtDesk(firm, session, await firm.token(agent), space["slug"], Path(tree["path"]))
    raise AssertionError(f"{agent} has no tree for {mission}")


async def delivered(firm: Firm) -> str:
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    await firm.deliver(mission, app__py="print('hello')")
    await firm.hq.do("mission.submit", ref=mission, outcome="It runs.")
    return mission
