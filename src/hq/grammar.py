"""Grammar of the sentences hq says: the article before a word that is only known when it is said."""


def with_article(word: str) -> str:
    """`an agent`, `a task`."""
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"
