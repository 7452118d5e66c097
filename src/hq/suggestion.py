"""Suggestions, “Did you mean …?”: the nearest known word to a mistyped one."""

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A ready clause such as `; did you mean 'task'?`, or nothing when no word is near."""
    from difflib import get_close_matches  # seldom needed, and the command line counts milliseconds

    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
