"""Untested: what a test program printed that found nothing to test. Some call that a success."""

from __future__ import annotations

import re

NO_TESTS = re.compile(
    r"^(?:Ran 0 tests in |NO TESTS RAN$|=+ no tests ran in |collected 0 items$|no test files\b)", re.M
)
"""Of unittest (before Python 3.12 it exits 0), pytest and go."""


def ran_no_tests(printed: str) -> bool:
    return NO_TESTS.search(printed) is not None
