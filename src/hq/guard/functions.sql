-- Budgets: what a model call may cost is set aside before it is made and settled after. Every function that touches
-- meters locks them in the order of their scopes, so that any number of sessions can do so at once.
-- Periods are those of UTC, by the clock that is handed in.

-- A mission and those it is a part of, up to the top: what is spent on a part is spent on the whole.
create or replace function ops.mission_line(_mission uuid) returns table (id uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    with recursive up as (
        select _mission as id, 1 as depth where _mission is not null
        union all
        select e.to_id, up.depth + 1 from up
          join graph.edges e on e.tenant_id = ops.tenant() and e.from_id = up.id and graph.means(e.type, 'part') and e.live
         where up.depth < 50
    )
    select up.id from up;
end;

-- Where an agent sits, and the organisation of that seat or else its own. Of several seats the one it was given last.
create or replace function ops.place_of(_agent text) returns table (seat uuid, unit uuid)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    select s.id, coalesce(s.unit, (select o.to_id from graph.edges o
                                    where o.tenant_id = ops.tenant() and o.from_id = a.id and graph.means(o.type, 'within') and o.live))
      from graph.nodes a
      left join lateral (
          select p.id, (select o.to_id from graph.edges o
                         where o.tenant_id = ops.tenant() and o.from_id = p.id and graph.means(o.type, 'within') and o.live) as unit
            from graph.edges e
            join graph.edges b on b.tenant_id = e.tenant_id and b.to_id = e.to_id and graph.means(b.type, 'holder') and b.live
            join graph.nodes h on h.tenant_id = b.tenant_id and h.id = b.from_id and graph.means(h.type, 'holding')
                              and h.status = 'active' and h.archived_at is null
            join graph.edges f on f.tenant_id = h.tenant_id and f.from_id = h.id and graph.means(f.type, 'seat_of') and f.live
            join graph.nodes p on p.tenant_id = f.tenant_id and p.id = f.to_id and p.archived_at is null
           where e.tenant_id = ops.tenant() and e.from_id = a.id and graph.means(e.type, 'plays') and e.live
             and e.next_change_at is distinct from e.valid_from
             and coalesce(e.valid_to > nullif(current_setting('hq.now', true), '')::timestamptz, true)
           order by h.number desc limit 1) s on true
     where a.tenant_id = ops.tenant() and graph.means(a.type, 'actor') and a.slug = _agent;
end $$;

-- Everything that a call of an agent is spent on, in the order in which its meters are locked.
create or replace function ops.scopes_of(_agent text, _mission uuid) returns text[]
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select array_agg(x.s order by x.s)
      from (select 'tenant' as s
            union all select 'agent:' || _agent
            union all select 'mission:' || up.id from ops.mission_line(_mission) up
            union all select v.s from ops.place_of(_agent) p cross join lateral (values ('seat:' || p.seat), ('unit:' || p.unit)) v (s)) x
     where x.s is not null;
end;

-- What a scope is called by people; an agent by its slug.
create or replace function ops.scope_title(_scope text) returns text
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select case when _scope = 'tenant' then 'the company'
                when _scope like 'agent:%' then substr(_scope, 7)
                else case when _scope like 'mission:%' then 'mission ' when _scope like 'seat:%' then 'the seat ' else '' end
                     || (select n.title from graph.nodes n
                          where n.tenant_id = ops.tenant() and n.id = split_part(_scope, ':', 2)::uuid) end;
end;

-- The limits on these scopes: those that were set, and where nothing was, what the records of the agents and missions among them say.
-- `run` binds each session by itself.
create or replace function ops.limits(_scopes text[])
    returns table (scope text, period text, usd_soft numeric, usd_hard numeric, tokens_soft numeric, tokens_hard numeric,
                   heavy_soft numeric, heavy_hard numeric)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
    return query  -- in plpgsql, so that its plan is kept
    with put as (
        select case when t.id is null then 'tenant' when graph.means(t.type, 'actor') then 'agent:' || t.slug
                    when graph.means(t.type, 'work') then 'mission:' || t.id
                    when graph.means(t.type, 'seat') then 'seat:' || t.id when graph.means(t.type, 'unit') then 'unit:' || t.id
               end as scope,
               b.props ->> 'period' as period,
               min((b.props ->> 'usd_soft')::numeric) as usd_soft, min((b.props ->> 'usd_hard')::numeric) as usd_hard,
               min((b.props ->> 'tokens_soft')::numeric) as tokens_soft,
               min((b.props ->> 'tokens_hard')::numeric) as tokens_hard,
               min((b.props ->> 'heavy_hard')::numeric) as heavy_hard,
               min(coalesce((b.props ->> 'warn_at')::numeric, 0.8)) as warn_at
          from graph.nodes b
          left join lateral (select n.id, n.type, n.slug from graph.edges e
                               join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
                              where e.tenant_id = b.tenant_id and e.from_id = b.id and e.type = 'limits' and e.live) t
                 on true
         where b.tenant_id = ops.tenant() and b.type = 'budget' and b.status = 'active' and b.archived_at is null
         group by 1, 2
    ), own as (
        select 'agent:' || a.slug as scope, p.period, p.usd_soft, p.usd_hard, p.tokens_hard, p.heavy_hard
          from graph.nodes a
          cross join lateral (values
              ('day', (a.props ->> 'daily_usd_soft')::numeric, (a.props ->> 'daily_usd_hard')::numeric,
               (a.props ->> 'daily_tokens_hard')::numeric,
               (a.props ->> 'opus_turns_per_day_cap')::numeric),
              ('run', null, null, (a.props ->> 'tokens_per_run_cap')::numeric, null)
          ) p (period, usd_soft, usd_hard, tokens_hard, heavy_hard)
         where a.tenant_id = ops.tenant() and graph.means(a.type, 'actor')
           and a.slug in (select substr(s, 7) from unnest(_scopes) s where s like 'agent:%')
        union all
        select 'mission:' || m.id, 'total', null, (m.props ->> 'cost_limit')::numeric, (m.props ->> 'token_budget')::numeric,
               null
          from graph.nodes m
         where m.tenant_id = ops.tenant() and graph.means(m.type, 'work')
           and m.id in (select substr(s, 9)::uuid from unnest(_scopes) s where s like 'mission:%')
    ), both_ as (
        select coalesce(put.scope, own.scope) as scope, coalesce(put.period, own.period) as period,
               coalesce(put.usd_soft, case when put.usd_hard is null then own.usd_soft end) as usd_soft,
               coalesce(put.usd_hard, own.usd_hard) as usd_hard, put.tokens_soft,
               coalesce(put.tokens_hard, own.tokens_hard) as tokens_hard,
               coalesce(put.heavy_hard, own.heavy_hard) as heavy_hard, coalesce(put.warn_at, 0.8) as warn_at
          from put full join own on own.scope = put.scope and own.period = put.period
    )
    select l.scope, l.period, coalesce(l.usd_soft, l.usd_hard * l.warn_at), l.usd_hard,
           coalesce(l.tokens_soft, l.tokens_hard * l.warn_at), l.tokens_hard, l.heavy_hard * l.warn_at, l.heavy_hard
      from both_ l
     where l.scope = any(_scopes);
end $$;

-- What was used of a scope in the period that runs now, what is set aside, when it began and when it turns.
create or replace function ops.used(_scope text, _period text, _session uuid, _now timestamptz)
    returns table (usd numeric, tokens numeric, heavy numeric, reserved_usd numeric, reserved_tokens numeric,
                   reserved_heavy numeric, began_at timestamptz, turns_at timestamptz)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    m ops.meters;
begin
    if _period = 'run' then
        return query
            select coalesce(sum(c.cost_usd), 0), coalesce(sum(coalesce(c.tokens_counted, c.tokens_in + c.tokens_out)), 0),
                   count(*) filter (where c.tier = 'heavy')::numeric, 0::numeric, 0::numeric, 0::numeric,
                   (select s.created_at from ops.sessions s where s.tenant_id = ops.tenant() and s.id = _session),
                   null::timestamptz
              from ops.llm_call_log c where c.tenant_id = ops.tenant() and c.session_id = _session;
        return;
    end if;
    select * into m from ops.meters x where x.tenant_id = ops.tenant() and x.scope = _scope;
    began_at := case when _period <> 'total' then date_trunc(_period, _now, 'UTC') end;
    case _period
        when 'hour' then
            turns_at := began_at + interval '1 hour';
            if m.hour_at = began_at then
                usd := m.hour_usd; tokens := m.hour_tokens; heavy := m.hour_heavy;
            end if;
        when 'day' then
            turns_at := date_trunc('day', _now + interval '24 hours', 'UTC');
            if m.day_at = began_at then
                usd := m.day_usd; tokens := m.day_tokens; heavy := m.day_heavy;
            end if;
        when 'month' then
            turns_at := (began_at at time zone 'UTC' + interval '1 month') at time zone 'UTC';
            if m.month_at = began_at then
                usd := m.month_usd; tokens := m.month_tokens; heavy := m.month_heavy;
            end if;
        else
            usd := m.total_usd; tokens := m.total_tokens; heavy := m.total_heavy;
    end case;
    usd := coalesce(usd, 0); tokens := coalesce(tokens, 0); heavy := coalesce(heavy, 0);
    reserved_usd := coalesce(m.reserved_usd, 0);
    reserved_tokens := coalesce(m.reserved_tokens, 0);
    reserved_heavy := coalesce(m.reserved_heavy, 0);
    return next;
end $$;

-- A reservation becomes what was really spent: meters, log and day. Meters count tokens from a provider's cache by their price. The meters are locked by whoever calls this.
create or replace function ops.book(_r ops.llm_reservations, _provider text, _model text, _in bigint, _out bigint,
                                    _cached bigint, _counted bigint, _usd numeric, _priced boolean, _estimated boolean,
                                    _latency integer, _error text, _now timestamptz) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    this_hour  timestamptz := date_trunc('hour', _now, 'UTC');
    this_day   timestamptz := date_trunc('day', _now, 'UTC');
    this_month timestamptz := date_trunc('month', _now, 'UTC');
    spent      numeric := coalesce(_usd, 0);
    heavy      bigint := (_r.tier = 'heavy')::int;
    -- What a cache would have kept, of which nobody said that it did, is forgiven a piece of work, and not an hour, a day or a month:
    -- these hold a bill.
    told       bigint := case when _cached = 0 then _in + _out else _counted end;
    counted    bigint := case when _error is null or _estimated then heavy else 0 end;
begin
    update ops.meters m
       set hour_usd = case when m.hour_at = this_hour then m.hour_usd else 0 end + spent,
           hour_tokens = case when m.hour_at = this_hour then m.hour_tokens else 0 end + told,
           hour_heavy = case when m.hour_at = this_hour then m.hour_heavy else 0 end + counted,
           hour_at = this_hour,
           day_usd = case when m.day_at = this_day then m.day_usd else 0 end + spent,
           day_tokens = case when m.day_at = this_day then m.day_tokens else 0 end + told,
           day_heavy = case when m.day_at = this_day then m.day_heavy else 0 end + counted,
           day_at = this_day,
           month_usd = case when m.month_at = this_month then m.month_usd else 0 end + spent,
           month_tokens = case when m.month_at = this_month then m.month_tokens else 0 end + told,
           month_heavy = case when m.month_at = this_month then m.month_heavy else 0 end + counted,
           month_at = this_month,
           total_usd = m.total_usd + spent, total_tokens = m.total_tokens + _counted,
           total_heavy = m.total_heavy + counted,
           reserved_usd = m.reserved_usd - coalesce(_r.usd, 0),
           reserved_tokens = m.reserved_tokens - coalesce(_r.tokens_counted, _r.tokens_in + _r.tokens_out),
           reserved_heavy = m.reserved_heavy - heavy
     where m.tenant_id = _r.tenant_id and m.scope = any(_r.scopes);
    insert into ops.llm_call_log (tenant_id, agent_id, session_id, step, task_id, mission_id, provider, model, tier,
                                  tokens_in, tokens_out, tokens_cached, tokens_counted, cost_usd, priced, estimated, reserved_usd,
                                  reserved_tokens, latency_ms, error, purpose, started_at)
    values (_r.tenant_id, _r.agent_id, _r.session_id, _r.step, _r.task_id, _r.mission_id, _provider, _model, _r.tier, _in,
            _out, _cached, _counted, _usd, _priced, _estimated, _r.usd, _r.tokens_in + _r.tokens_out, _latency, _error, _r.purpose,
            _r.made_at);
    insert into ops.llm_daily as d (tenant_id, day, agent_id, mission_id, model, calls, failed, unpriced, estimated,
                                    tokens_in, tokens_out, tokens_cached, cost_usd)
    values (_r.tenant_id, (_r.made_at at time zone 'UTC')::date, _r.agent_id, coalesce(_r.mission_id::text, ''), _model, 1,
            (_error is not null)::int, (not _priced)::int, _estimated::int, _in, _out, _cached, spent)
    on conflict (tenant_id, day, agent_id, mission_id, model) do update
       set calls = d.calls + 1, failed = d.failed + excluded.failed, unpriced = d.unpriced + excluded.unpriced,
           estimated = d.estimated + excluded.estimated, tokens_in = d.tokens_in + excluded.tokens_in,
           tokens_out = d.tokens_out + excluded.tokens_out, tokens_cached = d.tokens_cached + excluded.tokens_cached,
           cost_usd = d.cost_usd + excluded.cost_usd;
end $$;

-- Nobody will say any more what this call cost: no answer came of it, so it counts as its question, as that was estimated.
create or replace function ops.book_as_estimated(_r ops.llm_reservations, _latency integer, _error text, _now timestamptz) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select ops.book(_r, _r.provider, _r.model, _r.tokens_in, 0::bigint, 0::bigint,
                    coalesce(_r.tokens_counted - _r.tokens_out, _r.tokens_in), coalesce(_r.usd_in, _r.usd),
                    _r.usd is not null, true, _latency, _error, _now);
end;

-- Set aside what a call may cost, or say which limit is in the way: `over` it alone would pass the limit, `busy` it
-- would fit once those under way are settled. A thread is never over, so how many tokens a run may use does not bind it:
-- it sums up what was said and goes on. Where tokens are short the answer may be shorter, down to `_least`: `granted` says how long.
-- Of tokens as much is set aside as is expected to count: what the session sent with its last call counts by `_share`, unless that
-- showed that its provider keeps nothing. Of one that may say nothing of its cache (`_silent`) and never did, that much is kept for what the
-- call came to as well: `kept`. Counted by the provider, it needs no margin. Money is set aside as if nothing were kept.
create or replace function ops.reserve_call(_id uuid, _agent text, _mission text, _session uuid, _task uuid, _holder text,
                                            _provider text, _model text, _tier text, _purpose text, _usd numeric,
                                            _usd_in numeric, _in bigint, _out bigint, _share numeric, _margin numeric,
                                            _silent boolean, _least bigint, _now timestamptz)
    returns table (verdict text, scope text, period text, measure text, hard numeric, spent numeric, reserved numeric,
                   asked numeric, began_at timestamptz, turns_at timestamptz, agent_status text, granted bigint,
                   title text, kept bigint)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    mission uuid;
    scopes_ text[];
    r       ops.llm_reservations;
    thread  boolean := exists (select 1 from ops.sessions s
                                where s.tenant_id = ops.tenant() and s.id = _session and s.kind = 'thread');
    sent    bigint := _in;
    says    boolean := not _silent or exists (select 1 from ops.llm_daily d
                                               where d.tenant_id = ops.tenant() and d.model = _model and d.tokens_cached > 0
                                                 and d.day > (_now at time zone 'UTC')::date - 30);
    before  bigint;
    again   bigint;
    room    numeric;
begin
    granted := _out;
    select n.id into mission from graph.nodes n
     where _mission is not null and n.tenant_id = ops.tenant() and graph.means(n.type, 'work')
       and (n.slug = _mission or n.id::text = _mission);
    scopes_ := ops.scopes_of(_agent, mission);
    insert into ops.meters (tenant_id, scope)
    select ops.tenant(), s from unnest(scopes_) s
     where not exists (select 1 from ops.meters m where m.tenant_id = ops.tenant() and m.scope = s)
     order by s
    on conflict do nothing;
    perform 1 from ops.meters m where m.tenant_id = ops.tenant() and m.scope = any(scopes_) order by m.scope for update;
    -- What this session set aside before and never settled: its worker was killed in the middle of a call. What nobody
    -- holds by a lease is a coding program's call, made beside the session; it is still under way.
    for r in select x.* from ops.llm_reservations x
              where x.tenant_id = ops.tenant() and x.session_id = _session and x.scopes = scopes_
                and x.holder is not null and _holder is not null
                for update skip locked
    loop
        delete from ops.llm_reservations x where x.tenant_id = r.tenant_id and x.id = r.id;
        perform ops.book_as_estimated(r, null, 'unsettled', _now);
    end loop;
    select n.status into agent_status from graph.nodes n
     where n.tenant_id = ops.tenant() and graph.means(n.type, 'actor') and n.slug = _agent;
    select x.tokens_in into before
      from (select c.tokens_in, c.tokens_cached, count(*) over () as calls
              from ops.llm_call_log c
             where c.tenant_id = ops.tenant() and c.session_id = _session and c.purpose = _purpose
               and c.started_at > _now - interval '5 minutes'
             order by c.id desc limit 1) x
     where x.tokens_cached > 0 or x.calls = 1 or not says;
    kept := case when says then 0 else coalesce(before, 0) end;
    again := least(_in, round(coalesce(before, 0) * _margin));
    _in := _in - again + round(again / _margin * _share);
    select min(l.tokens_hard - u.tokens - u.reserved_tokens) - _in into room
      from ops.limits(scopes_) l
      cross join lateral ops.used(l.scope, l.period, _session, _now) u
     where not (l.period = 'run' and thread);
    if room < granted and room >= _least then
        granted := room;
    end if;
    select case when x.spent + x.asked <= x.hard then 'busy' else 'over' end,
           l.scope, l.period, x.measure, x.hard, x.spent, x.reserved, x.asked, u.began_at, u.turns_at
      into verdict, scope, period, measure, hard, spent, reserved, asked, began_at, turns_at
      from ops.limits(scopes_) l
      cross join lateral ops.used(l.scope, l.period, _session, _now) u
      cross join lateral (values ('usd', l.usd_hard, u.usd, u.reserved_usd, _usd),
                                 ('tokens', l.tokens_hard, u.tokens, u.reserved_tokens, _in + granted),
                                 ('heavy', l.heavy_hard, u.heavy, u.reserved_heavy, (_tier = 'heavy')::int)
                         ) x (measure, hard, spent, reserved, asked)
     where x.asked > 0 and x.spent + x.reserved + x.asked > x.hard
       and not (l.period = 'run' and x.measure = 'tokens' and thread)
     order by x.spent + x.asked > x.hard desc, u.turns_at desc nulls first
     limit 1;
    if found then
        title := ops.scope_title(scope);
        return next;
        return;
    end if;
    update ops.meters m
       set reserved_usd = m.reserved_usd + coalesce(_usd, 0), reserved_tokens = m.reserved_tokens + _in + granted,
           reserved_heavy = m.reserved_heavy + (_tier = 'heavy')::int
     where m.tenant_id = ops.tenant() and m.scope = any(scopes_);
    insert into ops.llm_reservations (tenant_id, id, scopes, agent_id, mission_id, session_id, step, task_id, holder,
                                      provider, model, tier, purpose, usd, usd_in, tokens_in, tokens_out, tokens_counted, made_at)
    values (ops.tenant(), _id, scopes_, _agent, mission, _session,
            (select coalesce(max(j.step), 0) + 1 from ops.journal j
              where j.tenant_id = ops.tenant() and j.session_id = _session and _session is not null),
            _task, _holder, _provider, _model, _tier, _purpose, _usd, _usd_in, sent, granted, _in + granted, _now);
    verdict := 'ok';
    return next;
end $$;

-- What a call really cost. Settled twice, or after it was swept, it changes nothing. Gives the limits that somebody
-- should be warned about.
create or replace function ops.settle_call(_id uuid, _provider text, _model text, _in bigint, _out bigint, _cached bigint,
                                           _counted bigint, _usd numeric, _priced boolean, _estimated boolean,
                                           _latency integer, _error text, _now timestamptz)
    returns table (scope text, period text, measure text, soft numeric, hard numeric, spent numeric,
                   began_at timestamptz)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    r ops.llm_reservations;
begin
    delete from ops.llm_reservations x where x.tenant_id = ops.tenant() and x.id = _id returning * into r;
    if not found then
        return;
    end if;
    perform 1 from ops.meters m where m.tenant_id = r.tenant_id and m.scope = any(r.scopes) order by m.scope for update;
    if _estimated and _in + _out = 0 then  -- nobody knows whether anything was said
        perform ops.book_as_estimated(r, _latency, _error, _now);
    else
        perform ops.book(r, _provider, _model, _in, _out, _cached, _counted, _usd, _priced, _estimated, _latency, _error, _now);
    end if;
    return query
        select l.scope, l.period, x.measure, x.soft, x.hard, x.spent, u.began_at
          from ops.limits(r.scopes) l
          cross join lateral ops.used(l.scope, l.period, r.session_id, _now) u
          cross join lateral (values ('usd', l.usd_soft, l.usd_hard, u.usd),
                                     ('tokens', l.tokens_soft, l.tokens_hard, u.tokens),
                                     ('heavy', l.heavy_soft, l.heavy_hard, u.heavy)) x (measure, soft, hard, spent)
         where l.period <> 'run' and x.spent >= x.soft and x.spent > 0
           and not exists (select 1 from ops.budget_warnings w
                            where w.tenant_id = r.tenant_id and w.scope = l.scope and w.period = l.period
                              and w.measure = x.measure and w.began_at = coalesce(u.began_at, '-infinity'));
end $$;

-- Calls whose worker is gone count as what was set aside for them; of calls that no session's worker holds that is known
-- only when they have taken longer than any may. Says how many there were, in every company.
create or replace function ops.sweep_reservations(_patience interval, _now timestamptz) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    r    ops.llm_reservations;
    lost uuid[];
    many integer := 0;
begin
    select array_agg(x.id) into lost
      from (select l.id from ops.llm_reservations l
             where not exists (select 1 from ops.sessions s
                                where s.tenant_id = l.tenant_id and s.id = l.session_id and s.holder = l.holder
                                  and s.state = 'running' and s.lease_until > clock_timestamp())
               and (l.holder is not null or l.put_at < clock_timestamp() - _patience)
             order by l.put_at limit 500 for update skip locked) x;
    if lost is null then
        return 0;
    end if;
    perform 1 from ops.meters m
      where (m.tenant_id, m.scope) in (select l.tenant_id, unnest(l.scopes) from ops.llm_reservations l where l.id = any(lost))
      order by m.tenant_id, m.scope for update;
    for r in select l.* from ops.llm_reservations l where l.id = any(lost) loop
        delete from ops.llm_reservations x where x.tenant_id = r.tenant_id and x.id = r.id;
        perform ops.book_as_estimated(r, null, 'unsettled', _now);
        many := many + 1;
    end loop;
    return many;
end $$;

revoke all on function ops.mission_line, ops.place_of, ops.scopes_of, ops.scope_title, ops.limits, ops.used, ops.book, ops.book_as_estimated, ops.reserve_call, ops.settle_call,
    ops.sweep_reservations from public;
grant execute on function ops.mission_line, ops.place_of, ops.scopes_of, ops.scope_title, ops.limits, ops.used, ops.reserve_call, ops.settle_call, ops.sweep_reservations to {app};
