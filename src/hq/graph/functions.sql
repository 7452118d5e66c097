-- The only ways a node or an edge changes. Each runs as the owner, for the tenant of the transaction, and writes
-- history in the same breath. Who, why, when and in which call come from the settings `ops.open_call` made.
--
-- An item is a fold: its change points in order of `valid_from`, each with a patch, give what it looks like from
-- there on. Saying something new, late or planned, sets one point's patch and folds the later points again.

create or replace function graph.merged(_doc jsonb, _patch jsonb) returns jsonb
    language sql immutable parallel safe
    return (_doc || (_patch - 'props'))
        || jsonb_build_object('props', coalesce(_doc -> 'props', '{}') || coalesce(_patch -> 'props', '{}'));

-- The names of what a patch says: `status`, `props.city`.
create or replace function graph.names(_patch jsonb) returns text[]
    language sql immutable parallel safe
    return array(select key from jsonb_object_keys(_patch - 'props') key)
        || array(select 'props.' || key from jsonb_object_keys(coalesce(_patch -> 'props', '{}')) key);

-- `_now` with every key that `_mine` made different from `_before` put back to how `_before` had it.
create or replace function graph.put_back(_now jsonb, _mine jsonb, _before jsonb) returns jsonb
    language sql immutable parallel safe
    return (select coalesce(jsonb_object_agg(k, v), '{}')
              from (select k, case when _mine -> k is distinct from _before -> k then _before -> k else _now -> k end as v
                      from (select jsonb_object_keys(_now) union select jsonb_object_keys(_before)) keys(k)) each
             where v is not null);

-- Let the change point of an item at `_from` say exactly `_patch`, and fold every later point again.
-- Returns how the item looks now: its document, since when, and when it changes next.
create or replace function graph.set_point(_kind text, _item uuid, _from timestamptz, _patch jsonb, _touched text[],
                                           _op text, _source uuid,
                                           out doc jsonb, out since timestamptz, out next timestamptz)
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
declare
    t      uuid := ops.tenant();
    n      timestamptz := current_setting('hq.now')::timestamptz;
    point  record;
    folded jsonb;
begin
    select v.doc into folded from graph.versions v
     where v.tenant_id = t and v.item_id = _item and v.valid_from < _from
     order by v.valid_from desc, v.seq desc limit 1;
    if folded is null then
        -- Before anything that was known: whatever is not said now is as it was when it was first known.
        select v.doc into folded from graph.versions v
         where v.tenant_id = t and v.item_id = _item and v.valid_from > _from
         order by v.valid_from, v.seq desc limit 1;
    end if;
    folded := coalesce(folded, '{}');
    for point in
        select _from as valid_from, _patch as patch, null::jsonb as doc, _op as op, _touched as touched
        union all
        (select distinct on (v.valid_from) v.valid_from, v.patch, v.doc, 'carry', '{}'::text[]
           from graph.versions v
          where v.tenant_id = t and v.item_id = _item and v.valid_from > _from
          order by v.valid_from, v.seq desc)
    loop
        folded := graph.merged(folded, point.patch);
        exit when folded = point.doc;
        insert into graph.versions as v (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, reason,
                                         action_id, touched, patch, doc, from_id, to_id)
        values (t, _item, point.valid_from, current_setting('hq.seq')::bigint, _kind, n, point.op,
                current_setting('hq.actor'), current_setting('hq.reason'), current_setting('hq.action')::uuid,
                point.touched, point.patch, folded, _source, (folded ->> 'to_id')::uuid)
        -- Twice in one call at one point: still one row of history.
        on conflict (tenant_id, item_id, valid_from, seq)
        do update set patch = excluded.patch, doc = excluded.doc, to_id = excluded.to_id,
                      op = case when v.op = 'carry' then excluded.op else v.op end,
                      touched = array(select distinct unnest(v.touched || excluded.touched));
    end loop;
    select v.doc, v.valid_from into doc, since from graph.versions v
     where v.tenant_id = t and v.item_id = _item and v.valid_from <= n
     order by v.valid_from desc, v.seq desc limit 1;
    select v.valid_from into next from graph.versions v
     where v.tenant_id = t and v.item_id = _item and v.valid_from > n
     order by v.valid_from limit 1;
