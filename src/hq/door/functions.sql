-- How a call opens and how it is recorded: one statement each, so that the whole door costs few round trips.

-- The next number. The transaction has its number in Postgres before it has ours: that order lets the announcer find
-- the watermark.
create or replace function ops.draw() returns bigint
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    return case when pg_current_xact_id() is not null then nextval('ops.seq') end;
end $$;

-- The CEO of a company: its agent of that kind, the first where there are several; before any is loaded, the one that
-- comes with hq.
create or replace function ops.ceo(_tenant uuid) returns text
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce((select n.slug from graph.nodes n
                      where n.tenant_id = _tenant and graph.means(n.type, 'actor') and n.props ->> 'kind' = 'ceo' and n.archived_at is null
                      order by graph.over(n.type, n.status), n.created_at, n.id limit 1), 'chief');
end;

-- What agents' files keep for one of them, and what each never does.
create or replace function ops.shares(_tenant uuid) returns jsonb
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce(jsonb_agg(jsonb_build_object('agent', n.slug, 'owns', coalesce(n.props -> 'owns', '[]'),
                                                 'never', coalesce(n.props -> 'never', '[]'))
                              order by n.created_at, n.slug), '[]')
      from graph.nodes n
     where n.tenant_id = _tenant and graph.means(n.type, 'actor') and n.archived_at is null
       and (coalesce(n.props -> 'owns', '[]') <> '[]' or coalesce(n.props -> 'never', '[]') <> '[]');
end;

-- The same, of the company that is asked in.
create or replace function ops.shares_here() returns jsonb
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select ops.shares(ops.tenant());
end;
revoke all on function ops.shares, ops.shares_here from public;
grant execute on function ops.shares_here to {app};

-- Who holds this token, for which tenant, and what stands in the way: sets the tenant and the call's settings for
-- this transaction, draws the call's number, and brings back what was done before under the same key.
-- `_actor` narrows: a founder may act as another principal of the same tenant, never the other way round.
create or replace function ops.open_call(_token bytea, _actor text, _reason text, _action uuid, _verb text, _key text,
                                         _now timestamptz, _writes boolean, _finishing boolean)
    returns table (credential_id uuid, tenant_id uuid, principal_id uuid, kind text, actor text, scopes text[],
                   producer_id uuid, founder_id uuid, risk_tolerance text, single_use boolean, seq bigint,
                   freezes jsonb, before jsonb, role text, project text,
                   shares jsonb, record text)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    -- An expression costs a call its preparation, in each transaction anew, so there are few: what is found goes where it is told.
    credential text;
    own        text;
    whom       text;
    p          ops.principals;
    -- Assigned, not performed: what is performed is a query of its own, with all that belongs to one.
    set_       text[];
    settled    integer;
