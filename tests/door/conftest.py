"""The company with one of everything."""

from tests.support.firm_template import firm, firm_template

__all__ = ["firm", "firm_template"]
