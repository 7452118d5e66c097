"""Arguments that the verbs of every noun take, beside what its type says."""

from __future__ import annotations

from pydantic import Field

from hq.door.verb import Args, MomentText, Ref, first
from hq.graph.types import Moment


class Common(Args):
    """What may be said of any node beside its own properties."""

    tags: list[str] = Field(default_factory=list, max_length=50)
    """Free words to find it by."""
    confidence: float | None = Field(None, ge=0, le=1)
    """How sure we are, from 0 to 1."""
    valid_from: Moment | None = None
    """Since when it is true, if not from now: in the past it corrects, in the future it is planned."""
    valid_to: Moment | None = None
    """Until when it is true."""


class Created(Common):
    slug: str | None = Field(None, pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    """The name it keeps for good; made from its title if left out."""
    external: str | None = Field(None, max_length=300, pattern=r"^[^:]+:.+$")
    """Where else it lives, as `source:id`; the same one twice is refused."""


class Listed(Args):
    tag: str | None = Field(None, max_length=200)
    """Only with this tag."""
    since: MomentText | None = None
    """Only made since then: a date, a time, or 7d for the last seven days."""
    archived: bool = False
    """Archived ones too."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: str | None = Field(None, max_length=60)
    """The `next` of the page before."""


class RefArgs(Args):
    """Which one."""

    ref: Ref = first()
    """Slug or id."""
