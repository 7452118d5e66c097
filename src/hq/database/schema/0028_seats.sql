-- Seats: the assignment is the one fact about who sits where. Agents that were only linked to a position get an assignment,
-- by the persona they are or by one that is made of them; then those links end, as from the last thing that happened in their
-- company. Where somebody else sits, or where the persona was unassigned, the chart said the truth, and nobody is seated.
-- A CEO and an operator who are nobody's persona take the vacant seats that were founded for them.

create function pg_temp.write_version(_kind text, _item uuid, _doc jsonb, _patch jsonb, _op text, _source uuid) returns void
    language sql
as $$
    insert into graph.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, reason, action_id, touched,
                                patch, doc, from_id, to_id)
    values (ops.tenant(), _item, current_setting('hq.now')::timestamptz, current_setting('hq.seq')::bigint, _kind,
            current_setting('hq.now')::timestamptz, _op, 'service:hq', current_setting('hq.reason'),
            current_setting('hq.action')::uuid,
            array(select key from jsonb_object_keys(_patch - 'props') key)
            || array(select 'props.' || key from jsonb_object_keys(coalesce(_patch -> 'props', '{}')) key),
            _patch, _doc, _source, (_doc ->> 'to_id')::uuid)
$$;

create function pg_temp.write_edge(_type text, _source uuid, _target uuid, _producer uuid) returns void
    language plpgsql
as $$
declare
    n   timestamptz := current_setting('hq.now')::timestamptz;
    s   bigint := current_setting('hq.seq')::bigint;
    id_ uuid := gen_random_uuid();
    doc jsonb := jsonb_build_object('to_id', _target, 'live', true, 'props', '{}'::jsonb, 'confidence', null,
                                    'valid_to', null, 'taint', '[]'::jsonb);
    old record;
begin
    select * into old from graph.edges where tenant_id = ops.tenant() and from_id = _source and type = _type and slot;
    if found then
        update graph.edges set to_id = _target, live = true, props = '{}', valid_from = n, valid_to = null, updated_at = n,
               seq = s, action_id = current_setting('hq.action')::uuid, next_change_at = null
         where tenant_id = ops.tenant() and id = old.id;
        id_ := old.id;
    else
        insert into graph.edges (tenant_id, id, type, from_id, to_id, slot, live, valid_from, producer_id, created_at, updated_at,
                                 made_seq, seq, action_id)
        values (ops.tenant(), id_, _type, _source, _target, true, true, n, _producer, n, n, s, s,
                current_setting('hq.action')::uuid);
    end if;
    perform pg_temp.write_version('edge', id_, doc, doc, 'link', _source);
end $$;

create function pg_temp.write_node(_type text, _slug text, _title text, _props jsonb, _producer uuid) returns uuid
    language plpgsql
as $$
declare
    n       timestamptz := current_setting('hq.now')::timestamptz;
    s       bigint := current_setting('hq.seq')::bigint;
    id_     uuid := gen_random_uuid();
    number_ integer;
    slug_   text := coalesce(nullif(trim(both '-' from regexp_replace(lower(_slug), '[^a-z0-9]+', '-', 'g')), ''), _type);
    doc     jsonb := jsonb_build_object('title', _title, 'status', 'active', 'occurred_at', n, 'props', _props,
                                        'tags', '[]'::jsonb, 'taint', '[]'::jsonb, 'redaction_policy', 'none');
begin
    insert into graph.counters as c values (ops.tenant(), _type, 1)
    on conflict (tenant_id, type) do update set value = c.value + 1
    returning c.value into number_;
    slug_ := slug_ || '-' || number_;
    if exists (select from graph.nodes where tenant_id = ops.tenant() and slug = slug_) then
        slug_ := slug_ || '-' || right(replace(id_::text, '-', ''), 8);
    end if;
    insert into graph.nodes (tenant_id, id, type, slug, number, title, status, occurred_at, props, producer_id, valid_from,
                             created_at, updated_at, made_seq, seq, action_id)
    values (ops.tenant(), id_, _type, slug_, number_, _title, 'active', n, _props, _producer, n, n, n, s, s, current_setting('hq.action')::uuid);
    perform pg_temp.write_version('node', id_, doc, doc, 'insert', null);
    return id_;
end $$;

create function pg_temp.seat(_agent uuid, _name text, _about text, _persona uuid, _position uuid, _title text, _role uuid,
                             _role_name text, _producer uuid) returns void
    language plpgsql
as $$
declare
    label text := _name || ' as ' || _title;
    held  uuid;
begin
    if exists (select from graph.edges f join graph.nodes h on h.tenant_id = f.tenant_id and h.id = f.from_id
                where f.tenant_id = ops.tenant() and f.to_id = _position and f.type = 'fills' and f.live and h.status = 'active') then
        return;
    end if;
    if _persona is null then
        _persona := pg_temp.write_node('persona', _role_name || '-' || _name, _name,
                                       jsonb_build_object('name', _name, 'role', left(_role_name, 64), 'description', _about,
                                                          'status', 'active'), _producer);
        if _role is not null then
            perform pg_temp.write_edge('has_role', _persona, _role, _producer);
        end if;
        perform pg_temp.write_edge('embodies', _agent, _persona, _producer);
    end if;
    held := pg_temp.write_node('position_assignment', label, left(label, 300),
                               jsonb_build_object('label', left(label, 500), 'status', 'active',
                                                  'assigned_at', current_setting('hq.now')::timestamptz, 'unassigned_at', null,
                                                  'note', current_setting('hq.reason')), _producer);
    perform pg_temp.write_edge('fills', held, _position, _producer), pg_temp.write_edge('held_by', held, _persona, _producer);
end $$;

