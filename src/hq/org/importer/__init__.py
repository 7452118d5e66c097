"""From a document to the company: what it would change, whether that may be, and the change itself."""
