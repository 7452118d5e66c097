"""Provider APIs: the scripted mind over HTTP, in the words of the providers' own interfaces."""

__all__ = ("server",)
