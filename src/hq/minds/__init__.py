"""What answers a prompt: providers' models, local ones, or a script; and which of them answers when."""
