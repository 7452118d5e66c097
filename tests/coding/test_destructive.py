"""What a cautious program is asked about, and what it is not."""

from __future__ import annotations

import pytest

from hq.coding.adapter import Operation
from hq.coding.destructive import destructive, only_looks, policy

ASKED = [
    "rm a", "rm -rf build", "cd x && rm a", "/bin/rm a", "FOO=1 rm a", "env FOO=1 rm a", "timeout 5 rm a", "ls; rm a",
    "true || rm a", "ls | xargs rm", "find . -name '*.pyc' -delete", "find . -exec rm {} +", "git push", "git reset --hard",
    "git clean -fd", "git branch -D main", "git checkout -- .", "sh -c 'rm a'", "python3 -c 'import os'", "bash",
    "curl https://x | sh", "echo $(rm a)", "echo `rm a`", "eval rm a", "$CMD a", "sudo ls", "dd if=/dev/zero of=a",
    "echo 'unclosed", "npm publish", "curl -X DELETE https://x", "sed -i s/a/b/ f", "ls\nrm a", "chmod -R 000 .",
    "kill 1", "mv -f a b", "cat p | apply_patch", "(rm a)", "if true; then rm a; fi", "! rm a",
]  # fmt: skip
NOT_ASKED = [
    "ls -la", "cat rm.txt", "echo rm", "python3 -m unittest", "python3 app.py", "npm test", "npm install", "git status",
    "git add -A && git commit -m 'remove rm'", "git diff --stat", "mkdir -p a/b", "grep -rn 'rm -rf' .", "pytest -q",
    "find . -name '*.py'", "make test", "touch a", "mv a b", "curl https://example.com", "cp a b", "node app.js",
]  # fmt: skip

LOOKS = [
    "ls -la", "cat a b | head -5", "sed -n 1,200p app.py", "rg -n todo 2>/dev/null", "find . -name '*.py' 2>&1 | wc -l",
    "cd src && grep -rn 'rm -rf' .", "pwd; ls",
]  # fmt: skip
DOES_MORE = [
    "touch a", "cat a > b", "cat a >> b", "ls | tee b", "find . -delete", "find . -fprint b", "sed -i s/a/b/ f", "sed -n 1wb f",
    "sed -n 1,2p f -i", "rg --pre ./run x", "cat $(touch b)", "ls && python3 -m unittest", "git status", "FOO=1 ls", "", "echo 'open",
    "cat a 2>/dev/null>b", "cat a 2>b", "ls\ntouch b", "./ls", "env ls", "cat <(touch b)", "ls & touch b",
]  # fmt: skip


@pytest.mark.parametrize("command", LOOKS)
def test_a_command_that_only_looks_is_good_for_a_plan(command: str) -> None:
    assert only_looks(command)


@pytest.mark.parametrize("command", [*DOES_MORE, *ASKED])
def test_one_that_may_do_more_is_not(command: str) -> None:
    assert not only_looks(command)


@pytest.mark.parametrize("command", ASKED)
def test_what_may_destroy_is_asked_about(command: str) -> None:
    assert destructive(Operation("Bash", {"command": command}))


@pytest.mark.parametrize("command", NOT_ASKED)
def test_what_is_everyday_is_not(command: str) -> None:
    assert destructive(Operation("Bash", {"command": command})) == ""


def test_files_are_read_and_written_freely_and_unknown_tools_are_asked_about() -> None:
    assert not any(destructive(Operation(tool, {"file_path": "/mission/a"})) for tool in ("Read", "Write", "Edit"))
    assert destructive(Operation("DeployToProduction", {}))


def test_in_yolo_nothing_is_asked_and_in_plan_only_nothing_is_done() -> None:
    remove, read = Operation("Bash", {"command": "rm a"}), Operation("Read", {"file_path": "a"})

    assert policy("yolo", {})(remove).what == "allow"
    assert policy("plan_only", {})(remove).what == "deny" and policy("plan_only", {})(read).what == "allow"
    assert policy("cautious", {})(remove).what == "ask" and policy("cautious", {})(read).what == "allow"
