"""Databases to migrate."""

from tests.support.databases import empty

__all__ = ["empty"]
