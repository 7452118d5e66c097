"""The Makefile's installation: uv trusts what the machine trusts, as pip does, and every step says what it does."""

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
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "step", tmp_path / "scripts")
    for name in ("requirements.txt", "requirements-uv.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, text in (("uv", UV), ("python", PYTHON)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return tmp_path


def installed(checkout: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """An installation in an environment with these settings alone."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    command = ["make", "-C", str(checkout), ".venv/.installed"]
    return subprocess.run(command, env=kept | settings, check=False, capture_output=True, text=True)


def trusted(checkout: Path, **settings: str) -> set[str]:
    """What every run of uv was told to trust."""
    assert installed(checkout, **settings).returncode == 0
    return set((checkout / "trusted").read_text().splitlines())


def test_uv_trusts_the_certificates_of_the_system(checkout: Path):
    assert trusted(checkout) == {"system=1 file="}


def test_what_the_environment_says_counts(checkout: Path):
    assert trusted(checkout, UV_SYSTEM_CERTS="0", SSL_CERT_FILE="/a.pem", PIP_CERT="/b.pem") == {"system=0 file=/a.pem"}


@pytest.mark.parametrize("told", [{"PIP_CERT": "/b.pem"}, {"PIP_SAYS": "/b.pem"}])
def test_what_pip_is_told_to_trust_is_trusted_by_uv_too(checkout: Path, told: dict[str, str]):
    assert trusted(checkout, **told) == {"system=1 file=/b.pem"}


def test_every_step_says_what_it_does(checkout: Path):
    said = installed(checkout)

    lines = [line for line in said.stdout.splitlines() if not line.startswith("make")]
    assert said.returncode == 0 and len(lines) == 3
    assert (
        lines[1].startswith("Installing ") and lines[1].endswith("packages… done") and lines[2] == "Installing hq… done"
    )


def test_where_a_certificate_is_not_known_it_says_how_to_name_one(checkout: Path):
    uv = checkout / ".venv" / "bin" / "uv"
    uv.write_text("#!/bin/sh\necho 'error: invalid peer certificate: UnknownIssuer' >&2; exit 2\n")

    said = installed(checkout)

    assert said.returncode != 0 and "UnknownIssuer" in said.stderr
    assert "SSL_CERT_FILE=/path/to/proxy.pem make up" in said.stderr