end $$;

-- Say `_patch` of an item from `_from` on, beside what its change point there already says.
create or replace function graph.say(_kind text, _item uuid, _from timestamptz, _patch jsonb, _op text, _source uuid,
                                     out doc jsonb, out since timestamptz, out next timestamptz)
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
declare
    said jsonb;
begin
    select v.patch into said from graph.versions v
     where v.tenant_id = ops.tenant() and v.item_id = _item and v.valid_from = _from order by v.seq desc limit 1;
    select p.doc, p.since, p.next into doc, since, next
      from graph.set_point(_kind, _item, _from,
                           case when said is null then _patch else graph.merged(said, _patch) end,
                           graph.names(_patch), _op, _source) p;
end $$;

create or replace function graph.texts(_list jsonb) returns text[]
    language sql immutable parallel safe
    return array(select jsonb_array_elements_text(coalesce(_list, '[]')));

-- Bring the current row of an item in line with its document. What is still to come shows as it will begin.
create or replace function graph.show(_kind text, _id uuid, _doc jsonb, _since timestamptz, _next timestamptz)
    returns void
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
declare
    n timestamptz := current_setting('hq.now')::timestamptz;
    s bigint := current_setting('hq.seq')::bigint;
    a uuid := current_setting('hq.action')::uuid;
begin
    if _doc is null then
        select v.doc, v.valid_from into _doc, _since from graph.versions v
         where v.tenant_id = ops.tenant() and v.item_id = _id order by v.valid_from, v.seq desc limit 1;
    end if;
    if _kind = 'node' then
        update graph.nodes x
           set title = coalesce(_doc ->> 'title', x.title), status = _doc ->> 'status', priority = _doc ->> 'priority',
               occurred_at = (_doc ->> 'occurred_at')::timestamptz,
               archived_at = (_doc ->> 'archived_at')::timestamptz, props = coalesce(_doc -> 'props', '{}'),
               tags = graph.texts(_doc -> 'tags'), owner_id = (_doc ->> 'owner_id')::uuid,
               external_source = _doc ->> 'external_source', external_id = _doc ->> 'external_id',
               valid_from = coalesce(_since, x.valid_from), valid_to = (_doc ->> 'valid_to')::timestamptz,
               redaction_policy = coalesce(_doc ->> 'redaction_policy', 'none'),
               confidence = (_doc ->> 'confidence')::real, taint = graph.texts(_doc -> 'taint'),
               next_change_at = _next, updated_at = n, seq = s, action_id = a
         where x.tenant_id = ops.tenant() and x.id = _id;
    else
        update graph.edges x
           set to_id = coalesce((_doc ->> 'to_id')::uuid, x.to_id), live = coalesce((_doc ->> 'live')::boolean, false),
               props = coalesce(_doc -> 'props', '{}'), confidence = (_doc ->> 'confidence')::real,
               valid_from = coalesce(_since, x.valid_from), valid_to = (_doc ->> 'valid_to')::timestamptz,
               taint = graph.texts(_doc -> 'taint'), next_change_at = _next, updated_at = n, seq = s, action_id = a
         where x.tenant_id = ops.tenant() and x.id = _id;
    end if;
end $$;

-- Take an item's row for this call. Whoever comes late starts over: a call whose number is older than what stands
-- there, or that saw something else than what stands there (`_seen`), must not write over it.
create or replace function graph.lock(_kind text, _id uuid, _seen bigint default null) returns timestamptz
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
declare
    held record;
    mine bigint := current_setting('hq.seq')::bigint;
begin
    if _kind = 'node' then
        select valid_from, seq, next_change_at into held
          from graph.nodes where tenant_id = ops.tenant() and id = _id for no key update;
    else
        select valid_from, seq, next_change_at into held
          from graph.edges where tenant_id = ops.tenant() and id = _id for no key update;
    end if;
    if held.seq > mine or (held.seq <> mine and held.seq <> _seen) then
        raise exception 'another call was first' using errcode = '40001';
    end if;
    -- Clocks may differ: no call acts before what is already in force.
    if held.valid_from > current_setting('hq.now')::timestamptz
       and held.next_change_at is distinct from held.valid_from then
        perform set_config('hq.now', held.valid_from::text, true);
    end if;
    return held.valid_from;
