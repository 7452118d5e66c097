"""Databases to migrate."""

from __future__ import annotations

import uuid

import psycopg
import pytest
from psycopg import sql


@pytest.fixture
def empty(server):
    """An empty database."""
    name = f"hq_empty_{uuid.uuid4().hex[:10]}"
    with psycopg.connect(server.url, autocommit=True) as conn:
        conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        yield server.database(name)
        conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
