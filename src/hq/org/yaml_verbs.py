"""`hq org export`, `import` and `validate`: an organisation as YAML, out and in again (seed 003 §1.1 to §1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from hq.door.access import EVERYONE, STAFF, Touch
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.rules import invalid
from hq.org import intent
from hq.org.authority import directed
from hq.org.chart import find_organisation, load, lock
from hq.org.content import begin_files, intent_of, set_intent
from hq.org.document.export import document
from hq.org.document.shape import LARGEST, OrgDocument, read
from hq.org.document.yaml_tree import Fault
from hq.org.founders import seat_founders
from hq.org.importer.current_state import look
from hq.org.importer.executor import MODELS, apply
from hq.org.importer.plan import ImportChange, ImportPlan, ImportStep
from hq.org.importer.planner import plan
from hq.org.invariants import in_order
from hq.org.types import Organisation, OrgIntent

TEMPLATES = Path(__file__).with_name("templates")
SHOWN = 50
EXAMPLE = """organisation:
  name: Research
  purpose: research
roles:
  - name: analyst
positions:
  - title: Lead Analyst
    role: analyst
"""


class OrgExportArgs(Args):
    """Which organisation."""

    org: str | None = Field(None, max_length=200)
    """Name, slug or organisation_id; left out, the only one there is."""


class OrgExported(Result):
    slug: str
    document: str
    """The whole organisation as YAML."""


@verb(
    "org.export",
    "read",
    for_=STAFF,
    touches=Touch("org", "organisation", agent="org"),
    examples=[{"org": "Development"}],
    text=".document",
)
async def export(tx: Tx, args: OrgExportArgs) -> OrgExported:
    """An organisation as YAML: its structure from the graph, its intent from the file."""
    org = await find_organisation(tx, args.org)
    return OrgExported(slug=org.slug, document=document(await load(tx, org), (await intent_of(tx, org)).lists))


class OrgValidateArgs(Args):
    """The document."""

    document: str = Field(min_length=1, max_length=LARGEST)
    """An organisation as YAML."""
    as_new: bool = False
    """Take no ids from it: everything but roles and known personas is made anew."""


class Valid(Result):
    valid: bool
    faults: list[str]
    """What has to change before it can be imported, each with its line."""
    warnings: list[str]
    """What is odd but can be."""


@verb("org.validate", "read", for_=EVERYONE, examples=[{"document": EXAMPLE}], text="hq.org.yaml_text:answer")
async def validate(tx: Tx, args: OrgValidateArgs) -> Valid:
    """Check an organisation's YAML before it is imported: cycles, missing roles and seats, unknown keys."""
    found, faults = await _planned(tx, args)
    warnings = [str(fault) for fault in found.warnings] if found else []
    if found and found.displaced:
        warnings += [f"{displaced}; --force displaces" for displaced in found.displaced]
    return Valid(valid=not faults, faults=[str(fault) for fault in faults], warnings=warnings)


class OrgImportArgs(OrgValidateArgs):
    """The document, and how far to go."""

    preview: bool = False
    """Only show what would be created and updated."""
    force: bool = False
    """Where somebody else sits in a seat, unassign them first."""
    atomic: bool = True
    """All or nothing, which it always is."""


class OrgImported(Result):
    slug: str
    created: int
    updated: int
    changes: AsJson[list[ImportChange]]
    """What was or would be made and changed; nothing is ever removed."""
    conflicts: list[str]
    """Who sits where the document puts another; --force displaces them."""
    warnings: list[str]
    preview: bool = False
    """Whether it was only looked at."""


@verb(
    "org.import",
    "write",
    for_=STAFF,
    touches=directed("document", "organisation_document", within="as_new"),
    undo="exact",
    invariant=in_order,
    emits="organisation.imported",
    preview="preview",
    examples=[{"document": EXAMPLE, "preview": True}],
    text="hq.org.yaml_text:preview",
)
async def import_(tx: Tx, args: OrgImportArgs) -> OrgImported:
    """Create or update an organisation from YAML, all or nothing; what it does not mention stays."""
    if not args.atomic:
        raise Refused.invalid("an import is always all or nothing; leave --no-atomic away")
    if not args.preview:
        await lock(tx)
    found, faults = await _planned(tx, args)
    if found is None or faults:
        raise _refused(faults)
    told = _as_result(found)
    if args.preview:
        return told.model_copy(update={"preview": True})
    if found.displaced and not args.force:
        raise Refused.conflict(
            "; ".join(map(str, found.displaced[:SHOWN])), hint="--force unassigns who sits there; --preview shows all"
        )
    org = await carry_out(tx, found)
    tx.target = org
    return told.model_copy(update={"slug": org.slug})


