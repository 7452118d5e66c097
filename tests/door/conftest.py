"""The company with one of everything is at hand here."""

from tests.support.company_of_everything import firm, firm_template

__all__ = ("firm", "firm_template")
