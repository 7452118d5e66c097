"""Calendar words: the days of the week and the months, in English and Portuguese."""

from __future__ import annotations

_WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "segunda terça quarta quinta sexta sábado domingo",
)
_MONTHS = (
    "january february march april may june july august september october november december",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
)
WEEKDAYS = {name: number for names in _WEEKDAYS for number, name in enumerate(names.split())}
"""By name, from Monday as 0."""
MONTHS = {name: number for names in _MONTHS for number, name in enumerate(names.split(), 1)}
