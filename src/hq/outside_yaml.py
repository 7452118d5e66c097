"""YAML from outside, parsed within bounds: how deep and how much it is is known before anything is built of it."""

from __future__ import annotations

from collections.abc import Iterator

import yaml
from yaml import events

from hq.json_types import YamlFields

DEEPEST, MOST_VALUES = 12, 50_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlSyntaxError(Exception):
    """It is no YAML, or none that is taken."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def yaml_events(text: str) -> Iterator[events.Event]:
    """A document, piece by piece: without anchors, of which a few lines unfold to gigabytes, without tags, and neither deep nor
    endless. What comes after the piece at fault is not looked at."""
    depth = 0
    try:
        for number, event in enumerate(yaml.parse(text, Loader=_LOADER)):
            depth += isinstance(event, events.CollectionStartEvent) - isinstance(event, events.CollectionEndEvent)
            line = event.start_mark.line + 1
            if depth > DEEPEST:
                raise YamlSyntaxError(line, "nested too deep; nothing that is asked for is ever that deep")
            if number > MOST_VALUES:
                raise YamlSyntaxError(line, f"more than {MOST_VALUES:,} values; give it in parts")
            if isinstance(event, events.AliasEvent) or getattr(event, "anchor", None) is not None:
                raise YamlSyntaxError(line, "anchors and aliases (& and *) are not taken; write it out")
            if (tag := getattr(event, "tag", None)) not in (None, "!"):
                raise YamlSyntaxError(line, f"the tag {tag} is not taken; leave it out")
            yield event
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise YamlSyntaxError(line, f"the character {error.character!r} is not allowed in YAML") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlSyntaxError(mark.line + 1 if mark else 1, f"not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise YamlSyntaxError(1, f"not YAML: {error}") from error


def yaml_fields(text: str) -> YamlFields:
    """A document of names and values."""
    for _ in yaml_events(text):
        pass
    try:
        said = yaml.load(text, Loader=_LOADER)  # noqa: S506 (a safe one)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise YamlSyntaxError(1, f"not YAML: {' '.join(str(error).split())[:300]}") from error
    if not isinstance(said, dict):
        raise YamlSyntaxError(1, "it says names and values, such as `name: my-skill`")
    return said
