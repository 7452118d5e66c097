"""Slugs: readable names that never change."""

from __future__ import annotations

import re
import unicodedata

_GAPS = re.compile(r"[^a-z0-9]+")


def slugify(text: str, limit: int = 60) -> str:
    """`Olá, São João!` becomes `ola-sao-joao`; text without a usable letter becomes `untitled`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    slug = _GAPS.sub("-", plain).strip("-")
    if len(slug) > limit:
        slug = slug[:limit].rsplit("-", 1)[0] if "-" in slug[:limit] else slug[:limit]
    return slug or "untitled"
