"""Slugs: readable names that never change."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_GAPS = re.compile(r"[^a-z0-9]+")


def slugify(text: str, limit: int = 60) -> str:
    """`Olá, São João!` becomes `ola-sao-joao`; where no letter is usable, as in `日本`, a short digest stands in."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    slug = _GAPS.sub("-", plain).strip("-")
    if len(slug) > limit:
        slug = slug[:limit].rsplit("-", 1)[0] if "-" in slug[:limit] else slug[:limit]
    if slug or not text.strip():
        return slug or "untitled"
    return "n-" + hashlib.sha256(text.strip().encode()).hexdigest()[:8]