end $$;

-- The first change point of an item that this call makes: there is nothing before it to fold.
create or replace function graph.begin(_kind text, _item uuid, _from timestamptz, _doc jsonb, _op text, _source uuid)
    returns void
    language sql
    set search_path = pg_catalog, pg_temp
begin atomic
    insert into graph.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, reason, action_id,
                                touched, patch, doc, from_id, to_id)
    values (ops.tenant(), _item, _from, current_setting('hq.seq')::bigint, _kind,
            current_setting('hq.now')::timestamptz, _op, current_setting('hq.actor'), current_setting('hq.reason'),
            current_setting('hq.action')::uuid, graph.names(_doc), _doc, _doc, _source, (_doc ->> 'to_id')::uuid);
end;

-- Make a node with its links. The slug is `_slug`, or with something behind it where that is taken. A numbered type
-- gets the next number for 0, or the very one that is asked for; others say nothing. Its slug ends with the number. A link is {id, type, other, inward, slot, patch}: from the new node to the other one, or inward from it.
create or replace function graph.create_node(_id uuid, _type text, _slug text, _doc jsonb, _producer uuid,
                                             _from timestamptz, _number integer, _links jsonb)
    returns setof graph.nodes
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    t       uuid := ops.tenant();
    n       timestamptz := current_setting('hq.now')::timestamptz;
    since   timestamptz := coalesce(_from, n);
    tries   integer := 1;
    slug_   text := _slug;
    number_ integer;
    ending  text := '';
    made    graph.nodes;
begin
    if t is null then
        raise exception 'no tenant' using errcode = '28000';
    end if;
    if _number is not null then
        insert into graph.counters as c values (t, _type, greatest(_number, 1))
        on conflict (tenant_id, type) do update
           set value = case when _number > 0 then greatest(c.value, _number) else c.value + 1 end
        returning case when _number > 0 then _number else c.value end into number_;
        ending := '-' || number_;
        slug_ := _slug || ending;
    end if;
    loop
        insert into graph.nodes (tenant_id, id, type, slug, number, title, status, priority, occurred_at, props, tags,
                                 producer_id, owner_id, external_source, external_id, valid_from, valid_to,
                                 created_at, updated_at, redaction_policy, confidence, taint, made_seq, seq, action_id,
                                 next_change_at)
        values (t, _id, _type, slug_, number_, _doc ->> 'title', _doc ->> 'status', _doc ->> 'priority',
                (_doc ->> 'occurred_at')::timestamptz, _doc -> 'props', graph.texts(_doc -> 'tags'),
                _producer, (_doc ->> 'owner_id')::uuid, _doc ->> 'external_source', _doc ->> 'external_id', since,
                (_doc ->> 'valid_to')::timestamptz, n, n, coalesce(_doc ->> 'redaction_policy', 'none'),
                (_doc ->> 'confidence')::real, graph.texts(_doc -> 'taint'), current_setting('hq.seq')::bigint,
                current_setting('hq.seq')::bigint, current_setting('hq.action')::uuid,
                case when since > n then since end)
        on conflict on constraint nodes_tenant_id_slug_key do nothing
        returning * into made;
        exit when found;
        tries := tries + 1;
        slug_ := _slug || '-' || case when tries < 10 then tries::text
                                      else right(replace(_id::text, '-', ''), tries - 4) end || ending;
    end loop;
    perform graph.begin('node', _id, since, _doc, 'insert', null);
    perform graph.put_edge((l ->> 'id')::uuid, l ->> 'type',
                           case when (l ->> 'inward')::boolean then (l ->> 'other')::uuid else _id end,
                           case when (l ->> 'inward')::boolean then _id else (l ->> 'other')::uuid end,
                           (l ->> 'slot')::boolean, l -> 'patch', _producer, _from, 'link')
       from jsonb_array_elements(_links) l;
    return next made;
end $$;

