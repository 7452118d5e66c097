"""A small server of somebody else's that needs nothing but Python: it does what its tools' arguments say.

It is passed to `python3 -c`, so that it runs where no file of ours is seen.
"""

from __future__ import annotations

import shlex
from typing import Any

PROGRAM = """
import json, os, socket, sys, time
def tell(id, **more): print(json.dumps({"jsonrpc": "2.0", "id": id, **more}), flush=True)
def text(said): return {"content": [{"type": "text", "text": str(said)}]}
for line in sys.stdin:
    asked = json.loads(line)
    id, kind, given = asked.get("id"), asked["method"], asked.get("params", {})
    if id is None: continue
    if kind == "initialize":
        tell(id, result={"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}})
    elif kind == "tools/list": tell(id, result={"tools": TOOLS})
    elif kind != "tools/call": tell(id, error={"code": -32601, "message": "no"})
    elif "say" in given["arguments"]: print(given["arguments"]["say"].replace("ID", str(id)), flush=True)
    else:
        try: tell(id, result=text(eval(given["arguments"]["do"])))
        except Exception as error: tell(id, result=text(repr(error)))
"""


def program(schema: Any = None) -> str:
    """The command that starts it; its one tool is `do`, whose schema may be Python that makes it."""
    takes = schema if isinstance(schema, str) else repr(schema or {"type": "object"})
    tools = f'[{{"name": "do", "inputSchema": {takes}, "annotations": {{"readOnlyHint": True}}}}]'
    return shlex.join(["/usr/bin/python3", "-c", PROGRAM.replace("TOOLS", tools)])
