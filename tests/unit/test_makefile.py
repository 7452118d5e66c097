"""The Makefile's installation: uv trusts what the machine trusts, as pip does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = '#!/bin/sh\necho "system=$UV_SYSTEM_CERTS file=$SSL_CERT_FILE" >> "$(dirname "$0")/../../trusted"\n'
PYTHON = """#!/bin/sh
case "$*" in
  "-m pip config get global.cert") [ -n "$PIP_SAYS" ] && echo "$PIP_SAYS" || exit 1 ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose uv only notes down what it was to trust."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.txt", "requirements-uv.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, text in (("uv", UV), ("python", PYTHON)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return tmp_path


def trusted(checkout: Path, **settings: str) -> set[str]:
    """What every run of uv was told to trust, in an environment with these settings alone."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    subprocess.run(["make", "-C", checkout, ".venv/.installed"], env=kept | settings, check=True, capture_output=True)
    return set((checkout / "trusted").read_text().splitlines())


def test_uv_trusts_the_certificates_of_the_system(checkout: Path):
    assert trusted(checkout) == {"system=1 file="}


def test_what_the_environment_says_counts(checkout: Path):
    assert trusted(checkout, UV_SYSTEM_CERTS="0", SSL_CERT_FILE="/a.pem", PIP_CERT="/b.pem") == {"system=0 file=/a.pem"}


@pytest.mark.parametrize("told", [{"PIP_CERT": "/b.pem"}, {"PIP_SAYS": "/b.pem"}])
def test_what_pip_is_told_to_trust_is_trusted_by_uv_too(checkout: Path, told: dict[str, str]):
    assert trusted(checkout, **told) == {"system=1 file=/b.pem"}
