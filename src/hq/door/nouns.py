"""The verbs that every noun has, made from its type: create, list, show, update, archive, restore, history."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, Optional, TypedDict

from pydantic import BaseModel, Field, create_model

from hq.door.access import EVERYONE, Touch, Who
from hq.door.noun_args import Common, Created, Listed, RefArgs
from hq.door.results import Detail, Page, Row, listing, row
from hq.door.tx import Tx
from hq.door.verb import Args, Gate, Ref, Verb, first, summary_of, verb
from hq.door.verbs.history import GraphHistoryArgs, NodeHistory, history_of
from hq.door.verbs.links import shown_links
from hq.errors import Refused
from hq.grammar import with_article
from hq.graph.moment import check_period, parse_moment
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.graph.types import Node, Relation, choices
from hq.graph.view import EdgeFilter, NodeFilter
from hq.json_types import CallArgs, NodeItem


class Changed(TypedDict):
    """Who may change one, and whose."""

    for_: tuple[Who, ...]
    touches: Touch | tuple[Touch, ...]
    gate: Gate
    speaks: bool


Before = Callable[[Tx, Any], Awaitable[None]]
ArgFields = dict[str, tuple[Any, Any]]
"""Fields for a model of arguments that is made here, by their names: what each takes, and how it is described."""
CLEARABLE = ("valid_to", "confidence")
ASKED_BY = ("assignee", "owner", "project", "mission", "entity")
"""Relations by which lists are mostly asked for: a tool shows those of the filters."""


def nouns(
    model: type[Node],
    *,
    founder_is: Sequence[str] = (),
    examples: Mapping[str, list[CallArgs]] | None = None,
    without: Sequence[str] = (),
    kept: Sequence[str] = (),
    found_by: Sequence[str] = (),
    gate: Gate = "internal",
    speaks: bool = False,
    on_card: Sequence[str] = (),
    before: Mapping[str, Before] | None = None,
    for_: tuple[Who, ...] = EVERYONE,
    made_by: tuple[Who, ...] | None = None,
    touches: Touch | tuple[Touch, ...] = (),
    makes: Touch | tuple[Touch, ...] = (),
    looks: Touch | tuple[Touch, ...] = (),
    said: Sequence[str] = (),
    text: str = "",
) -> tuple[Verb, ...]:
    """The verbs of a type. Relations named in `founder_is` fall to the founder when they are not given; properties
    named in `kept` are said in another way than by create and update; those in `found_by` a list is asked for by, beside those
    with choices. Everyone may look; `for_` says who may change
    one, `made_by` who may make one where that differs, `touches` whose they may change, `makes` whose they may add to, `looks` whose they may look at by name,
    `said` which relations whoever makes one says of it, also where nobody links them by hand later;
    `before` what comes first in one of the verbs, and says so where it has a docstring; `on_card` which of them a
    button may make. `text` tells a person what show found."""
    shown = examples or {}
    changed: Changed = {"for_": for_, "touches": touches, "gate": gate, "speaks": speaks}
    whole: Changed = {**changed, "touches": _by(RefArgs, touches)}
    made = [
        _create(
            model,
            tuple(founder_is),
            shown.get("create", []),
            kept,
            {**changed, "for_": made_by or for_, "touches": makes},
            said,
        ),
        _list(model, shown.get("list", [{}]), found_by),
        replace(_show(model, shown.get("show", []), text), touches=_by(RefArgs, looks)),
        _update(model, shown.get("update", []), kept, changed),
        _archive(model, whole),
        _restore(model, whole),
        replace(_history(model), touches=_by(RefArgs, looks)),
    ]
    steps = before or {}
    wanted = (replace(v, on_card=v.action in on_card) for v in made if v.action not in without)
    return tuple(_after(steps.get(v.action), v) for v in wanted)


def _by(args: type[Args], touches: Touch | tuple[Touch, ...]) -> tuple[Touch, ...]:
    """Of what is touched, that which a verb with these arguments names."""
    every = (touches,) if isinstance(touches, Touch) else touches
    return tuple(touch for touch in every if touch.arg in args.model_fields)


def _after(step: Before | None, verb_: Verb) -> Verb:
    """The verb with a step of its room's before it."""
    if step is None:
        return verb_
    whole = verb_.handler

    @wraps(whole)
    async def both(tx: Tx, args: Any) -> Any:
        await step(tx, args)
        return await whole(tx, args)

    if step.__doc__ is None:
        return replace(verb_, handler=both)
    both.__doc__ = step.__doc__
    return replace(verb_, handler=both, summary=summary_of(step.__doc__))


