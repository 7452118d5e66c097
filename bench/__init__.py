"""What the numbers of the design are measured with: `python -m bench` lists the benchmarks, `make bench` runs one."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""Where `python -m bench` works."""