begin
    select k.id, k.tenant_id, k.name, k.scopes, k.single_use, q.id, q.kind, q.actor, q.actor, q.actor, q.producer_id,
           t.founder_id, t.risk_tolerance
      into credential_id, tenant_id, credential, scopes, single_use, principal_id, kind, own, whom, actor, producer_id,
           founder_id, risk_tolerance
      from ops.credentials k
      join ops.principals q on q.tenant_id = k.tenant_id and q.id = k.principal_id
      join ops.tenants t on t.id = k.tenant_id
     where k.token_hash = _token
       -- What has happened outside is recorded even if the credential ended meanwhile.
       and (_finishing or (k.revoked_at is null and (k.expires_at is null or k.expires_at > _now)
                           -- One that comes twice to be redeemed was stolen or lost; that call ends what was made from it.
                           and not (k.single_use and k.used_at is not null and _verb <> 'auth.redeem')));
    if not found then
        return;
    end if;
    if _actor <> own then
        actor := case when _actor like own || '/%' then _actor end;
        if actor is null and kind in ('founder', 'device') then
            select * into p from ops.principals q
             where q.tenant_id = open_call.tenant_id and q.actor = split_part(_actor, '/', 1)
               and q.kind not in ('founder', 'device');
            if found then
                actor := _actor;
                whom := p.actor;
                principal_id := p.id;
                kind := p.kind;
                producer_id := coalesce(p.producer_id, producer_id);
            end if;
        end if;
    end if;
    seq := ops.draw();
    set_ := array[set_config('hq.tenant', tenant_id::text, true), set_config('hq.actor', coalesce(actor, own), true),
                  set_config('hq.reason', _reason, true), set_config('hq.action', _action::text, true),
                  set_config('hq.seq', seq::text, true), set_config('hq.now', _now::text, true),
                  -- What a read leaves in the ledger need not wait for the disk.
                  case when not _writes then set_config('synchronous_commit', 'off', true) end];
    settled := graph.settle(_now);
    -- Whether the agent that calls is the one that leads or the one that operates; before any is loaded, as they are shipped.
    -- And what its record says that it, and who works for it, is given to call.
    if kind in ('agent', 'worker') then
        select n.props ->> 'kind',
               jsonb_build_object('kind', n.props -> 'kind', 'role', n.props -> 'role', 'description', n.props -> 'description',
                                  'workspace', n.props -> 'workspace', 'tools', n.props -> 'tools',
                                  'tool_actions', n.props -> 'tool_actions')::text
          into role, record from graph.nodes n
         where n.tenant_id = open_call.tenant_id and n.slug = split_part(split_part(whom, ':', 2), '/', 1)
           and graph.means(n.type, 'actor') and n.archived_at is null and not graph.over(n.type, n.status);
        if not found and kind = 'agent' and ops.ceo(tenant_id) = split_part(split_part(whom, ':', 2), '/', 1) then
            role := 'ceo';
        end if;
        role := case when kind = 'agent' and role in ('ceo', 'operator') then role end;
    end if;
    -- The project whose agent a worker's session is: said by the session that the credential was made for.
    if kind = 'worker' and credential like 'session %' then
        select n.slug into project
          from ops.sessions s join graph.nodes n on n.tenant_id = s.tenant_id and n.id = (s.trigger ->> 'project')::uuid
         where s.tenant_id = open_call.tenant_id and s.id = substr(credential, 9)::uuid;
    end if;
    select coalesce(jsonb_agg(jsonb_build_object('scope', f.scope, 'state', 'frozen', 'by', f.created_by, 'reason', f.reason,
                                                 'binds', f.scope = 'all' or f.scope = actor
                                                          or starts_with(actor, f.scope || '/'))), '[]'), '[]'
      into freezes, shares
      from ops.freezes f
     where f.tenant_id = open_call.tenant_id and ops.in_force(f, _now);
    if not _writes then  -- looking has no borders and leaves no key
        return next;
        return;
    end if;
    -- What agents' files keep for one of them. People and the house have no borders.
    if kind in ('agent', 'worker', 'service') then
        shares := ops.shares(tenant_id);
    end if;
    if kind in ('agent', 'worker') then
        -- An agent, and whoever works for it, stands under more than its own name.
        if freezes <> '[]' or ops.any_held_back(tenant_id) then
            freezes := ops.stops_upon(tenant_id, actor, case when credential like 'session %' then substr(credential, 9)::uuid end,
                                      freezes, _now);
        end if;
        -- Who left the company changes nothing in it any more, nor does whom they sent.
        freezes := freezes || coalesce((
            select jsonb_agg(jsonb_build_object('scope', 'agent:' || n.slug,
                                                'state', case when n.archived_at is null then n.status else 'archived' end,
                                                'by', r.actor, 'reason', r.reason, 'binds', true))
              from graph.nodes n left join lateral ops.rested_by(n.tenant_id, n.id, n.status, _now) r on n.archived_at is null
             where n.tenant_id = open_call.tenant_id and graph.means(n.type, 'actor')
               and (graph.over(n.type, n.status) or n.archived_at is not null)
               and n.slug = split_part(split_part(open_call.actor, ':', 2), '/', 1)), '[]');
    end if;
    if _key is not null then
        select jsonb_build_object('id', a.id, 'seq', a.seq, 'taint', a.taint, 'args_hash', encode(a.args_hash, 'hex'), 'output', a.output,
                                  'status', a.status, 'trace_id', a.trace_id, 'error_code', a.error_code) into before
          from ops.agent_actions a
         where a.tenant_id = open_call.tenant_id and a.principal_id = open_call.principal_id and a.action_type = _verb
           and a.idempotency_key = _key and a.status in ('ok', 'waiting');
    end if;
    return next;
