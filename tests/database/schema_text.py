"""A database's schema as text, to compare two."""

from __future__ import annotations

import psycopg

from hq.database.address import Address


def schema_of(address: Address) -> str:
    """Everything the catalogue of Postgres says of our schemas, in a stable order."""
    with psycopg.connect(address.url) as conn:
        parts = conn.execute(
            """
            select 'column', c.oid::regclass::text, a.attname, format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull
                   || coalesce(' ' || pg_get_expr(d.adbin, d.adrelid), '')
              from pg_class c join pg_namespace n on n.oid = c.relnamespace
              join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
             where n.nspname in ('graph', 'ops') and c.relkind in ('r', 'v', 'p')
            union all
            select 'index', indexrelid::regclass::text, '', pg_get_indexdef(indexrelid) from pg_index i
              join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
             where n.nspname in ('graph', 'ops')
            union all
            select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(c.oid) from pg_constraint c
              join pg_namespace n on n.oid = c.connamespace where n.nspname in ('graph', 'ops')
            union all
            select 'function', p.oid::regprocedure::text, coalesce(p.proacl::text, ''), pg_get_functiondef(p.oid) from pg_proc p
              join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('graph', 'ops')
            union all
            select 'policy', polrelid::regclass::text, polname, pg_get_expr(polqual, polrelid) from pg_policy
            union all
            select 'grant', c.oid::regclass::text, '', coalesce(relacl::text, '') from pg_class c
              join pg_namespace n on n.oid = c.relnamespace where n.nspname in ('graph', 'ops')
            order by 1, 2, 3, 4
            """
        ).fetchall()
    return "\n".join("|".join(map(str, part)) for part in parts)
