"""`hq project run`: an agent of one project is put together from the project's files, does a task, and is gone."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

from hq.agents.files.folder import LARGEST, SHARED, AgentFiles
from hq.agents.subagents.rows import SubagentAtWorkRow
from hq.agents.subagents.verbs import SQL, SubagentRan, answer, offered, settled, starter_agent
from hq.business.types import Project
from hq.door.access import AGENTS, Touch
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, Ref, first, verb
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Outage, Refused
from hq.graph.records import Stored
from hq.guard.forecast import of_session
from hq.sessions.workers.spawn import spawner, start
from hq.workspace.project_directory import project_directory
from hq.workspace.types import Workspace
from hq.workspace.verbs import workspace_verbs

TEMPLATE = Path(__file__).parent / "template"
FILES = ("CLAUDE.md", "customer-profile.md", "domain-knowledge.md", "playbook.md", "personality.md", "MEMORY.md")
TOOLS = (
    "graph", "event", "task", "feature", "document", "memory", "memo", "agent", "workspace", "read_file", "write_file", "edit_file",
    "grep", "glob", "container_exec", "code", "subagent", "project", "entity", "engagement", "interaction", "worker",
)  # fmt: skip
READS = ("graph", "project", "entity", "engagement", "interaction")
DAILY = (
    "code_execute", "container_exec", "read_file", "write_file", "edit_file", "grep", "glob", "workspace_begin", "workspace_save",
    "workspace_merge", "task_list", "task_complete", "graph_search", "memory_add", "document_create", "subagent_run", "agent_send",
)  # fmt: skip
TIMEOUT = 3600
REMARK = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class ProjectFiles:
    """`<home>/companies/<company>/projects/<project>/`: made from the template when it is first needed."""

    files: AgentFiles
    company: str
    slug: str

    @property
    def folder(self) -> Path:
        return self.files.companies / self.company / "projects" / self.slug

    def prepare(self, words: dict[str, str]) -> None:
        """Write what is missing; what somebody wrote stays."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for name in FILES:
                text = (TEMPLATE / name).read_text("utf-8")
                for word, meaning in words.items():
                    text = text.replace("{{" + word + "}}", meaning)
                if not (self.folder / name).exists():
                    (self.folder / name).write_text(text, "utf-8")
        except OSError as error:
            raise Outage(f"the project's files cannot be written to {self.folder} ({error})") from error

    def instructions(self) -> str:
        """What all agents are told first, then the project's own files; remarks and empty files are left out."""
        paths = [self.files.folder(self.company) / SHARED / "CLAUDE.md", *(self.folder / name for name in FILES)]
        return "\n\n".join(filter(None, (_file_text(path) for path in paths)))


def _file_text(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return ""
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused.invalid(f"{path} cannot be read ({error}); mend it") from error
    if text.startswith("---\n"):
        text = text.partition("\n---\n")[2]
    text = REMARK.sub("", text).strip()
    return text if "\n" in text or not text.startswith("#") else ""


class ProjectRunArgs(Args):
    """Which project, and what is to be done."""

    project: Ref = first()
    """Slug or id of the project."""
    task: str = first(min_length=1, max_length=20_000)
    """What to do there, and what proves it done."""
    background: bool = False
    """Go on at once; `worker wait` waits for it."""


async def _cost(tx: Tx, args: ProjectRunArgs) -> CostForecast:
    return await of_session(tx, "worker")


@verb(
    "project.run",
    "wait",
    forecast=_cost,
    shows=("background",),
    for_=AGENTS,
    touches=Touch("project", "project_work", ceo="own", operator="own"),
    emits="project.started",
    target="project",
    result_of_wait=settled,
    examples=[{"project": "website", "task": "Fix the typo on the landing page", "background": True}],
    text="hq.sessions.workers.worker_text:ran",
)
async def run(tx: Tx, args: ProjectRunArgs) -> SubagentRan:
    """Have a project's own agent do a task there, and wait for its answer."""
    project = await tx.get(args.project, Project)
    tx.target = project
    if project.archived_at or project.over:
        raise Refused.conflict(f"{project.slug} is {project.status if not project.archived_at else 'archived'}")
    await _check_starter(tx, project.slug)
    space = await _workspace(tx, project.slug)
    text = await _instructions(tx, project, space.slug)
    name = f"project:{project.slug}"
    tools = offered(tx, TOOLS) or []
    worker = await start(
        tx,
        spawner(tx),
        SessionTrigger(
            text=args.task,
            instructions=text,
            tier="default",
            timeout=TIMEOUT,
            subagent=name,
            project=str(project.id),
            workspace=str(space.id),
            daily=list(DAILY),
        ),
        tools,
        reads=[tool for tool in READS if tool in tools],
        acts_as=name,
    )
    return await answer(tx, worker, name, background=args.background)


async def _check_starter(tx: Tx, project: str) -> None:
    """One at a time on a project, and one at a time for an agent, besides its other sub-agents."""
    agent = await starter_agent(tx)
    await tx.conn.execute(SQL["one_at_a_time"], {"agent": "projects"})
    rows = await tx.rows(SQL["at_work"], {"agent": None, "project": None}, into=SubagentAtWorkRow)
    for row in rows:
        if row.subagent == f"project:{project}":
            raise Refused.conflict(
                f"somebody works on {project} already", hint=f"`hq worker wait {row.name}` waits for it"
            )
        if agent is not None and row.project and row.agent == agent.slug:
            raise Refused.conflict(
                f"{agent.slug} already has {row.subagent} at work", hint=f"`hq worker wait {row.name}` waits for it"
            )


async def _workspace(tx: Tx, project: str) -> Stored[Workspace]:
    """The project's own directory, made when it is first worked on."""
    name = project_directory(project)
    known = await tx.look_up(name, Workspace)
    if known is None:
        target = tx.target
        known = await workspace_verbs.make_workspace(
            tx, workspace_verbs.WorkspaceCreateArgs(name=name, category="projects")
        )
        tx.target = target
    return known


async def _instructions(tx: Tx, project: Stored[Project], workspace: str) -> str:
    company = await tx.the_scalar("select slug from ops.tenants where id = ops.tenant()", of=str)
    files = ProjectFiles(tx.use(AgentFiles), company, project.slug)
    words = {
        "slug": project.slug,
        "title": project.props.name,
        "description": project.props.description_md or "",
        "workspace": workspace,
    }
    await asyncio.to_thread(files.prepare, words)
    return await asyncio.to_thread(files.instructions)


VERBS = (run,)
