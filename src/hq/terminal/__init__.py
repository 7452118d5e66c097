"""Terminal output: colours and widths, values, tables and details as text. Loaded at every command, so it loads little."""

__all__ = (
    "detail",
    "screen",
    "table",
    "values",
    "width",
)
