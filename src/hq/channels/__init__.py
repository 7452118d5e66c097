"""Ways out of the house and into it: so far, webhooks."""
