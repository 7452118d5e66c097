"""JSON types: the edges at which JSON is without a shape of ours. The name says which edge it is, and who knows what is in it.

What has keys of its own is a dataclass or a model instead; where it goes out as JSON, a `TypedDict` (`door/json_shape.py`).
`tests/unit/test_json_edges.py` finds a `dict[str, Any]` anywhere else."""

from __future__ import annotations

from typing import Any

CallArgs = dict[str, Any]
"""The arguments of a call by the name of its verb, tool or command: whoever is called has a model or a schema for them."""
CallResult = dict[str, Any]
"""What a call of any verb gave back: the verb's result as JSON."""
Props = dict[str, Any]
"""Properties of a node or a link of any type, or what is to change of them: the catalogue has the model."""
NodeItem = dict[str, Any]
"""A node of any type as it is told: what all of them have, and the columns of its type."""
ModelJson = dict[str, Any]
"""A model of ours as JSON, where it is kept: it was written by `as_json` and is read by that model again."""
StepJson = dict[str, Any]
"""A step of a journal as it is kept: `engine/sessions/steps.py` has a model for each kind."""
EventPayload = dict[str, Any]
"""What an event says: by its topic, or by its name in a stream."""
ErrorDetails = dict[str, Any]
"""What an error says beside its words: by its code."""
JsonSchema = dict[str, Any]
"""A JSON Schema, or a part of one."""
WireBody = dict[str, Any]
"""What goes to or comes from a program that is not ours, in its own protocol: a provider, its clients, an SDK."""
HttpBody = dict[str, Any]
"""The body of a request, before a model of it is made."""
YamlFields = dict[str, Any]
"""What a YAML file of somebody's says, before it is looked at."""
SqlRow = dict[str, Any]
"""A row of a query that somebody wrote: its columns are theirs."""
JsonObject = dict[str, Any]
"""An object of which nobody fixes the keys. It is the last resort: `tests/unit/test_json_edges.py` names who says it, and why."""