-- Change a node that was seen as call `_seen` left it. Without `_from` the change holds from now.
create or replace function graph.change_node(_id uuid, _seen bigint, _patch jsonb, _from timestamptz, _op text)
    returns setof graph.nodes
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    since timestamptz := graph.lock('node', _id, _seen);
    said  record;
begin
    if since is null then
        raise exception 'no such node' using errcode = 'P0002';
    end if;
    select * into said from graph.say('node', _id, coalesce(_from, current_setting('hq.now')::timestamptz), _patch, _op,
                                      null);
    perform graph.show('node', _id, said.doc, said.since, said.next);
    return query select * from graph.nodes x where x.tenant_id = ops.tenant() and x.id = _id;
end $$;

-- Link two nodes, or end their link where the patch says `live: false`. A slot holds one target at a time.
create or replace function graph.put_edge(_id uuid, _type text, _source uuid, _target uuid, _slot boolean, _patch jsonb,
                                          _producer uuid, _from timestamptz, _op text) returns uuid
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    t     uuid := ops.tenant();
    n     timestamptz := current_setting('hq.now')::timestamptz;
    since timestamptz := coalesce(_from, n);
    known uuid;
    said  record;
begin
    if t is null then
        raise exception 'no tenant' using errcode = '28000';
    end if;
    insert into graph.edges (tenant_id, id, type, from_id, to_id, slot, live, props, valid_from, valid_to, producer_id,
                             confidence, taint, created_at, updated_at, made_seq, seq, action_id, next_change_at)
    values (t, _id, _type, _source, _target, _slot, coalesce((_patch ->> 'live')::boolean, false),
            coalesce(_patch -> 'props', '{}'), since, (_patch ->> 'valid_to')::timestamptz, _producer,
            (_patch ->> 'confidence')::real, graph.texts(_patch -> 'taint'), n, n, current_setting('hq.seq')::bigint,
            current_setting('hq.seq')::bigint, current_setting('hq.action')::uuid, case when since > n then since end)
    on conflict do nothing;
    if found then
        perform graph.begin('edge', _id, since, _patch, _op, _source);
        return _id;
    end if;
    select id into known from graph.edges
     where tenant_id = t and from_id = _source and type = _type and slot = _slot and (_slot or to_id = _target);
    perform graph.lock('edge', known);
    select * into said from graph.say('edge', known, coalesce(_from, current_setting('hq.now')::timestamptz), _patch,
                                      _op, _source);
    perform graph.show('edge', known, said.doc, said.since, said.next);
    return known;
end $$;

-- Whether a version was known at a moment, or by sequence where `_upto` is given: every call up to it, and those in
-- `_also`, which a read saw although an earlier one was still under way.
create or replace function graph.known(_version graph.versions, _known_at timestamptz, _upto bigint, _also bigint[])
    returns boolean
    language sql immutable parallel safe
    return _version.recorded_at <= _known_at and (_upto is null or _version.seq <= _upto or _version.seq = any (_also));

-- The last call that may be known by a sequence; none where it is not asked for by one.
create or replace function graph.last_known(_upto bigint, _also bigint[]) returns bigint
    language sql immutable parallel safe
    return greatest(_upto, (select max(seq) from unnest(_also) seq));

-- The change point in force for an item at (true at, known at); of what was known but still to come, the first.
create or replace function graph.version_at(_tenant uuid, _item uuid, _true_at timestamptz, _known_at timestamptz,
                                            _upto bigint, _also bigint[])
    returns setof graph.versions
    language sql stable rows 1
