-- Who sees only some calls finds the newest of these, however many others there are since.
create index agent_actions_by on ops.agent_actions (tenant_id, principal_id, seq desc);

-- An event is told with whose call it was and what that was about: not everybody is told of everything. `functions.sql` makes
-- it anew.
drop function if exists ops.events_after(uuid, bigint, smallint, bigint, text, integer);

-- `hq sql` shows who does not see everything what `hq` shows them: the ticket says whose things that is, and is signed.
drop function ops.reader_ticket(integer, integer);

-- A ticket for the tenant of this transaction, good in one other backend for some seconds. `_sight` says whose things are seen,
-- of what is not the whole company's: `principals`, `producers` and `parties`, and of which types that is asked: `private`, and
-- by which of their links: `seen_by`. Without it everything is.
create function ops.reader_ticket(_backend integer, _seconds integer, _sight jsonb default null) returns text
    language sql volatile security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select t.said || '.' || ops.reader_mac(t.said)
      from (select ops.tenant() || '.' || _backend || '.' || (extract(epoch from clock_timestamp())::bigint + _seconds)
                   || '.' || coalesce(encode(convert_to(_sight::text, 'UTF8'), 'hex'), '') as said) t;
end;

create or replace function ops.reader_tenant() returns uuid
    language plpgsql stable parallel restricted security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    part text[] := string_to_array(current_setting('hq.ticket', true), '.');
begin
    if cardinality(part) is distinct from 5
       or part[5] is distinct from ops.reader_mac(concat_ws('.', part[1], part[2], part[3], part[4]))
       or part[2] <> pg_backend_pid()::text
       or part[3]::bigint < extract(epoch from clock_timestamp()) then
        return null;
    end if;
    return part[1]::uuid;
end $$;

-- Whose things this session's ticket shows; nothing where it shows everything, and to whom has no good one, who sees no row.
create function ops.reader_sight() returns jsonb
    language sql stable parallel restricted
    set search_path = pg_catalog, pg_temp
begin atomic
    select case when ops.reader_tenant() is not null
                then convert_from(decode(nullif(split_part(current_setting('hq.ticket', true), '.', 4), ''), 'hex'), 'UTF8')::jsonb end;
end;

-- Whether a node is seen: it is the whole company's, one of them made it, or it leads to one of them. As the owner, because
-- links are shown only between nodes that are seen.
create function ops.reader_sees(_id uuid, _type text, _producer uuid, _sight jsonb) returns boolean
    language sql stable parallel restricted security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select _sight is null or not _sight -> 'private' ? _type or _sight -> 'producers' ? _producer::text
        or exists (select 1 from graph.edges e
                    where e.tenant_id = ops.reader_tenant() and e.from_id = _id and e.live
                      and _sight -> 'parties' ? e.to_id::text and _sight -> 'seen_by' ? (_type || ' ' || e.type));
end;

revoke all on function ops.reader_ticket, ops.reader_sight, ops.reader_sees from public;
grant execute on function ops.reader_ticket to {app};
grant execute on function ops.reader_sight, ops.reader_sees to {reader};

create policy reader_sight on graph.nodes as restrictive for select to {reader}
    using ((select ops.reader_sight()) is null or ops.reader_sees(id, type, producer_id, (select ops.reader_sight())));
create policy reader_sight on graph.edges as restrictive for select to {reader}
    using ((select ops.reader_sight()) is null
           or exists (select 1 from graph.nodes n where n.tenant_id = edges.tenant_id and n.id = edges.from_id)
              and exists (select 1 from graph.nodes n where n.tenant_id = edges.tenant_id and n.id = edges.to_id));
create policy reader_sight on graph.versions as restrictive for select to {reader}
    using ((select ops.reader_sight()) is null
           or kind = 'node' and exists (select 1 from graph.nodes n where n.tenant_id = versions.tenant_id and n.id = versions.item_id)
           or kind = 'edge' and exists (select 1 from graph.edges e where e.tenant_id = versions.tenant_id and e.id = versions.item_id));
create policy reader_sight on ops.agent_actions as restrictive for select to {reader}
    using ((select ops.reader_sight()) is null or (select ops.reader_sight()) -> 'principals' ? principal_id::text);
-- Of others' calls an event says too much here, where nobody leaves out what it says.
create policy reader_sight on ops.outbox as restrictive for select to {reader}
    using ((select ops.reader_sight()) is null
           or exists (select 1 from ops.agent_actions a where a.tenant_id = outbox.tenant_id and a.seq = outbox.seq));