do $$
declare
    t    record;
    e    record;
    said jsonb;
begin
    for t in
        select c.id as tenant_id, p.id as principal, p.producer_id as producer, gen_random_uuid() as action,
               (select max(a.created_at) from ops.agent_actions a where a.tenant_id = c.id) as at
          from ops.tenants c
          cross join lateral (select q.id, q.producer_id from ops.principals q
                               where q.tenant_id = c.id and q.producer_id is not null
                               order by q.actor <> 'service:hq', q.kind <> 'founder', q.created_at limit 1) p
         where exists (select from graph.nodes n where n.tenant_id = c.id and n.type = 'position')
    loop
        perform pg_current_xact_id();
        perform set_config('hq.tenant', t.tenant_id::text, true), set_config('hq.action', t.action::text, true),
                set_config('hq.seq', nextval('ops.seq')::text, true),
                set_config('hq.reason', 'who sits where is said by assignments alone', true),
                set_config('hq.now', greatest(t.at, (select max(s.valid_from) from graph.edges s
                                                      where s.tenant_id = t.tenant_id and s.type in ('sits_in', 'embodies')))::text, true);
        for e in
            select s.id, s.from_id as agent, s.to_id as position, a.title as name, a.props ->> 'description' as about, p.title,
                   r.id as role, coalesce(r.props ->> 'name', a.props ->> 'role') as role_name,
                   case when b.live then b.to_id end as persona,
                   a.archived_at is null and a.status <> 'retired' and p.archived_at is null
                   and not exists (
                       select from graph.edges f
                         join graph.nodes h on h.tenant_id = f.tenant_id and h.id = f.from_id and h.archived_at is null
                         join graph.edges o on o.tenant_id = f.tenant_id and o.from_id = h.id and o.type = 'held_by' and o.live
                        where f.tenant_id = s.tenant_id and f.to_id = s.to_id and f.type = 'fills' and f.live
                          and b.live and o.to_id = b.to_id)
                   and not exists (select from graph.nodes w
                                    where w.tenant_id = s.tenant_id and b.live and w.id = b.to_id
                                      and (w.status = 'archived' or w.archived_at is not null)) as to_seat
              from graph.edges s
              join graph.nodes a on a.tenant_id = s.tenant_id and a.id = s.from_id
              join graph.nodes p on p.tenant_id = s.tenant_id and p.id = s.to_id
              left join graph.edges b on b.tenant_id = s.tenant_id and b.from_id = a.id and b.type = 'embodies' and b.slot
              left join graph.edges i on i.tenant_id = s.tenant_id and i.from_id = p.id and i.type = 'has_role' and i.live
              left join graph.nodes r on r.tenant_id = s.tenant_id and r.id = i.to_id
             where s.tenant_id = t.tenant_id and s.type = 'sits_in' and s.live
             order by s.created_at, s.id
        loop
            if e.to_seat then
                perform pg_temp.seat(e.agent, e.name, e.about, e.persona, e.position, e.title, e.role, e.role_name, t.producer);
            end if;
            select v.doc into said from graph.versions v
             where v.tenant_id = t.tenant_id and v.item_id = e.id and v.valid_from <= current_setting('hq.now')::timestamptz
             order by v.valid_from desc, v.seq desc limit 1;
            perform pg_temp.write_version('edge', e.id, said || '{"live": false}', '{"live": false}', 'unlink', e.agent);
            update graph.edges
               set live = false, valid_from = current_setting('hq.now')::timestamptz, updated_at = current_setting('hq.now')::timestamptz,
                   seq = current_setting('hq.seq')::bigint, action_id = t.action, next_change_at = null
             where tenant_id = t.tenant_id and id = e.id;
        end loop;
        perform pg_temp.seat(a.id, a.title, a.props ->> 'description', null, p.id, p.title, p.role, k.role, t.producer)
           from (values ('ceo', 'chief-of-staff'), ('operator', 'operations')) k (kind, role)
           cross join lateral (select n.* from graph.nodes n
                                where n.tenant_id = t.tenant_id and n.type = 'agent' and n.props ->> 'kind' = k.kind
                                  and n.archived_at is null and n.status <> 'retired'
                                order by n.created_at, n.id limit 1) a
           cross join lateral (select n.id, n.title, r.id as role from graph.nodes n
                                 join graph.edges i on i.tenant_id = n.tenant_id and i.from_id = n.id and i.type = 'has_role' and i.live
                                 join graph.nodes r on r.tenant_id = n.tenant_id and r.id = i.to_id and r.props ->> 'name' = k.role
                                where n.tenant_id = t.tenant_id and n.type = 'position' and n.archived_at is null
                                order by n.number limit 1) p
          where not exists (select from graph.edges b
                             where b.tenant_id = t.tenant_id and b.from_id = a.id and b.type = 'embodies' and b.live);
        insert into ops.agent_actions (tenant_id, seq, id, actor, principal_id, trace_id, action_type, kind, input, input_hash,
                                       output_hash, status, duration_ms, reason, created_at)
        select t.tenant_id, current_setting('hq.seq')::bigint, t.action, 'service:hq', t.principal, t.action, 'migration.seats',
               'write', '{}', sha256('{}'), sha256(''), 'ok', 0, current_setting('hq.reason'), current_setting('hq.now')::timestamptz
         where exists (select from graph.versions v where v.tenant_id = t.tenant_id and v.seq = current_setting('hq.seq')::bigint);
    end loop;
    perform set_config(name, '', true)
       from unnest(array['hq.tenant', 'hq.action', 'hq.seq', 'hq.reason', 'hq.now']) name;
end $$;

drop function pg_temp.seat, pg_temp.write_node, pg_temp.write_edge, pg_temp.write_version;
