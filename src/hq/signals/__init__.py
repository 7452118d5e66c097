"""What comes in and what it obliges: interactions, conversations, intents, expectations, turns."""
