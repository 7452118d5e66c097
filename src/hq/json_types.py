"""JSON types: the name of JSON whose keys this house does not fix: a JSON column, a provider's body, a JSON schema, the arguments of any verb.

What has keys of its own is a dataclass or a model instead; where it goes out as JSON, a `TypedDict` (`door/json_shape.py`)."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]
"""A JSON object: what is in it is known to who reads it."""
JsonSchema = JsonObject
"""A JSON Schema, or a part of one."""
