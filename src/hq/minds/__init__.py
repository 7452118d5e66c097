"""Minds, which answer prompts: providers' models, local ones, or a script; and which of them answers when."""
