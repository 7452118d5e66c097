"""Suggestions, “Did you mean …?”: the nearest known word to a mistyped one."""

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A ready clause such as `; did you mean 'task'?`, or nothing when no word is near."""
    near = nearest(word, known)
    return f"; did you mean {near!r}?" if near else ""


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    from difflib import get_close_matches  # seldom needed, and the command line counts milliseconds

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=cutoff)), None)
