"""Finding: passages of what is written, indexed by word and by vector, and the ranking of what matches."""

import os

# A few hundred rows are too little to share among threads; waiting for each other they take longer. Read by numpy when
# it is loaded, which is at the first search.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

__all__ = (
    "embedders",
    "embedding",
    "finder",
    "index_writer",
    "language",
    "query",
    "service",
)
