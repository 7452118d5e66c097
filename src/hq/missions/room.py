"""The front of the room `missions`: what it brings."""

from __future__ import annotations

from hq.agents.hire import HireHook
from hq.messages.post import WorkHook
from hq.missions import (
    acceptance,
    assignment,
    closure,
    creation,
    dependency,
    evidence,
    files,
    follow_up,
    job,
    legacy_asks,
    loans,
    notes,
    objectives,
    openspec_import,
    overview,
    plan,
    progress,
    revision,
    rights_verbs,
    start_offer,
    suspension,
    types,
    wait,
)
from hq.missions.briefs import verbs as briefs
from hq.missions.checks import AddressProbe
from hq.missions.delegation import verbs as delegation
from hq.missions.escalation import answers
from hq.missions.escalation import verbs as escalation
from hq.missions.owners import (
    owner_of_assignment,
    owner_of_escalation,
    owner_of_imported,
    owner_of_mission,
    owner_of_party,
    owner_of_raised_escalation,
)
from hq.missions.risk import AssignmentRisk, CheckRisk
from hq.missions.work_start import meant, open_at_work
from hq.room import Room
from hq.sessions.work_hook import OpenWork
from hq.skills.held import SkillLoans

ROOM = Room(
    name="missions",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(
        *creation.VERBS,
        *revision.VERBS,
        *briefs.VERBS,
        *assignment.VERBS,
        *rights_verbs.VERBS,
        *acceptance.VERBS,
        *plan.VERBS,
        *suspension.VERBS,
        *evidence.VERBS,
        *closure.VERBS,
        *follow_up.VERBS,
        *files.VERBS,
        *progress.VERBS,
        *overview.VERBS,
        *wait.VERBS,
        *dependency.VERBS,
        *notes.VERBS,
        *openspec_import.VERBS,
        *objectives.VERBS,
        *delegation.VERBS,
        *escalation.VERBS,
        *legacy_asks.VERBS,
    ),
    owners={
        "mission": owner_of_mission,
        "assignment": owner_of_assignment,
        "party": owner_of_party,
        "imported": owner_of_imported,
        "escalation": owner_of_escalation,
        "raised_escalation": owner_of_raised_escalation,
    },
    kinds=(*answers.KINDS, *plan.KINDS, *acceptance.KINDS, *start_offer.KINDS, *delegation.KINDS),
    jobs=job.JOBS,
    policies=(AssignmentRisk, CheckRisk),
    services=(
        lambda _: AddressProbe(),
        lambda _: HireHook(assign="mission.assign"),
        lambda _: SkillLoans(loans.lent),
        lambda _: WorkHook(meant, open_at_work),
        lambda _: OpenWork(suspension.left_in_hand),
    ),
    sql=("life.sql", "functions.sql"),
)
