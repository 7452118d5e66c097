"""Signals, which come in and oblige: interactions, conversations, intents, expectations, turns."""
