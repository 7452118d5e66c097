"""JSON as this API writes it: compact, and never at a loss for a character."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response


class JsonResponse(Response):
    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        # A lone surrogate cannot be UTF-8, but its backslash form is exactly JSON's own escape for it.
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "backslashreplace")
