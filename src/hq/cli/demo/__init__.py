"""`hq demo`: a company at work before one's eyes, on a scratch home, with no key and no network."""
