"""Memory: what is remembered, and since when it was true."""
