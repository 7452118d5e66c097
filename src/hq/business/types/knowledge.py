"""Documents, memos, articles, decisions and open concerns (seed 002 §9, knowledge and outputs)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Moment, Name, Node, Relation

_ABOUT = Relation("about", "What it concerns.")
_AUTHOR = Relation("authored_by", "Who wrote it.")


class Document(Node):
    """A file: a PDF, a transcript, an invoice, a contract. What is sent to a customer moves through its states."""

    type = "document"
    timed = True
    title_field = "title"
    moves = {
        "filed": ("draft",),
        "draft": ("filed", "dispatched"),
        "dispatched": ("draft", "executed"),
        "executed": (),
    }
    columns = ("kind", "mime_type", "sent_at")
    relations = {"about": _ABOUT, "author": _AUTHOR, "supersedes": Relation("supersedes", "Document it replaces.")}

    title: Name
    """What the document is called."""
    kind: Literal["file", "pdf", "transcript", "invoice", "contract", "proposal", "report"] = "file"
    """What sort of document it is."""
    status: Literal["filed", "draft", "dispatched", "executed"] = "filed"
    """Whether it is only kept, being written, sent, or signed."""
    path: str | None = None
    """Where the file is, relative to the company's files."""
    url: str | None = None
    """Address where it can be opened."""
    mime_type: str | None = None
    """Media type of the file."""
    size_bytes: int | None = Field(default=None, ge=0)
    """Size of the file."""
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """Hash of the file's content."""
    language: str | None = None
    """Language tag of its text."""
    content_md: str | None = None
    """Its text as markdown, for reading and search."""
    sent_at: Moment | None = None
    """When it was sent to somebody outside."""
    read_at: Moment | None = None
    """When the recipient first opened it, where that is known."""


class Memo(Node):
    """A synthesised text for people: a weekly review, a briefing, the text of a proposal."""

    type = "memo"
    timed = True
    title_field = "title"
    columns = ("kind", "audience", "language")
    relations = {"about": _ABOUT, "author": _AUTHOR}

    title: Name
    """What the memo is called."""
    kind: Literal[
        "wbr", "briefing", "morning_brief", "proposal", "status_report", "post_mortem", "digest", "report", "note"
    ] = "note"
    """What sort of memo it is."""
    content_md: str
    """The text, in plain prose and markdown."""
    audience: str | None = None
    """Who it is written for."""
    language: str | None = None
    """Language tag of the text."""
    period_start: Moment | None = None
    """Start of the time it looks back on."""
    period_end: Moment | None = None
    """End of the time it looks back on."""


class KbArticle(Node):
    """An article of the knowledge base, mirrored from its wiki file."""

    type = "kb_article"
    title_field = "title"
    columns = ("category", "path")
    relations = {"about": _ABOUT}

    title: Name
    """Heading of the article."""
    path: str
    """File it mirrors, relative to the wiki."""
    category: str | None = None
    """Shelf it stands on."""
    content_md: str = ""
    """The article, in markdown."""
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """Hash of the file when it was mirrored."""
    language: str | None = None
    """Language tag of the text."""


class Decision(Node):
    """Something decided, with its reasons, until a later decision supersedes it."""

    type = "decision"
    timed = True
    title_field = "title"
    moves = {
        "proposed": ("accepted", "rejected"),
        "accepted": ("superseded",),
        "rejected": ("proposed",),
        "superseded": ("accepted",),
    }
    occurred = "decided_at"
    columns = ("decided_at",)
    relations = {
        "about": _ABOUT,
        "author": _AUTHOR,
        "supersedes": Relation("supersedes", "Decision it replaces."),
    }

    title: Name
    """What was decided, in one line."""
    status: Literal["proposed", "accepted", "rejected", "superseded"] = "proposed"
    """Whether it holds."""
    context_md: str | None = None
    """What made a decision necessary, in markdown."""
    decision_md: str | None = None
    """What was decided, at length, in markdown."""
    consequences_md: str | None = None
    """What follows from it, in markdown."""
    decided_at: Moment | None = None
    """When it was decided."""


class Risk(Node):
    """Something that may go wrong for a project, deal or mission."""

    type = "risk"
    title_field = "title"
    moves = {
        "open": ("mitigated", "accepted", "materialised", "closed"),
        "mitigated": ("open", "closed"),
        "accepted": ("open", "materialised", "closed"),
        "materialised": ("mitigated", "closed"),
        "closed": ("open",),
    }
    columns = ("likelihood", "impact")
    relations = {"about": _ABOUT}

    title: Name
    """What may go wrong."""
    status: Literal["open", "mitigated", "accepted", "materialised", "closed"] = "open"
    """Where the risk stands."""
    description_md: str | None = None
    """How it would come about, in markdown."""
    likelihood: Literal["low", "medium", "high"] = "medium"
    """How likely it is."""
    impact: Literal["low", "medium", "high"] = "medium"
    """How much it would hurt."""
    mitigation_md: str | None = None
    """What is done against it, in markdown."""


class OpenQuestion(Node):
    """Something nobody knows yet and that a project, deal or mission needs to know."""

    type = "open_question"
    title_field = "question"
    moves = {"open": ("answered", "dropped"), "answered": ("open",), "dropped": ("open",)}
    columns = ("due",)
    relations = {"about": _ABOUT}

    question: str = Field(min_length=1)
    """What is asked."""
    status: Literal["open", "answered", "dropped"] = "open"
    """Whether it is still open."""
    context_md: str | None = None
    """Why it matters, in markdown."""
    answer_md: str | None = None
    """The answer, in markdown."""
    due: Moment | None = None
    """When the answer is needed."""


NODES: tuple[type[Node], ...] = (Document, Memo, KbArticle, Decision, Risk, OpenQuestion)

_SUBJECTS = (
    "entity",
    "contact",
    "engagement",
    "project",
    "feature",
    "task",
    "deliverable",
    "quote",
    "invoice",
    "payment",
    "expense",
    "shopify_order",
    "document",
    "mission",
    "objective",
    "organisation",
    "agent",
)
_WRITERS = ("contact", "agent", "agent_run", "agent_session", "persona")
_REPLACEABLE = ("document", "memo", "kb_article", "decision", "quote")

EDGES = (
    Edge(
        "about",
        "What it concerns.",
        dict.fromkeys(("event", "document", "memo", "kb_article", "decision", "risk", "open_question"), _SUBJECTS),
        by_hand=True,
    ),
    Edge(
        "mentions",
        "What its text names.",
        dict.fromkeys(("document", "memo", "kb_article"), ("entity", "contact", "project", "task", "kb_article")),
        by_hand=True,
    ),
    Edge(
        "authored_by",
        "Who or what wrote it.",
        dict.fromkeys(("document", "memo", "kb_article", "decision", "quote", "deliverable"), _WRITERS),
        evidence=True,
        by_hand=True,
    ),
    Edge(
        "supersedes",
        "What it replaces.",
        {kind: (kind,) for kind in _REPLACEABLE},
        evidence=True,
        inverse="superseded_by",
        by_hand=True,
    ),
    Edge(
        "superseded_by",
        "What replaced it.",
        {kind: (kind,) for kind in _REPLACEABLE},
        inverse="supersedes",
        by_hand=True,
    ),
)
