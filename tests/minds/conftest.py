"""A provider on this machine, and no keys of anybody's."""

from tests.support.provider import no_keys, provider, running

__all__ = ["no_keys", "provider", "running"]
