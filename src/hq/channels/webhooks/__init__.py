"""Outgoing webhooks: events, signed as standardwebhooks.com has it, to addresses the founder names."""

__all__ = ("sender",)