begin atomic
    with in_force as (
        (select * from graph.versions v
          where v.tenant_id = _tenant and v.item_id = _item and v.planned and v.valid_from <= _true_at
            and graph.known(v, _known_at, _upto, _also)
          order by v.valid_from desc, v.seq desc limit 1)
        union all
        -- What was not planned was not known before it was true: nothing past `_known_at` needs a look. Nor, by
        -- sequence, past the moment of the last row that was known: `graph.lock` lets no call act before what is already
        -- in force, so what any call before it said, and did not plan, was true by then.
        (select * from graph.versions v
          where v.tenant_id = _tenant and v.item_id = _item and not v.planned
            -- A subquery of its own: row security keeps a bare `coalesce` from being looked up in the index.
            and v.valid_from <= least(_true_at, _known_at, (
                select case when _upto is not null then coalesce((
                    select l.recorded_at from graph.versions l
                     where l.tenant_id = _tenant and l.item_id = _item and l.seq <= graph.last_known(_upto, _also)
                       and graph.known(l, _known_at, _upto, _also)
                     order by l.seq desc, l.recorded_at desc limit 1), '-infinity') end))
            and graph.known(v, _known_at, _upto, _also)
          order by v.valid_from desc, v.seq desc limit 1)
    )
    (select * from in_force order by valid_from desc, seq desc limit 1)
    union all
    (select * from graph.versions v
      where v.tenant_id = _tenant and v.item_id = _item and v.valid_from > _true_at
        -- Asked once, as a count: as a `not exists` it would become a join that walks every later version.
        and graph.known(v, _known_at, _upto, _also) and (select count(*) from in_force) = 0
      order by v.valid_from, v.seq desc limit 1);
end;

-- Every node as it was at (true at, known at). The columns are those of graph.nodes, so a query reads either.
create or replace function graph.nodes_at(_true_at timestamptz, _known_at timestamptz, _upto bigint, _also bigint[])
    returns setof graph.nodes
    language sql stable
begin atomic
    select n.tenant_id, n.id, n.type, n.slug, n.number, v.doc ->> 'title', v.doc ->> 'status', v.doc ->> 'priority',
           (v.doc ->> 'occurred_at')::timestamptz, (v.doc ->> 'archived_at')::timestamptz, v.doc -> 'props',
           graph.texts(v.doc -> 'tags'), n.producer_id, (v.doc ->> 'owner_id')::uuid,
           v.doc ->> 'external_source', v.doc ->> 'external_id', v.valid_from, (v.doc ->> 'valid_to')::timestamptz,
           n.created_at, v.recorded_at, coalesce(v.doc ->> 'redaction_policy', 'none'), (v.doc ->> 'confidence')::real,
           graph.texts(v.doc -> 'taint'), n.made_seq, v.seq, v.action_id,
           case when v.valid_from > _true_at then v.valid_from end
      from graph.nodes n
     cross join lateral graph.version_at(n.tenant_id, n.id, _true_at, _known_at, _upto, _also) v
     where n.created_at <= _known_at and (_upto is null or n.made_seq <= _upto or n.made_seq = any (_also))
       and n.made_seq <= coalesce(graph.last_known(_upto, _also), 9223372036854775807);  -- said once more, for the index
end;

create or replace function graph.edges_at(_true_at timestamptz, _known_at timestamptz, _upto bigint, _also bigint[])
    returns setof graph.edges
    language sql stable
begin atomic
    select e.tenant_id, e.id, e.type, e.from_id, coalesce(v.to_id, e.to_id), e.slot,
           coalesce((v.doc ->> 'live')::boolean, false), coalesce(v.doc -> 'props', '{}'), v.valid_from,
           (v.doc ->> 'valid_to')::timestamptz, e.producer_id, (v.doc ->> 'confidence')::real,
           graph.texts(v.doc -> 'taint'), e.created_at, v.recorded_at, e.made_seq, v.seq, v.action_id,
           case when v.valid_from > _true_at then v.valid_from end
      from graph.edges e
     cross join lateral graph.version_at(e.tenant_id, e.id, _true_at, _known_at, _upto, _also) v
     where e.created_at <= _known_at and (_upto is null or e.made_seq <= _upto or e.made_seq = any (_also));
end;

-- Whether an edge, as it was or as it is, has begun and is not over.
create or replace function graph.in_force(_edge graph.edges, _now timestamptz) returns boolean
    language sql immutable parallel safe
    return _edge.next_change_at is distinct from _edge.valid_from and (_edge.valid_to is null or _edge.valid_to > _now);

-- Let planned changes whose moment has come show in the current rows. Says how many items that were.
create or replace function graph.settle(_now timestamptz) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    t    uuid := ops.tenant();
    item record;
    many integer := 0;
    n    text;
    s    text;
    a    text;
