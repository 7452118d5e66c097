"""Every example that help shows is typed as it stands, in a fresh company, and works."""

from __future__ import annotations

import io
import re
import shlex

import pytest

from hq.cli.examples import CALL
from hq.cli.help import command_line
from hq.cli.names import manifest
from hq.cli.verbs import find
from hq.sessions import session_verbs

from .conftest import House, Said, Shell

EXAMPLES = [
    (name, command_line(verb, example))
    for name in manifest()["verbs"]
    if (verb := find(name)) is not None
    for example in verb.examples
]
ACME, INC = "hq entity create --name Acme", 'hq entity create --name "Acme Inc"'
TASK, ANA = 'hq task create --title "Call Ana"', 'hq contact create --name "Ana Pereira"'
CONNECTOR = 'hq connector add mcp docs --command "docs-server --stdio"'
AGENTS = ["hq agent load"]
INCIDENT = [*AGENTS, "hq incident raise --agent chief --kind loop --summary Circles"]
ORG = "hq org create --name Development --purpose software-development"
ROLE = "hq org role create --name architect"
SEAT = [ORG, ROLE, 'hq org position create --org Development --title "Principal Architect" --role architect']
PERSONA = "hq org persona create --name Robbo --role architect"
SEATED = [*SEAT, PERSONA, "hq org assign --position-id 1 --persona-slug architect-robbo-1"]
FORGE = 'hq agent create --name forge --role Developer --description "Writes web apps"'
SCOUT = 'hq agent create --name scout --role Analyst --description "Compares chart libraries"'
TRACKER = [FORGE, 'hq mission create --title "Flight tracker" --deliverable "The founder likes it"']
GIVEN = [*TRACKER, "hq mission assign flight-tracker --to forge"]
TAKEN = [*GIVEN, "hq mission accept flight-tracker"]
STUCK = [*TAKEN, "hq escalation raise 'Postgres or SQLite?' --mission flight-tracker"]
HELP = "hq mission delegate flight-tracker --title 'Compare chart libraries' --to scout --reason 'to choose one'"
APP = "hq workspace create app1 --category coding/webapp"
TREE = [APP, "hq workspace begin app1 --session first"]
WRITTEN = [*TREE, "hq file write src/app.py --content hello --workspace app1 --session first"]
BUILT = [
    *TRACKER,
    f"{APP} --mission flight-tracker",
    "hq mission assign flight-tracker --to forge",
    "hq mission accept flight-tracker",
    "hq workspace begin app1 --session first",
    "hq file write README.md --content hello --workspace app1 --session first",
    "hq workspace save app1 --session first",
    "hq workspace merge app1 --session first",
]
LIKED = ["hq mission submit flight-tracker --outcome Done", "hq mission sign-off flight-tracker"]
HALF = [
    *TRACKER,
    'hq mission create --title Half --parent flight-tracker --deliverable "The founder likes it"',
    "hq mission assign half --to forge",
    *(f"hq mission {each}" for each in ("accept half", "submit half --outcome Done", "sign-off half")),
]
CARD = """hq card send --kind choice --title "Which name?" --button '{"key": "a", "label": "The Weekly"}'"""
NEEDS = {
    **{f"file.{verb}": WRITTEN for verb in ("edit", "glob", "grep", "read")},
    "file.write": TREE,
    "skill.enable": ["hq skill disable disk-health"],
    "ssh.forget": [dict(EXAMPLES)["ssh.allow"]],
    "http.forget": [dict(EXAMPLES)["http.allow"]],
    **{f"agent.{verb}": AGENTS for verb in ("ask", "broadcast", "check", "presence", "send")},
    **{f"agent_incident.{verb}": INCIDENT for verb in ("history", "show", "update")},
    "beat.off": AGENTS,
    "beat.on": AGENTS,
    "context.show": AGENTS,
    **{f"onboard.{verb}": [] for verb in ("answer", "show")},
    "run.start": AGENTS,
    "memory.list": [],
    "memory.tend": AGENTS,
    **{f"org.{verb}": [ORG] for verb in ("archive", "export", "measure", "status", "tree", "update")},
    **{f"org_intent.{verb}": [ORG] for verb in ("read", "write")},
    **{
        f"persona.{verb}": [ROLE, PERSONA]
        for verb in ("append_experience", "archive", "experience", "show", "skill", "update", "write_skill")
    },
    **{f"position.{verb}": SEAT for verb in ("list", "remove", "show", "update")},
    "agent.can": [FORGE],
    "agent.hire": [ORG],
    "agent.succeed": ["hq org create --template software-team", "hq agent hire Forge --position-id 5"],
    "org.assess_fit": [*SEAT, PERSONA],
    "org.assign": [*SEAT, PERSONA],
    "org.unassign": SEATED,
    "org.whoami": SEATED,
    "org.validate": [],
    "org.import": [],
    "persona.create": [ROLE],
    "position.create": [ORG, ROLE],
    "auth.revoke": ["hq auth token --device phone"],
    "auth.widen": ["hq auth token --agent chief"],
    **{f"connector.{verb}": [CONNECTOR] for verb in ("history", "list", "remove", "show")},
    "card.send": AGENTS,
    **{f"card.{verb}": [*AGENTS, CARD] for verb in ("press", "show")},
    "ceo.quiet": [],
    "ceo.tick": AGENTS,
    "ceo.brief": [],
    "ceo.noticed": [],
    "schedule.add": AGENTS,
    "schedule.next": [],
    **{
        f"schedule.{verb}": [*AGENTS, dict(EXAMPLES)["schedule.add"]] for verb in ("history", "pause", "remove", "show")
    },
    "schedule.resume": [*AGENTS, dict(EXAMPLES)["schedule.add"], "hq schedule pause shop-check"],
    **{f"chat.{verb}": ["hq agent load"] for verb in ("history", "read", "say", "status")},
    "chat.route": [],
    "budget.raise": ["hq budget set company --period month --usd-hard 200"],
    "decision.supersede": [
        'hq decision create --title "Postgres for everything" --decision-md Yes --status accepted',
        'hq decision create --title "Postgres 18 for everything" --decision-md Yes --status accepted',
    ],
    **{f"mission.{verb}": GIVEN for verb in ("accept", "counter", "decline", "fail", "pause", "plan", "wait")},
    "mission.answer": [*GIVEN, "hq mission counter flight-tracker --note more --token-budget 300000"],
    "mission.assign": TRACKER,
    "mission.brief": TRACKER,
    "mission.check": TAKEN,
    "mission.delegate": [SCOUT, *TAKEN],
    **{f"mission.{verb}": BUILT for verb in ("changes", "download", "files", "open", "read_file")},
    "mission.change": [*BUILT, *LIKED],
    "mission.revert": [*BUILT, *LIKED, dict(EXAMPLES)["mission.change"]],
    "mission.close": HALF,
    "mission.import": [],
    "mission.note": TRACKER,
    "mission.resume": [*TAKEN, "hq mission pause flight-tracker --why holiday"],
    "mission.settle_plan": [
        *GIVEN,
        "hq mission update flight-tracker --priority high",
        "hq mission plan flight-tracker --step One --step Two --step Three",
    ],
    "mission.sign_off": [*TAKEN, "hq mission submit flight-tracker --outcome Done"],
    "mission.submit": TAKEN,
    "escalation.raise": TAKEN,
    **{f"escalation.{verb}": STUCK for verb in ("history", "resolve", "show", "withdraw")},
    "escalation.pass_on": ["hq agent create --name boss --role Chief --kind ceo", *STUCK],
    **{f"delegation.{verb}": [SCOUT, *TAKEN, HELP] for verb in ("approve", "history", "reject", "show")},
    **{f"brief.{verb}": GIVEN for verb in ("history", "show")},
    **{f"deliverable.{verb}": [*TAKEN, "hq mission check flight-tracker"] for verb in ("history", "show")},
    **{f"mission_memory.{verb}": [*TRACKER, "hq mission note flight-tracker Small"] for verb in ("history", "show")},
    "entity.merge": [ACME, INC],
    "fact.get": ['hq fact assert "Ana Pereira" employer Acme'],
    "fact.retract": ['hq fact assert "Ana Pereira" employer Acme'],
    "freeze.lift": ["hq freeze"],
    "freeze.set": ["hq project create --name Website"],
    "grant.add": [ACME],
    "graph.describe": [ACME],
    "graph.history": [ACME],
    "graph.links": [ACME],
    "graph.link": [ACME, TASK],
    "graph.unlink": [ACME, TASK, "hq link call-ana related_to acme"],
    "graph.why": [TASK],
    "mind.remove": ["hq mind set anthropic"],
    "ask.list": [],
    **{f"ask.{verb}": [dict(EXAMPLES)["proposal.propose"]] for verb in ("answer", "show", "snooze", "withdraw")},
    "proposal.rollback": [
        """hq proposal propose --kind prompt_tweak --change '{"verb": "task.create", "args": {"title": "Write to Ana"}}'""",
        "hq proposal accept prompt-tweak",
    ],
    "task.assign": [TASK, ANA],
    **{f"workspace.{verb}": [APP, "hq workspace begin app1 --session first"] for verb in ("save", "drop")},
    "workspace.merge": [
        APP,
        "hq workspace begin app1 --session first",
        "hq workspace save app1 --session first",
    ],
    "vault.remove": ["echo … | hq vault set anthropic_api_key"],
}
# What says that it waits for somebody's answer. Everything else is done when the command is over.
WAITS = (
    "agent ask",
    "escalation raise",
    "mission counter",
    "mission delegate",
    "mission plan flight-tracker --step One",
    "mission wait",
    "worker wait",
)
STAYS = ("mission.wait", "worker.wait")  # until somebody works, which nobody does here
ANSWERED = ("chat.say", "session.stop")  # what waits until an agent has said something
SESSION = session_verbs.EXAMPLE
WORKER = "2026-11-15T14-32-00_check-disk-usage-on-cube"
BY_ITSELF = ("spend", "create", "log", "propose", "add", "list", "find")
# Parts of other commands, what needs another server (tests/connectors has one), what takes another credential, what
# goes on until it is stopped, and what answers something that was done outside (tests/org does it).
NEEDS_A_SERVER = tuple(f"connector.{verb}" for verb in ("approve", "call", "refresh", "restore", "test"))
# What goes out (tests/channels), what needs an agent or a folder (tests/skills) or a sandbox (tests/workspace), and what is about
# something that was built (tests/rows/test_payoff.py, tests/previews).
ELSEWHERE = (
    "preview.log", "preview.stop",
    "artifact.grep", "artifact.read", "container.exec", "http.request", "skill.export", "skill.grant", "skill.import",
    "skill.revoke", "ssh.exec", "ssh.scan", "web.fetch", "web.search",
)  # fmt: skip
NOT_ALONE = (
    *ELSEWHERE,
    *(name for name in manifest()["verbs"] if find(name).internal),
    *NEEDS_A_SERVER,
    "tenant.create",
    "tools.request",
    "events.tail",
    "chat.follow",
    "memory.replace",  # tests/memory/test_keeping.py has two that contradict each other
    "session.tail",
    "client.show",  # of what was asked; tests/api/test_completions.py has some
    "proposal.rollback",  # of what was accepted; tests/asks has some
    *("run.follow", "run.show"),  # of one that was begun; tests/api/test_jarvis.py has some
    *("agent.handoff", "handoff.history", "handoff.show"),  # of one at work; tests/agents/test_handoff.py has one
    "session.fork",  # of one that has come some way; tests/agents/test_sessions.py has one
    "org.decide",
    "org_intent.sync",
    # A coding program in the sandbox, and what it left; tests/coding runs them.
    *(name for name in manifest()["verbs"] if name.startswith(("code.", "code_run.")) and name != "code_run.list"),
)


