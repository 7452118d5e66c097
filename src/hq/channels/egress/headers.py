"""Headers, checked for what they can carry before anything is sent: the protocol's own complaint would repeat the
value."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hq.errors import Refused

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
VALUE = re.compile(r"([!-~]([\t -~]*[!-~])?)?")


def check_headers(headers: Mapping[str, str], secrets: Mapping[str, str]) -> None:
    """Refuse what no header can be. A secret is never shown, not even where it is what does not fit."""
    for name in (*headers, *secrets):
        if not NAME.fullmatch(name):
            raise Refused.invalid(f"{name[:60]!r} is no name of a header; one looks like X-Request-Id")
    for name, value in headers.items():
        if not VALUE.fullmatch(value):
            raise Refused.invalid(
                f"headers: {name} holds a character that no header can carry; write it in plain ASCII"
            )
    for name, value in secrets.items():
        if not VALUE.fullmatch(value):
            raise Refused.conflict(
                f"the secret that is sent as {name} holds a line break or another character that no header can carry",
                hint="`hq vault set` sets it again, without it",
            )
