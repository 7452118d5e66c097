"""Sight: what a stolen token shows. Of what is not the whole company's, one's own and theirs whom one leads, and no more,
whichever way one looks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hq.door.arguments import parse
from hq.door.tx import Call
from hq.door.verb import Verb
from hq.errors import HqError
from hq.ids import event_name
from tests.door import who_may
from tests.door.who_may import RolledBack
from tests.support.one_of_everything import Firm
from tests.support.searching import catch_up

LOOKING = ["read", "write", "effect", "sql"]


LOOKERS = ("session", "director", "project")


@pytest.fixture(autouse=True)
def _only_who_looks(firm: Firm) -> None:
    for name in LOOKERS:  # these see what their agent does; what else they may is not looking
        firm.tokens.pop(name)


async def shown(firm: Firm, who: str, verb: str, **args) -> str:
    """All that a call says, or how it was refused."""
    outcome = await firm.hq.call(verb, **args, _token=firm.tokens[who])
    return json.dumps(outcome.data) if outcome.ok else outcome.error["code"]


async def test_a_session_on_the_record_is_its_agents_and_theirs_who_lead_it(firm):
    slug = firm.seen["report"][0]

    for verb in ("graph.describe", "graph.history", "graph.links", "graph.why"):
        told = "run_by" if verb == "graph.links" else slug
        seen = {who for who in firm.tokens if told in await shown(firm, who, verb, ref=slug)}
        assert seen == {"founder", "ceo", "operator", "lead", "report", "worker", "house"}, verb
    for who in ("peer", "outsider", "service"):
        assert await shown(firm, who, "graph.describe", ref=slug) == "not_found"
        assert await shown(firm, who, "graph.describe", ref=slug, _at="now") == "not_found"


async def test_what_was_said_with_the_founder_is_not_for_everybody(firm):
    slug = firm.seen["founder"][0]

    seen = {who for who in firm.tokens if "quokka" in await shown(firm, who, "graph.describe", ref=slug)}

    assert seen == {"founder", "ceo", "operator", "house"}


async def test_what_leads_to_something_private_is_left_out_of_what_is_shown(firm):
    slug = firm.seen["report"][0]

    assert slug in await shown(firm, "report", "agent.show", ref="report")
    assert slug not in await shown(firm, "peer", "agent.show", ref="report")
    assert slug not in await shown(firm, "peer", "graph.links", ref="report")


async def test_a_call_is_seen_by_who_made_it_who_leads_them_and_people(firm):
    made = await firm.hq.call("memory.add", content="Axolotls regrow", _token=firm.tokens["report"], _reason="axolotl")
    said = await firm.hq.call("chat.say", text="Only between us: axolotl")

    for outcome, able in (
        (made, {"founder", "ceo", "operator", "lead", "report", "worker", "house"}),
        (said, {"founder", "ceo", "operator", "house"}),
    ):
        id = event_name(outcome.action_id)
        assert {who for who in firm.tokens if "xolotl" in await shown(firm, who, "action.show", id=id)} == able
        listed = {who for who in firm.tokens if id in await shown(firm, who, "action.list", limit=500)}
        assert listed == able
        assert {who for who in firm.tokens if id in await shown(firm, who, "graph.why", ref=id)} == able


async def test_a_list_is_full_however_much_others_did_since(hq):
    token = (await hq.do("auth.token", service="intake", scopes=["read", "write"]))["token"]
    for number in range(3):
        await hq.do("task.create", title=f"Mine {number}", _token=token)
    for number in range(5):
        await hq.do("task.create", title=f"Theirs {number}")

    page = await hq.do("action.list", limit=2, verb="task.create", _token=token)
    rest = await hq.do("action.list", limit=2, verb="task.create", after=int(page["next"]), _token=token)

    assert [each["actor"] for each in page["items"] + rest["items"]] == ["service:intake"] * 3


async def test_nobody_takes_back_a_call_that_they_do_not_see(firm):
    made = await firm.hq.call("memo.create", title="Week 46", content_md="All quiet.", _token=firm.tokens["lead"])

    for preview in (True, False):
        outcome = await firm.hq.call("action.undo", id=str(made.action_id), preview=preview, _token=firm.tokens["peer"])
        assert outcome.error["code"] == "not_found"
    read = await firm.hq.call("action.show", id=str(made.action_id), _token=firm.tokens["peer"])
    assert read.error["message"] == outcome.error["message"]


async def test_events_of_others_are_those_of_what_the_whole_company_sees(firm):
    await firm.hq.do("task.create", title="Known to all")
    await firm.hq.do("chat.say", text="Only between us")
    await catch_up(firm.hq)

    told = {
        who: {each["topic"] for each in (await firm.hq.do("events.list", limit=500, _token=token))["items"]}
        for who, token in firm.tokens.items()
    }

    assert {who for who, topics in told.items() if "task.created" in topics} == set(firm.tokens)
    assert {who for who, topics in told.items() if "chat.said" in topics} == {"founder", "ceo", "operator", "house"}
    closing = {"founder", "ceo", "operator", "lead", "report", "worker", "house"}
    assert {who for who, topics in told.items() if "agent.session_closed" in topics} == closing


async def test_what_is_asked_is_seen_by_who_asks_who_is_asked_and_who_leads_them(firm):
    slug = firm.things["report"]["escalation"]

    for verb in ("escalation.show", "ask.show", "graph.describe"):
        arg = {"ask": slug} if verb == "ask.show" else {"ref": slug}
        seen = {who for who in firm.tokens if slug in await shown(firm, who, verb, **arg)}
        assert seen == {"founder", "ceo", "operator", "lead", "report", "worker", "house"}, verb
    for verb, args in (("escalation.list", {}), ("ask.list", {"to": "all"})):
        seen = {who for who in firm.tokens if slug in await shown(firm, who, verb, **args)}
        assert seen == {"founder", "ceo", "operator", "lead", "report", "worker", "house"}, verb


async def test_sql_shows_what_the_rest_shows(firm):
    slug = firm.seen["report"][0]
    memo = (await firm.hq.do("memo.create", title="Week 46", content_md="All quiet."))["slug"]
    asked = "select (select count(*) from agent_session where slug = $1) as sessions, (select count(*) from memo where slug = $2)"
    asked += (
        " as memos, (select count(*) from history h join nodes n on n.id = h.node_id where n.slug = $1) as changes,"
    )
    asked += " (select count(*) from history where said::text like '%zebrafish%') as said,"
    asked += " (select count(*) from actions where verb = 'chat.say') as calls,"
    asked += " (select count(*) from events where topic = 'chat.said') as talk,"
    asked += " (select count(*) from links l join nodes n on n.id = l.to_id where n.slug = 'report' and l.type = 'run_by') as runs"
    seen = {}
    for who in ("report", "peer", "chief"):
        token = await firm.hq.agent(who, scopes=LOOKING)
        for at in (None, "now"):
            (row,) = (await firm.hq.do("sql.query", query=asked, params=[slug, memo], _token=token, _at=at))["items"]
            seen[who, at] = {name for name, many in row.items() if many}

    everything = {"sessions", "memos", "changes", "said", "calls", "talk", "runs"}
    for at in (None, "now"):
        assert seen["peer", at] == {"memos"}
        assert seen["report", at] == {"memos", "sessions", "changes", "said", "runs"}
        assert seen["chief", at] == everything


async def test_what_tools_gave_back_and_cards_are_not_for_everybody(firm):
    await firm.hq.do("card.send", kind="report", title="Axolotls", text="All well.", _token=firm.tokens["ceo"])

    cards = {who for who in firm.tokens if "Axolotl" in await shown(firm, who, "card.list")}

    assert cards == {"founder", "ceo", "operator", "house"}


async def test_nobody_makes_themselves_see_something_by_a_link(firm):
    slug = firm.seen["report"][0]

    for who, agent in (("peer", "peer"), ("service", "peer"), ("report", "report"), ("operator", "operator")):
        args = {"source": slug, "edge": "run_by", "target": agent}
        assert not (await firm.hq.call("graph.link", **args, _token=firm.tokens[who])).ok
    assert await shown(firm, "peer", "graph.describe", ref=slug) == "not_found"


async def test_what_one_does_not_see_one_does_not_change(firm):
    raised = {"agent": "report", "kind": "loop", "summary": "Turns in circles"}
    slug = (await firm.hq.do("incident.raise", **raised, _token=firm.tokens["house"]))["slug"]

    told = []
    for ref in (slug, "no-such-incident"):
        outcome = await firm.hq.call("agent_incident.update", ref=ref, agent="peer", _token=firm.tokens["peer"])
        told.append({**outcome.error, "message": outcome.error["message"].replace(ref, "…")})
    assert told[0] == told[1] and told[0]["code"] == "not_found", (
        "what one does not see is not there, in the same words"
    )
    assert await shown(firm, "report", "agent_incident.update", ref=slug, status="acknowledged") == "forbidden"
    firm.tokens["report"] = await firm.hq.agent("report", scopes=["read", "write:agent_incident"])
    assert slug in await shown(firm, "report", "agent_incident.update", ref=slug, status="acknowledged")


async def _told(firm: Firm, who: str, verb: Verb, given: dict[str, Any], name: str) -> str:
    """How it ended, without the name that was said."""
    opening = Call(verb.name, {}, firm.tokens[who], session_id=firm.sessions.get(who))
    try:
        async with firm.hq.door.opened(firm.registry.get("task.create"), opening, noting=True) as tx:
            tx.caller.check(verb)
            args = parse(verb, given)
            if (await firm.hq.door.gated(tx, verb, args)).decision == "ask" and verb.kind == "write":
                async with tx.rehearsed():
                    await firm.hq.door.do(tx, verb, args)
            elif verb.kind == "effect" and verb.prepare:
                await verb.prepare(tx, args)
            elif verb.kind == "write":
                await firm.hq.door.do(tx, verb, args)
            raise RolledBack
    except RolledBack:
        return "done"
    except HqError as error:
        return f"{error.code.name}: {error.message}".replace(name, "…")
    except Exception as error:
        return type(error).__name__


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_change_never_tells_that_something_unseen_is_there(firm):
    hidden = [firm.things["founder"]["memory"]]
    different = set()
    for verb in firm.registry:
        if not verb.changes or verb.kind not in ("write", "effect", "wait") or not verb.for_:
            continue
        names = [name for name, info in verb.args.model_fields.items() if who_may.is_name(info)]
        for who in ("peer",) if names else ():
            row = who_may.Asked(verb)
            known = who_may.arguments(firm, row, who).model_dump(mode="json", by_alias=True, exclude_unset=True)
            for arg in names:
                info = verb.args.model_fields[arg]
                alias, several = info.alias or arg, "list" in str(info.annotation)
                ends = {
                    await _told(firm, who, verb, known | {alias: [name] if several else name}, name)
                    for name in (*hidden, "nothing-of-that-name")
                }
                if len(ends) > 1:
                    different.add((verb.name, arg, who, *ends))
    assert different == set(), "\n".join(map(str, sorted(different)))