end $$;

create or replace function ops.record(_id uuid, _principal uuid, _credential uuid, _session uuid, _task uuid,
                                      _trace uuid, _parent uuid, _verb text, _kind text, _target_kind text,
                                      _target uuid, _input jsonb, _output jsonb, _status text, _error text, _gate text,
                                      _decision text, _duration real, _key text, _args bytea, _taint text[],
                                      _undoes uuid, _events jsonb) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    insert into ops.agent_actions (tenant_id, seq, id, actor, principal_id, credential_id, session_id, task_id, trace_id,
                                   parent_id, action_type, kind, target_kind, target_id, input, input_hash, output,
                                   output_hash, status, error_code, gate, decision, duration_ms, reason,
                                   idempotency_key, args_hash, taint, undoes, created_at)
    values (ops.tenant(), current_setting('hq.seq')::bigint, _id, current_setting('hq.actor'), _principal, _credential,
            _session, _task, _trace, _parent, _verb, _kind, _target_kind, _target,
            _input, sha256(convert_to(coalesce(_input::text, ''), 'UTF8')),
            _output, sha256(convert_to(coalesce(_output::text, ''), 'UTF8')),
            _status, _error, _gate, _decision, _duration, current_setting('hq.reason'), _key, _args, _taint, _undoes,
            current_setting('hq.now')::timestamptz);
    if _events <> '[]' then
        insert into ops.outbox (tenant_id, seq, ordinal, topic, action_id, payload, created_at)
        select ops.tenant(), current_setting('hq.seq')::bigint, e.ordinality, e.value ->> 'topic', _id, e.value -> 'payload',
               current_setting('hq.now')::timestamptz
          from jsonb_array_elements(_events) with ordinality e
         where e.value ? 'topic';
    end if;
end $$;

-- A call that was part of another: a row with a number of its own. What it wrote carries the other's number, and is taken
-- back with that one.
create or replace function ops.record_inner(_id uuid, _parent uuid, _principal uuid, _credential uuid, _session uuid,
                                            _trace uuid, _verb text, _target_kind text, _target uuid, _input jsonb,
                                            _output jsonb, _gate text, _decision text, _duration real, _args bytea,
                                            _taint text[]) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    insert into ops.agent_actions (tenant_id, seq, id, actor, principal_id, credential_id, session_id, trace_id, parent_id,
                                   action_type, kind, target_kind, target_id, input, input_hash, output, output_hash, status,
                                   gate, decision, duration_ms, reason, args_hash, taint, created_at)
    values (ops.tenant(), ops.draw(), _id, current_setting('hq.actor'), _principal, _credential, _session, _trace, _parent,
            _verb, 'inner', _target_kind, _target, _input, sha256(convert_to(coalesce(_input::text, ''), 'UTF8')), _output,
            sha256(convert_to(coalesce(_output::text, ''), 'UTF8')), 'ok', _gate, _decision, _duration,
            current_setting('hq.reason'), _args, _taint, current_setting('hq.now')::timestamptz);
end;
revoke all on function ops.record_inner from public;
grant execute on function ops.record_inner to {app};

-- Several reads of one transaction, each a call of its own with a number of its own.
create or replace function ops.record_reads(_principal uuid, _credential uuid, _trace uuid, _reads jsonb) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    insert into ops.agent_actions (tenant_id, seq, id, actor, principal_id, credential_id, trace_id, action_type, kind,
                                   target_kind, target_id, input, input_hash, output, output_hash, status, error_code,
                                   gate, decision, duration_ms, reason, args_hash, taint, created_at)
    select ops.tenant(), ops.draw(), r.id, current_setting('hq.actor'), _principal, _credential, _trace, r.verb, r.kind,
           r.target_kind, r.target_id, r.input, sha256(convert_to(coalesce(r.input::text, ''), 'UTF8')),
           r.output, sha256(convert_to(coalesce(r.output::text, ''), 'UTF8')), r.status, r.error,
           r.gate, case when r.error is null then 'do' end, r.duration, current_setting('hq.reason'),
           decode(r.args, 'hex'), r.taint, current_setting('hq.now')::timestamptz
      from jsonb_to_recordset(_reads)
           as r(id uuid, verb text, kind text, target_kind text, target_id uuid, input jsonb, output jsonb, status text,
                error text, gate text, duration real, args text, taint text[]);
