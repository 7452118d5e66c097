"""The founder's business: customers, deals, projects, tasks, invoices, documents, decisions."""