begin
    -- Asked at every call, and nearly always there is nothing.
    if not (exists (select 1 from graph.nodes x where x.tenant_id = t and x.next_change_at <= _now)
            or exists (select 1 from graph.edges x where x.tenant_id = t and x.next_change_at <= _now)) then
        return 0;
    end if;
    n := current_setting('hq.now', true);
    s := current_setting('hq.seq', true);
    a := current_setting('hq.action', true);
    for item in
        select 'node' as kind, x.id from graph.nodes x where x.tenant_id = t and x.next_change_at <= _now
        union all
        select 'edge', x.id from graph.edges x where x.tenant_id = t and x.next_change_at <= _now
        order by 1, 2
    loop
        perform set_config('hq.seq', s, true), graph.lock(item.kind, item.id);
        perform set_config('hq.now', w.valid_from::text, true), set_config('hq.seq', w.seq::text, true),
                set_config('hq.action', w.action_id::text, true),
                graph.show(item.kind, item.id, w.doc, w.valid_from,
                           (select min(l.valid_from) from graph.versions l
                             where l.tenant_id = t and l.item_id = item.id and l.planned and l.valid_from > _now))
           from (select * from graph.versions v
                  where v.tenant_id = t and v.item_id = item.id and v.valid_from <= _now
                  order by v.valid_from desc, v.seq desc limit 1) w;
        many := many + 1;
    end loop;
    perform set_config('hq.now', n, true), set_config('hq.seq', s, true), set_config('hq.action', a, true);
    return many;
end $$;

-- Take back what the call `_seq` said: each point it set says again what it said before, later sayings kept.
-- An item the call made goes away softly. Bookkeeping, as the types in `_except`, stays.
create or replace function graph.take_back(_seq bigint, _except text[]) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    t      uuid := ops.tenant();
    n      text := current_setting('hq.now');
    mine   record;
    before jsonb;
    latest jsonb;
    gone   boolean;
    said   record;
    many   integer := 0;
begin
    for mine in
        select * from graph.versions v
         where v.tenant_id = t and v.seq = _seq and v.op <> 'carry'
           and not exists (select 1 from graph.nodes x
                            where x.tenant_id = t and x.id = v.item_id and x.type = any (_except))
         order by v.kind, v.item_id, v.valid_from
    loop
        perform graph.lock(mine.kind, mine.item_id);
        select patch into latest from graph.versions v
         where v.tenant_id = t and v.item_id = mine.item_id and v.valid_from = mine.valid_from
         order by v.seq desc limit 1;
        gone := not exists (select 1 from graph.versions v
                             where v.tenant_id = t and v.item_id = mine.item_id and v.seq < _seq);
        if gone then
            latest := latest || case when mine.kind = 'node' then jsonb_build_object('archived_at', n)
                                     else jsonb_build_object('live', false) end;
        else
            select patch into before from graph.versions v
             where v.tenant_id = t and v.item_id = mine.item_id and v.valid_from = mine.valid_from and v.seq < _seq
             order by v.seq desc limit 1;
            before := coalesce(before, '{}');
            latest := graph.put_back(latest - 'props', mine.patch - 'props', before - 'props')
                || jsonb_build_object('props', graph.put_back(coalesce(latest -> 'props', '{}'),
                                                              coalesce(mine.patch -> 'props', '{}'),
                                                              coalesce(before -> 'props', '{}')));
        end if;
        select * into said from graph.set_point(mine.kind, mine.item_id, mine.valid_from, latest, mine.touched, 'undo',
                                                mine.from_id);
        perform graph.show(mine.kind, mine.item_id, said.doc, said.since, said.next);
        many := many + 1;
    end loop;
    return many;
end $$;

-- Only what changes things on its own terms is for the product; the parts above are called by these.
revoke all on all functions in schema graph from public;
grant execute on function graph.create_node, graph.change_node, graph.put_edge, graph.settle, graph.take_back,
    graph.known, graph.last_known, graph.version_at, graph.nodes_at, graph.edges_at, graph.texts to {app};
-- What the views of `hq sql` are made of. Its role sees rows of one tenant alone.
grant execute on function graph.known, graph.last_known, graph.version_at, graph.nodes_at, graph.edges_at, graph.texts
    to {reader};
