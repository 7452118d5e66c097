"""By-products of running: what interpreters, test runners and package managers leave lying beside the work. It is kept with the
files, so that what needs it runs, and nobody made it: it is no change, and not listed as one."""

from __future__ import annotations

from fnmatch import fnmatchcase

BY_PRODUCTS = (
    "__pycache__",
    "*.py[cod]",
    "*$py.class",
    "*.egg-info",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".venv",
    ".coverage",
    ".coverage.*",
    "coverage.xml",
    "coverage-final.json",
    "htmlcov",
    "lcov.info",
    "lcov-report",
    ".nyc_output",
    "node_modules",
    "*.tsbuildinfo",
    ".DS_Store",
)
"""Names of such files and directories, wherever they lie."""


def is_by_product(name: str) -> bool:
    """Whether a file or directory of that name, and all below it, is one."""
    return any(fnmatchcase(name, each) for each in BY_PRODUCTS)
