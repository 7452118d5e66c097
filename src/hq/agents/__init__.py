"""Agents: who works here. Their files, hiring, control, beats, and what wakes them."""
