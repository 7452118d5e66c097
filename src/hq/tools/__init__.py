"""Tools for models: the verbs and other servers' tools that a credential may use, in any SDK's format."""
