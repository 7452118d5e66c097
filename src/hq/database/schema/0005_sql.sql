-- `hq sql`: a role that may only look at the views of schema `hq`, bound to one tenant by something it cannot alter.
--
-- Whoever runs SQL of their own can change every setting of the session, so the tenant of such a session is not a
-- setting but a ticket: signed here, for one backend, for a short time. Settings that are not signed show nothing.

create table ops.reader_key (
    one       boolean primary key default true check (one),
    inner_key bytea not null,
    outer_key bytea not null
);
alter table ops.reader_key enable row level security;
insert into ops.reader_key (inner_key, outer_key)
select string_agg(uuid_send(gen_random_uuid()), ''), string_agg(uuid_send(gen_random_uuid()), '')
  from generate_series(1, 4);

create function ops.reader_mac(_text text) returns text
    language sql stable
    return (select encode(sha256(k.outer_key || sha256(k.inner_key || convert_to(_text, 'UTF8'))), 'hex')
              from ops.reader_key k);

-- A ticket for the tenant of this transaction, good in one other backend for some seconds.
create function ops.reader_ticket(_backend integer, _seconds integer) returns text
    language sql volatile security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select t.said || '.' || ops.reader_mac(t.said)
      from (select ops.tenant() || '.' || _backend || '.' || (extract(epoch from clock_timestamp())::bigint + _seconds)
                   as said) t;
end;

-- The tenant this session's ticket is for; without a good one, none.
create function ops.reader_tenant() returns uuid
    language plpgsql stable parallel restricted security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    part text[] := string_to_array(current_setting('hq.ticket', true), '.');
begin
    if cardinality(part) is distinct from 4
       or part[4] is distinct from ops.reader_mac(concat_ws('.', part[1], part[2], part[3]))
       or part[2] <> pg_backend_pid()::text
       or part[3]::bigint < extract(epoch from clock_timestamp()) then
        return null;
    end if;
    return part[1]::uuid;
end $$;

revoke all on function ops.reader_mac, ops.reader_ticket, ops.reader_tenant from public;
grant execute on function ops.reader_ticket to {app};
grant execute on function ops.reader_tenant to {reader};

-- The reader may select from these tables but cannot name them: it has no right on their schemas, only on the views.
-- Restrictive, so that no other policy, now or later, shows it a row of another tenant.
do $$
declare
    t regclass;
begin
    foreach t in array array['graph.nodes', 'graph.edges', 'graph.versions', 'ops.agent_actions', 'ops.outbox']::regclass[] loop
        execute format('create policy reader on %s for select to {reader} using (true)', t);
        execute format('create policy reader_tenant on %s as restrictive for select to {reader}'
                       ' using (tenant_id = (select ops.reader_tenant()))', t);
        execute format('grant select on %s to {reader}', t);
    end loop;
end $$;

-- Whoever has the founder's rights has this one too; others get it only when they are given it.
update ops.credentials set scopes = scopes || 'sql'::text
 where 'founder' = any (scopes) and not 'sql' = any (scopes) and not single_use;
