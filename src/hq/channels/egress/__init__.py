"""The one way out over HTTP: where a request may go, and how little of the answer is trusted."""

__all__ = (
    "address",
    "headers",
)