def _create(
    model: type[Node],
    founder_is: tuple[str, ...],
    examples: list[CallArgs],
    kept: Sequence[str],
    made: Changed,
    said: Sequence[str],
) -> Verb:
    args = _model(
        f"Create{model.__name__}",
        Created,
        f"Create {_a(model)}.",
        **{name: field for name, field in _fields(model).items() if name not in kept},
        **_relations(model),
    )

    async def create(tx: Tx, args: Any) -> Row:
        props = model.model_validate({n: getattr(args, n) for n in model.model_fields if n in args.model_fields_set})
        check_period(args.valid_from or tx.now, args.valid_to)
        external = tuple(args.external.split(":", 1)) if args.external else None
        links = await _links(tx, model, {name: getattr(args, name) for name in model.relations}, founder_is)
        node = await tx.create(
            props,
            links=links,
            tags=args.tags,
            confidence=args.confidence,
            valid_from=args.valid_from,
            valid_to=args.valid_to,
            slug=args.slug,
            external=external,  # type: ignore[arg-type]
        )
        if args.slug and node.slug != args.slug:
            raise Refused.conflict(f"the slug {args.slug!r} is taken; leave --slug away to get a free one")
        tx.target = node
        return row(node)

    return verb(
        f"{model.type}.create",
        "write",
        undo="exact",
        emits=f"{model.type}.created",
        examples=examples,
        draws={name: relation for name, relation in model.relations.items() if name not in said},
        **made,
    )(_typed(create, args, f"Create {_a(model)}."))


def _list(model: type[Node], examples: list[CallArgs], found_by: Sequence[str]) -> Verb:
    filters: ArgFields = {}
    for name in model.model_fields:
        if choices(model, name) or name in ("priority", *found_by):
            annotation = model.model_fields[name].annotation
            filters[name] = (annotation | None, Field(None, description=f"Only with this {name.replace('_', ' ')}."))  # type: ignore[operator]
    args = _model(
        f"List{model.__name__}", Listed, f"List {_plural(model)}.", **filters, **_relations(model, filters=True)
    )

    async def list_(tx: Tx, args: Any) -> Page[NodeItem]:
        props = {
            n: v for n in filters if (v := getattr(args, n)) is not None and n not in (model.state_field, "priority")
        }
        wanted = NodeFilter(
            types=[model.type],
            status=getattr(args, model.state_field, None) if model.moves else None,
            priority=getattr(args, "priority", None),
            props=props,
            tag=args.tag,
            archived=args.archived,
            since=parse_moment(args.since, tx.true_at) if args.since else None,
            after=(await tx.get(args.after, model)).id if args.after else None,
            limit=args.limit + 1,
            related=[
                EdgeFilter(relation.edge, (await tx.get(ref)).id, relation.inward)
                for name, relation in model.relations.items()
                if (ref := getattr(args, name))
            ],
        )
        return listing(await tx.find(wanted), args.limit)

    shows = tuple(name for name in (model.state_field, *ASKED_BY) if name in args.model_fields)[:3]
    return verb(f"{model.type}.list", "read", for_=EVERYONE, shows=(*shows, "limit"), examples=examples)(
        _typed(list_, args, f"List {_plural(model)}, newest first.")
    )


def _show(model: type[Node], examples: list[CallArgs], text: str) -> Verb:
    async def show(tx: Tx, args: RefArgs) -> Detail:
        node = await tx.get(args.ref, model)
        tx.target = node
        return Detail.model_validate(node.full() | await shown_links(tx, node))

    return verb(f"{model.type}.show", "read", for_=EVERYONE, target="ref", examples=examples, text=text)(
        _typed(show, RefArgs, f"Show one {_words(model)} with its links.")
    )


def _update(model: type[Node], examples: list[CallArgs], kept: Sequence[str], changed: Changed) -> Verb:
    optional = {
        name: (info.annotation | None, Field(None, description=info.description))  # type: ignore[operator]
        for name, info in model.model_fields.items()
        if name not in kept
    }
    args = _model(
        f"Update{model.__name__}",
        Common,
        f"Change {_a(model)}; what is not named stays.",
        ref=(Ref, first(description="Slug or id.")),
        clear=(list[str], Field(default_factory=list, description="Properties to empty; valid_to and confidence too.")),
        **{k: v for k, v in optional.items() if k not in ("ref", "clear")},
        **_relations(model),
    )

    async def update(tx: Tx, args: Any) -> Row:
        node = await tx.get(args.ref, model)
        tx.target = node
        changes = {
            n: getattr(args, n)
            for n in model.model_fields
            if n in args.model_fields_set and getattr(args, n) is not None
        }
        if args.valid_to:
            check_period(args.valid_from or await tx.began(node), args.valid_to)
        emptied = {name for name in args.clear if name in CLEARABLE and name not in model.model_fields}
        for name in set(args.clear) - emptied:
            if name not in model.model_fields or name in kept:
                raise Refused.invalid(f"{with_article(model.type)} has no property {name!r} to clear")
            changes[name] = model.model_fields[name].get_default(call_default_factory=True)
        said = {"tags", "confidence", "valid_to"} & args.model_fields_set
        if changes or said or emptied:
            before = node.status
            node = await tx.change(
                node,
                changes,
                tags=args.tags if "tags" in said else None,
                confidence=args.confidence,
                valid_from=args.valid_from,
                valid_to=args.valid_to,
                clear=emptied,
            )
            _tell_status(tx, node, before)
        related = [name for name in model.relations if getattr(args, name)]
        for name in related:
            await _relate(tx, node, model.relations[name], getattr(args, name), args.valid_from)
        if not changes and not said and not emptied and not related:
            raise Refused.invalid(f"nothing to change; `hq {model.type} update --help` lists what can be")
        return row(node)

    return verb(
        f"{model.type}.update",
        "write",
        undo="exact",
        emits=f"{model.type}.updated",
        target="ref",
        examples=examples,
        draws=model.relations,
        **changed,
    )(_typed(update, args, f"Change {_a(model)}; what is not named stays."))


