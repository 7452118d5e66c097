-- What workers and threads need beside any session: names, narrower rights, messages.

-- Give a session the first free of `_name`, `_name_2`, `_name_3` …, and the rights it is limited to.
create or replace function ops.name_session(_session uuid, _name text, _scopes text[]) returns text
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    given text;
    taken integer;
begin
    -- Two that begin in the same second wait for each other here, not in a failed transaction.
    perform pg_advisory_xact_lock(hashtextextended(ops.tenant() || _name, 0));
    select max(case when s.name = _name then 1 else substr(s.name, length(_name) + 2)::integer end) into taken
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.kind = 'worker'
       and (s.name = _name
            or s.name > _name || '_' and s.name < _name || '`' and substr(s.name, length(_name) + 2) ~ '^[0-9]+$');
    given := case when taken is null then _name else _name || '_' || (taken + 1) end;
    update ops.sessions s set name = given, scopes = _scopes where s.tenant_id = ops.tenant() and s.id = _session;
    return given;
end $$;

-- Say something to a thread. Where it rests it is queued; where it works it takes this up at its next turn. Both look at
-- the same locked row, so nothing is said past it.
create or replace function ops.say_to_thread(_session uuid, _id uuid, _actor text, _body text, _taint text[], _now timestamptz)
    returns text
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    was text;
begin
    select s.state into was from ops.sessions s
     where s.tenant_id = ops.tenant() and s.id = _session and s.kind = 'thread' for update;
    if was is null or was not in ('queued', 'running', 'waiting') then
        return null;
    end if;
    insert into ops.thread_messages (tenant_id, id, session_id, actor, body, taint, created_at)
    values (ops.tenant(), _id, _session, _actor, _body, _taint, _now);
    update ops.sessions s set state = 'queued', wake_at = null, updated_at = _now
     where s.tenant_id = ops.tenant() and s.id = _session and s.state = 'waiting';
    return was;
end $$;

-- Take up what was said to a thread, as one step of its journal. Gives that step's payload, or nothing.
create or replace function ops.take_messages(_session uuid, _step integer, _holder text, _now timestamptz) returns jsonb
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    said jsonb;
begin
    with taken as (
        update ops.thread_messages m set step = _step
         where m.tenant_id = ops.tenant() and m.session_id = _session and m.step is null
        returning m.id, m.body, m.actor, m.taint, m.created_at
    )
    select jsonb_build_object('prompt', string_agg(t.body, E'\n\n' order by t.created_at, t.id),
                              'from', to_jsonb(array_agg(distinct t.actor)),
                              'taint', (select coalesce(jsonb_agg(distinct mark), '[]')
                                          from taken x, unnest(x.taint) mark))
      into said from taken t having count(*) > 0;
    if said is not null then
        perform ops.append_step(_session, _step, 'wake', null, said, _holder, _now);
    end if;
    return said;
end $$;

-- What the sessions of the house, or of one company, amount to: for the metrics, without anybody's data.
create or replace function ops.session_totals(_tenant uuid)
    returns table (agent text, kind text, state text, sessions bigint)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select s.agent, s.kind, s.state, count(*) from ops.sessions s
     where _tenant is null or s.tenant_id = _tenant
     group by s.agent, s.kind, s.state;
end;

-- What minds were asked and cost, from the money room's daily sums; nothing where that room is not there yet.
create or replace function ops.mind_totals(_tenant uuid)
    returns table (agent text, model text, calls bigint, unpriced bigint, tokens_in bigint, tokens_out bigint, cost_usd numeric)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    if to_regclass('ops.llm_daily') is not null then
        return query execute
            'select d.agent_id, d.model, sum(d.calls)::bigint, sum(d.unpriced)::bigint, sum(d.tokens_in)::bigint,
                    sum(d.tokens_out)::bigint, sum(d.cost_usd)
               from ops.llm_daily d where $1 is null or d.tenant_id = $1 group by d.agent_id, d.model' using _tenant;
    end if;
end $$;

revoke all on function ops.name_session, ops.say_to_thread, ops.take_messages, ops.session_totals, ops.mind_totals from public;
grant execute on function ops.name_session, ops.say_to_thread, ops.take_messages, ops.session_totals, ops.mind_totals to {app};
