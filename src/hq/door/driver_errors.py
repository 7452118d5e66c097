"""Errors of the database driver, in our words. Nobody beyond this file sees an error of Postgres."""

from __future__ import annotations

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout

from hq.errors import Defect, HqError, Outage, Refused

FENCE, HELD_BY_ANOTHER = "journal_fence", "HQ001"


def translated(error: Exception) -> HqError:
    """Driver errors become ours here, once."""
    match error:
        case psycopg.Error(sqlstate=code) if code == HELD_BY_ANOTHER:
            return fenced()
        case PoolTimeout():
            return Outage("every database connection is busy; try again")
        case errors.UniqueViolation():
            return Refused.conflict("something with that name or external id is already there")
        case errors.ForeignKeyViolation():
            return Refused.not_found("something this refers to is not there")
        case errors.DataError() | errors.CheckViolation():
            return Refused.invalid("a value does not fit what is stored there")
        case errors.QueryCanceled():
            return Outage("the database took too long; try again")
        case errors.InsufficientResources() | errors.DiskFull():
            return Outage("the database has run out of room; free some disk space and try again")
        case psycopg.OperationalError() | errors.AdminShutdown() | errors.InterfaceError():
            return Outage("the database does not answer; try again in a moment")
    return as_defect(error)


def fenced() -> Refused:
    return Refused("another worker holds this session by now", code="fenced")


def as_defect(error: Exception) -> HqError:
    return Defect("something went wrong inside hq; `hq logs` has the details", kind=type(error).__name__)
