"""The supervisor, as duties: routing events to agents, beats, nightly rotation, tending memory (002 §19, §22)."""
