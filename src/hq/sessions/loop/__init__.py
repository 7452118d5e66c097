"""The loop of a session, and its parts.

`session.py` is the loop, top to bottom. What it works with are four parts: its record (the journal, and the transcript that grows
with it), its door (calls under its own keys), its mind (what that is told, and the asking) and its signals (what others want of it
meanwhile). What differs between an agent at a task, a worker, a conversation and a completion is its kind: `kind.py` says what
holds for an agent at a task, the others what is different for them.
"""
