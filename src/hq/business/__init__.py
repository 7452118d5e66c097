"""The founder's business: customers, deals, projects, tasks, invoices, documents, decisions."""

__all__ = (
    "tenant",
    "types",
)