end;
revoke all on function ops.record_reads from public;
grant execute on function ops.record_reads to {app};

-- An outside effect begins: noted and committed before it happens. False where the same key has begun one already.
create or replace function ops.begin_effect(_id uuid, _principal uuid, _verb text, _key text, _args bytea)
    returns boolean
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    with begun as (
        insert into ops.effects
        values (ops.tenant(), _id, _principal, _verb, _key, _args, current_setting('hq.now')::timestamptz)
        on conflict do nothing
        returning 1
    )
    select exists (select 1 from begun);
end;

create or replace function ops.drop_effect(_id uuid) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    delete from ops.effects where tenant_id = ops.tenant() and action_id = _id;
end;

-- A one-time token is used up by its first use.
create or replace function ops.use_up(_credential uuid) returns boolean
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    with used as (
        update ops.credentials set used_at = current_setting('hq.now')::timestamptz
         where tenant_id = ops.tenant() and id = _credential and used_at is null
        returning 1
    )
    select exists (select 1 from used);
end;

-- More scopes for the live credentials of a principal that is no person. How many there were.
create or replace function ops.widen(_principal uuid, _scopes text[]) returns bigint
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    with widened as (
        update ops.credentials c
           set scopes = array(select distinct s from unnest(c.scopes || _scopes) s order by s)
          from ops.principals p
         where c.tenant_id = ops.tenant() and c.principal_id = _principal and c.revoked_at is null
           and (c.expires_at is null or c.expires_at > current_setting('hq.now')::timestamptz)
           and p.tenant_id = ops.tenant() and p.id = _principal and p.kind not in ('founder', 'device')
        returning 1
    )
    select count(*) from widened;
end;
revoke all on function ops.widen from public;
grant execute on function ops.widen to {app};

-- Whether a token opens the door, before anything is asked of it.
create or replace function ops.is_live(_token bytea, _now timestamptz) returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.credentials c
                    where c.token_hash = _token and c.revoked_at is null and not c.single_use
                      and (c.expires_at is null or c.expires_at > _now));
end;
revoke all on function ops.is_live from public;
grant execute on function ops.is_live to {app};

-- A new tenant with its founder: the one thing that happens before there is anybody to ask.
create or replace function ops.create_tenant(_tenant uuid, _slug text, _name text, _now timestamptz) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    insert into ops.tenants (id, slug, name, created_at) values (_tenant, _slug, _name, _now);
end $$;

create or replace function ops.set_founder(_founder uuid) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update ops.tenants set founder_id = _founder where id = ops.tenant() and founder_id is null;
end;

create or replace function ops.tenant_slugs() returns setof text
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select slug from ops.tenants order by created_at;
end;

-- What a read saw: how far everything is settled, and the calls beyond that which it saw all the same.
create or replace function ops.seen_beyond(out watermark bigint, out seen bigint[])
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
as $$
begin
    select a.watermark, array(select s.seq from ops.agent_actions s
                               where s.tenant_id = ops.tenant() and s.seq > a.watermark and s.kind <> 'read'
                               order by s.seq)
      into watermark, seen
      from ops.announcer a;
end $$;

revoke all on function ops.draw, ops.open_call, ops.record, ops.begin_effect, ops.drop_effect, ops.use_up,
    ops.create_tenant, ops.set_founder, ops.tenant_slugs, ops.ceo, ops.seen_beyond from public;
grant execute on function ops.draw, ops.open_call, ops.record, ops.begin_effect, ops.drop_effect, ops.use_up,
    ops.create_tenant, ops.set_founder, ops.tenant_slugs, ops.ceo, ops.seen_beyond to {app};
