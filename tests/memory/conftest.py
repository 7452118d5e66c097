"""Minds that say what they are told."""

from tests.support.play import play, stage

__all__ = ["play", "stage"]
