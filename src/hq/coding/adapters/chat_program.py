"""A coding agent in one file: asks a chat model, uses four tools, tells each step on a line of JSON.

Runs in the sandbox with nothing but Python's own library, so it imports nothing of hq. Before each operation it asks on
standard output and reads the answer from standard input; told to wait, it writes its state down and ends.
"""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = "/mission"
SYSTEM = """You are a coding agent. Use the tools to do what is asked; when it is done, say in a few words what you did.
Working directory: /mission
"""
PLAN = "Change nothing: look, and answer with a plan."
TURNS, PATIENCE, OUTPUT = 60, 600, 30_000


def tool(name, says, required, **properties):
    shape = {"type": "object", "properties": {n: {"type": "string", "description": d} for n, d in properties.items()}}
    return {
        "type": "function",
        "function": {"name": name, "description": says, "parameters": {**shape, "required": required}},
    }


LOOKING = [
    tool("Read", "Read a file.", ["file_path"], file_path="Absolute path"),
    tool("Glob", "List files by a pattern such as **/*.py.", ["pattern"], pattern="The pattern"),
    tool("Grep", "Find lines by a regular expression in all files.", ["pattern"], pattern="The expression"),
]
TOOLS = [
    *LOOKING,
    tool("Write", "Write a file, whole.", ["file_path", "content"], file_path="Absolute path", content="All of it"),
    tool("Edit", "Replace a text that occurs once in a file.", ["file_path", "old_string", "new_string"],
         file_path="Absolute path", old_string="What is there", new_string="What shall be there"),
    tool("Bash", "Run a command in a shell.", ["command"], command="The command", description="What it is for"),
]  # fmt: skip


def tell(kind, **more):
    print(json.dumps({"type": kind, **more}), flush=True)


def ask_model(order, messages):
    body = {"model": order["model"], "messages": messages, "tools": LOOKING if order["looking"] else TOOLS}
    request = urllib.request.Request(  # noqa: S310 (the address is the one hq gave)
        order["url"],
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['MODEL_KEY']}"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=PATIENCE) as answer:
        return json.load(answer)["choices"][0]["message"]


def may(name, given):
    tell("may", tool=name, input=given)
    return json.loads(sys.stdin.readline() or '{"decision": "deny", "why": "nobody answered"}')


def use(name, given):
    try:
        return {"Read": read, "Glob": glob, "Grep": grep, "Write": write, "Edit": edit, "Bash": bash}[name](given)
    except (KeyError, TypeError):
        return f"there is no tool {name} that takes this"
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return f"failed: {error}"


def read(given):
    return Path(given["file_path"]).read_text()[:OUTPUT]


def glob(given):
    found = (path for path in sorted(Path(ROOT).glob(given["pattern"])) if ".hq" not in path.parts)
    return "\n".join(map(str, found))[:OUTPUT]


def grep(given):
    command = ["grep", "-rnIE", "--exclude-dir=.hq", "-e", given["pattern"], "."]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False).stdout[:OUTPUT]


def write(given):
    path = Path(given["file_path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(given["content"])
    return f"wrote {path}"


def edit(given):
    path, old = Path(given["file_path"]), given["old_string"]
    text = path.read_text()
    if text.count(old) != 1:
        raise ValueError(f"the text occurs {text.count(old)} times in {path}, not once")
    path.write_text(text.replace(old, given["new_string"]))
    return f"edited {path}"


def bash(given):
    ran = subprocess.run(
        ["/bin/bash", "-c", given["command"]], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    said = (ran.stdout + ran.stderr)[:OUTPUT]
    return said if ran.returncode == 0 else f"exit code {ran.returncode}\n{said}"


def work(order, state):
    """Go on with the conversation until the model calls nothing more, or an operation has to wait."""
    messages, open_calls = state["messages"], state["open"]
    for _ in range(TURNS):
        while open_calls:
            call = open_calls[0]
            name, given = call["function"]["name"], json.loads(call["function"]["arguments"] or "{}")
            answer = may(name, given)
            if answer["decision"] == "ask":
                return ""
            tell("did", tool=name, text=f"{name}: {given.get('command') or given.get('file_path') or ''}")
            result = use(name, given) if answer["decision"] == "allow" else f"not allowed: {answer['why']}"
            tell("got", text=result[:OUTPUT])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
            open_calls.pop(0)
            save(order, state)
        said = ask_model(order, messages)
        messages.append(said)
        if said.get("content"):
            tell("said", text=said["content"])
        open_calls.extend(said.get("tool_calls") or [])
        save(order, state)
        if not open_calls:
            return said.get("content") or ""
    raise ValueError(f"it was not done after {TURNS} turns")


def save(order, state):
    """Whole or not at all: it may be killed at any moment."""
    fresh = Path(order["state"] + ".new")
    fresh.write_text(json.dumps(state))
    fresh.replace(order["state"])


def main():
    order = json.loads(sys.stdin.readline())
    state = {"messages": [{"role": "system", "content": SYSTEM + (PLAN if order["looking"] else "")}], "open": []}
    if order["resume"]:
        state = json.loads(Path(order["state"]).read_text())
    if order["prompt"]:
        for call in state["open"]:  # it was killed under way; to do it again could be once too often
            unknown = "interrupted: whether this was done is not known"
            state["messages"].append({"role": "tool", "tool_call_id": call["id"], "content": unknown})
        state["open"] = []
        state["messages"].append({"role": "user", "content": order["prompt"]})
    try:
        text = work(order, state)
        save(order, state)
    except (OSError, ValueError, KeyError) as error:
        save(order, state)
        tell("over", error=str(error) or type(error).__name__)
        sys.exit(1)
    tell("over", text=text)


if __name__ == "__main__":
    main()
