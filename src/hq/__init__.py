"""hq: the operating system for a company of AI agents."""

__version__ = "0.1.0"
