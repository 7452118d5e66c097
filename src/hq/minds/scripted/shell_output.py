"""Shell output of df, free and uptime, in a sentence each. Anything else is shown as it came, shortened."""

from __future__ import annotations

import re

_DF = re.compile(r"^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\d+)%\s+(/\S*)\s*$", re.MULTILINE)
_MEM = re.compile(r"^(?:Mem|Mem\.):\s+(\S+)\s+(\S+)\s+(\S+)(?:\s+(\S+)\s+(\S+)\s+(\S+))?\s*$", re.MULTILINE)
_SWAP = re.compile(r"^Swap:\s+(\S+)\s+(\S+)\s+(\S+)\s*$", re.MULTILINE)
_UP = re.compile(
    r"\bup\s+(.{1,80}?),\s+(?:\d+\s+users?,\s+)?load averages?:\s*([\d.,]+?),?\s+([\d.,]+?),?\s+([\d.,]+)\s*$",
    re.MULTILINE,
)
_VIRTUAL = ("tmpfs", "devtmpfs", "udev", "overlay", "shm", "none", "efivarfs")
FULL, TIGHT = 90, 80
LINES = 12


def summary(text: str) -> str:
    """One sentence per thing recognised, worst news first; otherwise the first lines."""
    said = [*_disks(text), *_memory(text), *_uptime(text)]
    if said:
        return "\n".join(said)
    lines = text.strip().splitlines()
    shown = "\n".join(lines[:LINES])
    return (
        shown + (f"\n… and {len(lines) - LINES} more lines" if len(lines) > LINES else "") if lines else "(no output)"
    )


def _disks(text: str) -> list[str]:
    rows = [(int(m[5]), m[6], m[2], m[4]) for m in _DF.finditer(text)]
    real = [(u, p, s, a) for (u, p, s, a), m in zip(rows, _DF.finditer(text), strict=True) if m[1] not in _VIRTUAL]
    rows = sorted(real or rows, key=lambda row: -row[0])
    if not rows:
        return []
    full = [f"{path} is {used} % full with {_size(left)} left" for used, path, _, left in rows if used >= FULL]
    if full:
        return [f"Disk: attention, {'; '.join(full)}."]
    used, path, size, left = rows[0]
    word = "getting tight" if used >= TIGHT else "fine"
    return [f"Disk: {word}; {path} is the fullest at {used} % ({_size(left)} of {_size(size)} left)."]


def _memory(text: str) -> list[str]:
    found = _MEM.search(text)
    if not found:
        return []
    total, used, available = found[1], found[2], found[6] or found[3]
    share = _bytes(used) / _bytes(total) if _bytes(total) else 0.0
    word = "attention, nearly all is used" if share >= 0.92 else "fine"
    swap = _SWAP.search(text)
    swapped = f"; swap in use: {_size(swap[2])}" if swap and _bytes(swap[2]) > 0 else ""
    return [f"Memory: {word}; {_size(used)} of {_size(total)} used, {_size(available)} available{swapped}."]


def _uptime(text: str) -> list[str]:
    found = _UP.search(text)
    if not found:
        return []
    loads = [part.replace(",", ".").rstrip(".") for part in found.groups()[1:]]
    return [f"Up for {found[1].strip()}; load {', '.join(loads)} (1, 5, 15 minutes)."]


_UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def _bytes(size: str) -> float:
    found = re.fullmatch(r"([\d.,]+)\s*([BKMGT]?)i?B?", size)
    if not found:
        return 0.0
    return float(found[1].replace(",", ".")) * _UNITS[found[2]] * (1024 if not found[2] else 1)


def _size(text: str) -> str:
    """df and free count in kilobytes unless asked for something readable."""
    if not text.isdigit():
        return text
    size = int(text) * 1024.0
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TB"
