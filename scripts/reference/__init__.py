"""Makes docs/reference/*.md from the code: one module for each page, and the parts they share."""
