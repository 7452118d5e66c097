-- What workers and threads need beside any session: names, narrower rights.

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

revoke all on function ops.name_session, ops.session_totals, ops.mind_totals from public;
grant execute on function ops.name_session, ops.session_totals, ops.mind_totals to {app};
