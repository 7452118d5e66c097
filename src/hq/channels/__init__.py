"""Channels, ways out of the company and into it: HTTP, ssh, web search, webhooks."""
