"""`/v1`: the company as a model, for whatever speaks OpenAI's protocol. Each request is a session of its own."""
