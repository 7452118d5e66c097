"""The command line: `hq <noun> <verb>`, made from the verbs."""
