"""OAuth 2.1 for `/mcp`, as the Model Context Protocol wants it: a client registers, the founder agrees, tokens are hq's own."""
