"""HTTP: `POST /api/<noun>/<verb>`, made from the verbs; health, metrics, login."""

__all__ = (
    "health",
    "listener",
    "server",
    "start",
)
