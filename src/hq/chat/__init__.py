"""Chat: the founder's conversation with the CEO or any agent, its lines, its status and its runs."""
