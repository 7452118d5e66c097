"""The file tools: read, write, edit, grep and glob in a session's own working tree."""