def maker(noun: str) -> list[str]:
    """The example by which the thing is made that the other examples of its noun speak of."""
    return [
        line
        for name, line in EXAMPLES
        if name in (f"{noun}.create", f"{noun}.log", f"{noun}.propose", f"{noun}.add", f"{noun}.spend")
    ][:1]


def typed(cli: Shell, line: str, monkeypatch: pytest.MonkeyPatch, **env: str) -> Said:
    if line.startswith("echo … | "):
        line = line.removeprefix("echo … | ")
        monkeypatch.setattr("sys.stdin", io.StringIO("s3cret\n"))
    return cli(*shlex.split(line)[1:], **env)


def test_every_verb_has_an_example() -> None:
    assert {name for name, _ in EXAMPLES} == set(manifest()["verbs"])


@pytest.mark.parametrize(
    ("name", "line"), [e for e in EXAMPLES if e[0] not in (*NOT_ALONE, *ANSWERED)], ids=lambda part: part
)
def test_the_example_works(cli: Shell, monkeypatch: pytest.MonkeyPatch, name: str, line: str) -> None:
    check(cli, monkeypatch, name, line)


@pytest.mark.parametrize(("name", "line"), [e for e in EXAMPLES if e[0] in ANSWERED], ids=lambda part: part)
def test_the_example_works_with_agents(
    working_cli: Shell, monkeypatch: pytest.MonkeyPatch, name: str, line: str
) -> None:
    check(working_cli, monkeypatch, name, line)


