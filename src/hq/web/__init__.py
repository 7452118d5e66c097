"""The pages: rendered here, on the server, from what the verbs answer; a few small modules keep them live."""

__all__ = (
    "assets",
    "house",
    "missions",
    "notice",
    "page_reads",
    "pages",
    "stream_html",
)
