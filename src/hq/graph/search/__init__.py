"""Finding: passages of what is written, indexed by word and by vector, and the ranking of what matches."""