def _archive(model: type[Node], changed: Changed) -> Verb:
    async def archive(tx: Tx, args: RefArgs) -> Row:
        node = await tx.archive(await tx.get(args.ref, model))
        tx.target = node
        return row(node)

    return verb(
        f"{model.type}.archive",
        "write",
        undo="exact",
        emits=f"{model.type}.archived",
        target="ref",
        **changed,
    )(_typed(archive, RefArgs, f"Put {_a(model)} out of sight; nothing is lost."))


def _restore(model: type[Node], changed: Changed) -> Verb:
    async def restore(tx: Tx, args: RefArgs) -> Row:
        node = await tx.restore(await tx.get(args.ref, model))
        tx.target = node
        return row(node)

    return verb(
        f"{model.type}.restore", "write", undo="exact", emits=f"{model.type}.restored", target="ref", **changed
    )(_typed(restore, RefArgs, f"Bring an archived {_words(model)} back."))


def _history(model: type[Node]) -> Verb:
    async def history(tx: Tx, args: GraphHistoryArgs) -> NodeHistory:
        node = await tx.get(args.ref, model)
        tx.target = node
        return await history_of(tx, node, args.limit)

    text = "hq.door.history_text:history"
    return verb(f"{model.type}.history", "read", for_=EVERYONE, target="ref", text=text)(
        _typed(history, GraphHistoryArgs, f"Every change of {_a(model)}: what, when, by whom, why.")
    )


async def _links(
    tx: Tx, model: type[Node], named: Mapping[str, str | list[str] | None], founder_is: tuple[str, ...]
) -> list[NewLink]:
    """The links a new node begins with: those that were named, and the founder where nobody was."""
    wanted = [(relation, ref) for name, relation in model.relations.items() for ref in _several(named[name])]
    others = await tx.get_all([ref for _, ref in wanted])
    links = [
        NewLink(relation.edge, other, relation.inward) for (relation, _), other in zip(wanted, others, strict=True)
    ]
    founder = await tx.founder() if any(not named[name] for name in founder_is) else None
    return links + [
        NewLink(model.relations[name].edge, founder, model.relations[name].inward)
        for name in founder_is
        if founder and not named[name]
    ]


def _several(refs: str | list[str] | None) -> list[str]:
    return [refs] if isinstance(refs, str) else refs or []


async def _relate(tx: Tx, node: Stored[Any], relation: Relation, refs: str | list[str], since: Any) -> None:
    for ref in _several(refs):
        other = await tx.get(ref)
        source, target = (other, node) if relation.inward else (node, other)
        await tx.link(source, relation.edge, target, valid_from=since)


def _tell_status(tx: Tx, node: Stored[Any], before: str | None) -> None:
    if node.status != before:
        tx.emit(f"{node.type}.status_changed", slug=node.slug, id=str(node.id), before=before, after=node.status)


def _model(name: str, base: type[Args], doc: str, /, **fields: Any) -> type[Args]:
    # Docstrings of fields are read from source, and a model made here has none of its own.
    return create_model(name, __base__=base, __doc__=doc, __cls_kwargs__={"use_attribute_docstrings": False}, **fields)


def _fields(model: type[BaseModel]) -> ArgFields:
    return {name: (info.annotation, info) for name, info in model.model_fields.items()}


def _relations(model: type[Node], *, filters: bool = False) -> ArgFields:
    made: ArgFields = {}
    for name, relation in model.relations.items():
        says = f"{'Only with: ' if filters else ''}{relation.meaning.rstrip('.')} (slug or id)."
        several = relation.many and not filters
        made[name] = (
            (list[Ref], Field(default_factory=list, max_length=100, description=says))
            if several
            else (Optional[Ref], Field(None, description=says))  # noqa: UP045 (an Annotated alias has no `|`)
        )
    return made


def _typed(handler: Any, args: type[Args], summary: str) -> Any:
    """Give a handler made here the signature and the docstring a written one would have."""
    handler.__annotations__["args"] = args
    handler.__doc__ = summary
    return handler


def _a(model: type[Node]) -> str:
    return with_article(_words(model))


def _words(model: type[Node]) -> str:
    return model.type.replace("_", " ")


def _plural(model: type[Node]) -> str:
    word = _words(model)
    return model.plural or (word[:-1] + "ies" if word.endswith("y") else word + "s")
