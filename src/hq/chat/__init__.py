"""Chat: the founder's conversation with the CEO or any agent, its lines, its status and its runs."""

__all__ = (
    "agent_status",
    "card_shape",
    "card_text",
    "conversation_text",
    "conversation_view",
    "lines",
    "run_view",
    "status",
    "verbs",
)