def check(cli: Shell, monkeypatch: pytest.MonkeyPatch, name: str, line: str) -> None:
    noun, _, action = name.partition(".")
    needs = NEEDS[name] if name in NEEDS else (maker(noun) if action not in BY_ITSELF and noun != "tenant" else [])
    if action == "restore":
        needs = [*needs, line.replace(" restore ", " archive ")]
    for need in needs:
        assert typed(cli, need, monkeypatch).code == exit_code(need), need
    line = _with_real_names(cli, name, line)
    if name in STAYS:
        line += " --no-wait"

    said = typed(cli, line, monkeypatch)

    assert said.code == exit_code(line), f"{line}\n{said.err}"


def exit_code(line: str) -> int:
    return 4 if line.removeprefix("hq ").startswith(WAITS) else 0


def _with_real_names(cli: Shell, name: str, line: str) -> str:
    """Names that are made at run time in place of those in the example."""
    if CALL in line:
        cli("task", "create", "--title", "Call Ana")
        return line.replace(CALL, cli("action", "list", "-q").lines[0])
    if name.startswith("grant.") and "1f2d3c4b" in line:
        return line.replace(
            "grant-entity-merge-1f2d3c4b", cli("grant", "add", "agent:chief", "entity.merge", "-q").out.strip()
        )
    if name == "mission.revert":
        return line.replace("flight-tracker", cli("mission", "list", "-q").lines[0])
    if name == "session.stop":  # a conversation, which is not over before it is stopped
        cli("agent", "load")
        cli("chat", "What is going on?")
        return line.replace(SESSION, cli("chat", "status", "--json").json["data"]["session"])
    if name.startswith("session.") and SESSION[:-1] in line:
        made = cli("worker", "spawn", "Check disk", "--json").json["data"]["session"]
        return re.sub(SESSION[:-1] + r"\w", made, line)
    if name in ("agent.read", "agent.reply"):
        cli("agent", "load")
        sent = cli("agent", "send", "chief", "Hello", "--json").json["data"]["message"]
        return line.replace(SESSION, sent)
    if name in ("card.press", "card.show"):
        return line.replace(SESSION, cli("card", "list", "--json").json["data"]["items"][0]["id"])
    if name.startswith("agent_incident."):
        return line.replace("some-agent_incident", "circles")
    if name.startswith("worker.") and WORKER in line:
        return line.replace(WORKER, cli("worker", "spawn", "Check disk", "--json").json["data"]["worker"])
    if name.startswith("approval.") and "1f2d3c4b" in line:
        for title in ("Acme", "Acme Inc"):
            cli("entity", "create", "--name", title)
        agent = cli("auth", "token", "--agent", "chief").out.strip()
        waiting = cli("entity", "merge", "acme-inc", "--into", "acme", "-q", HQ_TOKEN=agent).out.strip()
        return line.replace("approve-entity-merge-1f2d3c4b", waiting)
    return line


def test_the_example_of_another_company_works_for_who_installed_it(
    house: House, cli: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = typed(cli, dict(EXAMPLES)["tenant.create"], monkeypatch, HQ_TOKEN=house.token)

    assert said.code == 0, said.err
    assert said.out.startswith("hq_founder_")


def test_the_example_of_an_exchange_works_with_a_login_code(cli: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    code = cli("auth", "login").out.strip().partition("code=")[2]

    said = typed(cli, dict(EXAMPLES)["auth.exchange"], monkeypatch, HQ_TOKEN=code)

    assert said.code == 0, said.err
