"""Channels, ways out of the company and into it: HTTP, ssh, web search, webhooks."""

__all__ = (
    "command_result",
    "egress",
    "output_text",
    "ssh",
    "webhooks",
)
