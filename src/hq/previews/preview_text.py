"""Text of what was opened: the address, and on a desktop the browser with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless

DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")


def opened(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    if url := data.get("url"):
        yield harmless(url)
        if screen.tty and _browsed(url):
            yield screen.dim("opened in your browser")
        else:
            yield screen.dim("good once, for two minutes, on this machine; `hq mission open` gives another")
        return
    if why := data.get("why"):
        yield harmless(why)
    mission, place = data["mission"], harmless(data["path"])
    shown = place.partition("/files/")[2]
    see = f"`hq mission read-file {mission} {shown}` shows it" if shown else f"`hq mission files {mission}` lists them"
    yield f"{see}; the page has it at {place}"


def _browsed(url: str) -> bool:
    """On a desktop somebody sees it at once; elsewhere a browser of the terminal would be in the way."""
    if sys.platform == "linux" and not any(os.environ.get(each) for each in DESKTOPS):
        return False
    import webbrowser

    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