async def carry_out(tx: Tx, found: ImportPlan) -> Stored[Organisation]:
    """Make what was planned, its files too."""
    step = found.organisation
    assert step is not None
    if step.node is None:
        text = intent.first_text(str(step.props["name"]), OrgIntent.model_validate(found.intent or {}))
        step.props |= {"intent_md": text, "intent": intent.parse(text)}
    nodes = await apply(tx, found)
    org: Stored[Organisation] = nodes[step.id] if step.id in nodes else _there(step)
    if step.node is not None and found.intent:
        org = await _new_intent(tx, org, found.intent)
    new = [nodes[each.id] for each in found.personas.values() if each.node is None]
    await begin_files(tx, [org] if step.node is None else [], new)
    return org


def _there(step: ImportStep) -> Stored[Organisation]:
    assert step.node is not None
    return step.node


async def _new_intent(tx: Tx, org: Stored[Organisation], said: dict[str, list[str]]) -> Stored[Organisation]:
    known = await intent_of(tx, org)
    wanted = OrgIntent.model_validate(known.lists.model_dump() | said)
    if wanted == known.lists:
        return org
    return await set_intent(tx, org, intent.rewritten(known.text, wanted))


async def _planned(tx: Tx, args: OrgValidateArgs) -> tuple[ImportPlan | None, list[Fault]]:
    found, faults = read(args.document)
    if found is None:
        return None, faults
    made = await _plan(tx, found, as_new=args.as_new)
    return made, sorted([*faults, *made.faults], key=lambda fault: fault.line)


async def _plan(tx: Tx, found: OrgDocument, *, as_new: bool) -> ImportPlan:
    made = plan(found, await look(tx, found), tx.now, as_new=as_new)
    if not made.faults:
        _check_values(made, found)
    return made


def _check_values(made: ImportPlan, found: OrgDocument) -> None:
    """What the types themselves do not take."""
    for step in made.steps():
        model = MODELS[step.type]
        before = step.node.props.model_dump() if step.node else {}
        try:
            model.model_validate({**before, **step.props})
        except ValidationError as error:
            made.wrong(found.organisation.line, f"{step.name}: {invalid(error, step.type).message}")
        if step.node is not None and (to := step.props.get("status")) and not model.may_move(step.node.status, to):
            made.wrong(found.organisation.line_of("status"), f"{step.name} cannot become {to} from {step.node.status}")


def _refused(faults: Sequence[Fault]) -> Refused:
    said = [str(fault) for fault in faults]
    more = f"\n… and {len(said) - SHOWN} more" if len(said) > SHOWN else ""
    return Refused.invalid(
        "\n".join(said[:SHOWN]) + more,
        hint="nothing was imported; `hq org validate` checks it again",
        faults=said[:SHOWN],
    )


def _as_result(found: ImportPlan) -> OrgImported:
    steps = [step for step in found.steps() if step.change]
    step = found.organisation
    if found.intent and step and step.node is not None:
        known = step.node.props.intent.model_dump()
        changed = sorted(name for name, items in found.intent.items() if items != known[name])
    else:
        changed = []
    intent: list[ImportChange] = (
        [{"change": "update", "type": "intent", "name": "intent.md", "fields": changed}] if changed else []
    )
    return OrgImported(
        slug=(step.node.slug if step and step.node else (step.slug if step else None)) or "",
        created=sum(each.change == "create" for each in steps),
        updated=sum(each.change == "update" for each in steps) + bool(changed),
        changes=[*(each.told() for each in steps), *intent],
        conflicts=[str(displaced) for displaced in found.displaced],
        warnings=[str(fault) for fault in found.warnings],
    )


async def found_from_template(
    tx: Tx, template: str, name: str | None, purpose: str | None, description: str | None
) -> Stored[Organisation]:
    """A new organisation as one of ours begins."""
    found, faults = read((TEMPLATES / f"{template}.yaml").read_text("utf-8"))
    if found is None or faults:
        raise _refused(faults)
    said = {"name": name, "purpose": purpose, "description": description}
    found.organisation.said.update({key: value for key, value in said.items() if value is not None})
    made = await _plan(tx, found, as_new=True)
    if made.faults:
        raise _refused(made.faults)
    org = await carry_out(tx, made)
    await seat_founders(tx, (await load(tx, org)).seats.values())
    return org


VERBS = (export, validate, import_)
