-- name: vectors
-- Of the extension for vectors: whether this database has it, whether the server does, and whether who asks may add it.
select exists (select 1 from pg_extension where extname = 'vector'),
       coalesce(bool_or(true), false),
       coalesce(bool_or(v.trusted and has_database_privilege(current_database(), 'create')), false)
       or (select rolsuper from pg_roles where rolname = current_user) and coalesce(bool_or(true), false)
  from pg_available_extension_versions v where v.name = 'vector';

-- name: history_exists
-- Whether this database was ever migrated.
select to_regclass('public.hq_schema') is not null;

-- name: history
-- Migrations in the order of their numbers. Homes of before hashes were kept do not have all of the columns.
select version, name, applied_at, to_jsonb(s) ->> 'hash' as hash, to_jsonb(s) ->> 'applied_by' as applied_by
  from public.hq_schema s
 order by version, name;

-- name: begin_history
-- The tables that remember what was applied; a start that was cut off may have left them, empty.
drop table if exists public.hq_schema, public.hq_functions;
create table public.hq_schema (
    name       text primary key,
    version    integer not null,
    hash       text not null,
    applied_by text,
    applied_at timestamptz not null default now()
);
create table public.hq_functions (path text primary key, hash text not null);
grant select on public.hq_schema, public.hq_functions to {app};

-- name: adopt_history
-- The tables of a home that remembers numbers and names, in today's shape.
alter table public.hq_schema drop constraint hq_schema_pkey;
alter table public.hq_schema add primary key (name);
alter table public.hq_schema add column hash text;
alter table public.hq_schema add column applied_by text;
grant select on public.hq_schema, public.hq_functions to {app};

-- name: adopt_migration
-- One that is known by its name alone gets the number and the hash of the file of that name.
update public.hq_schema set version = %(version)s, hash = %(hash)s where name = %(name)s;

-- name: adopted
-- From now on none is known without its hash.
alter table public.hq_schema alter column hash set not null;

-- name: record_migration
-- One that was just applied.
insert into public.hq_schema (name, version, hash, applied_by) values (%(name)s, %(version)s, %(hash)s, %(applied_by)s);

-- name: renumber_migration
-- One whose file has another number by now, and the same text.
update public.hq_schema set version = %(version)s where name = %(name)s;

-- name: fingerprint
-- A hash of every column of every table, whatever the order in which they were made.
select encode(sha256(convert_to(string_agg(line, e'\n' order by line collate "C"), 'UTF8')), 'hex')
  from (select concat_ws(' ', n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull) as line
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where n.nspname in ('graph', 'ops') and c.relkind in ('r', 'p')) x;

-- name: functions
-- The files of functions that were applied, and how they read.
select path, hash from public.hq_functions;

-- name: repeatable_functions
-- Functions in our schemas that no migration made and no extension brought: those that the files of functions make.
select p.oid::regprocedure::text
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
 where n.nspname in ('graph', 'ops', 'hq')
   and n.nspname || '.' || p.proname <> all (%(made_by_migrations)s)
   and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

-- name: repeatable_views
-- Views in our schemas that no migration made.
select c.oid::regclass::text
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where n.nspname in ('graph', 'ops')
   and c.relkind = 'v'
   and n.nspname || '.' || c.relname <> all (%(made_by_migrations)s);

-- name: forget_functions
delete from public.hq_functions;

-- name: record_functions
-- A file of functions that was just applied.
insert into public.hq_functions (path, hash) values (%(path)s, %(hash)s);
