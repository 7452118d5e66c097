"""Validation of a query: it must be one that reads, without words that look at or act on the server itself.

This is not what keeps companies apart: the reader's role, its ticket and row security do, whatever a query says. It
keeps a query from what every role of a Postgres server may do: to see which queries of the same role are running, to
cancel them, to take locks, to wait.
"""

from __future__ import annotations

import re

from hq.errors import Refused

READS = ("select", "with", "values", "table", "explain")
_COMMENTS = re.compile(r"^(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|\()+", re.DOTALL)
# Searched for in the whole text, in strings and comments too: so nothing hides from it, and no lexer can be fooled.
_SERVER = re.compile(
    r"\b(pg_(?!typeof\b)\w+|set_config|current_setting|information_schema|\w*_to_xml\w*|ts_stat|ts_rewrite|dblink\w*"
    r"|lo_\w+|loread|lowrite|nextval|setval|txid_\w+)\b",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"\bu&\s*[\"']", re.IGNORECASE)


def check(query: str) -> str:
    """The query without its last semicolon; refused where it is none that hq runs."""
    text = query.strip().rstrip(";").rstrip()
    word = first_word(text)
    if word not in READS:
        raise Refused.invalid(
            f"`hq sql` only reads: a query begins with {', '.join(READS[:-1])} or {READS[-1]}"
            + (f", not with {word!r}" if word else "")
        )
    if found := _SERVER.search(text):
        raise Refused.invalid(
            f"{found[0]!r} is about the server, not about the company, so `hq sql` does not take it",
            hint="if it is part of a text you look for, say $1 in the query and the text with --param",
        )
    if _ESCAPED.search(text):
        raise Refused.invalid("`hq sql` takes no U& escapes; write the characters themselves")
    return text


def first_word(text: str) -> str:
    rest = _COMMENTS.sub("", text)
    found = re.match(r"[A-Za-z_]\w*", rest)
    return found[0].lower() if found else ""
