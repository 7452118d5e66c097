-- name: agents
-- What each agent cost since its first call in the last ninety days: of those who ever had a seat, or of all but those who serve the whole company.
select d.agent_id as who, sum(d.cost_usd) as cost_usd, sum(d.calls)::bigint as calls, sum(d.unpriced)::bigint as unpriced,
       sum(d.tokens_in + d.tokens_out)::bigint as tokens, (%(now)s::timestamptz at time zone 'UTC')::date - min(d.day) + 1 as days
  from ops.llm_daily d
  join graph.nodes a on a.tenant_id = d.tenant_id and graph.means(a.type, 'actor') and a.slug = d.agent_id
 where d.tenant_id = ops.tenant() and d.day > (%(now)s::timestamptz at time zone 'UTC')::date - 90
   and (%(model)s::text is null or d.model = %(model)s)
   and case when %(seat)s::uuid is null then coalesce(a.props ->> 'kind', '') not in ('ceo', 'operator')
            else exists (select 1 from graph.edges f
                           join graph.edges b on b.tenant_id = f.tenant_id and b.from_id = f.from_id and graph.means(b.type, 'holder')
                           join graph.edges e on e.tenant_id = b.tenant_id and e.to_id = b.to_id and graph.means(e.type, 'plays')
                          where f.tenant_id = ops.tenant() and f.to_id = %(seat)s and graph.means(f.type, 'seat_of')
                            and e.from_id = a.id) end
 group by 1
 order by 1;

-- name: work
-- What each mission that is done cost, newest first.
select n.slug as who, sum(d.cost_usd) as cost_usd, sum(d.calls)::bigint as calls, sum(d.unpriced)::bigint as unpriced,
       sum(d.tokens_in + d.tokens_out)::bigint as tokens, max(d.day) - min(d.day) + 1 as days
  from graph.nodes n
  join ops.llm_daily d on d.tenant_id = n.tenant_id and d.mission_id = n.id::text
 where n.tenant_id = ops.tenant() and graph.means(n.type, 'work') and n.status = 'done'
   and (%(whole)s::uuid is null or exists (select 1 from graph.edges e
                                            where e.tenant_id = n.tenant_id and e.from_id = n.id and e.to_id = %(whole)s
                                              and graph.means(e.type, 'part') and e.live))
 group by n.id, n.slug, n.created_at
 order by n.created_at desc limit 50;

-- name: sessions
-- What each session of a kind cost in the last ninety days, newest first.
select s.id::text as who, sum(coalesce(c.cost_usd, 0)) as cost_usd, count(*)::bigint as calls, count(*) filter (where not c.priced)::bigint as unpriced,
       sum(c.tokens_in + c.tokens_out)::bigint as tokens, 1 as days
  from ops.sessions s
  join ops.llm_call_log c on c.tenant_id = s.tenant_id and c.session_id = s.id
 where s.tenant_id = ops.tenant() and s.created_at > %(now)s::timestamptz - interval '90 days' and not ops.live(s.state)
   and (s.kind = %(kind)s or s.trigger_kind = %(kind)s) and (%(agent)s::text is null or s.agent = %(agent)s)
 group by s.id, s.created_at
 order by s.created_at desc limit 50;

-- name: open_parts
-- How many parts of a mission are still open.
select count(*)::int from graph.edges e
  join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.from_id
 where e.tenant_id = ops.tenant() and e.to_id = %(whole)s and graph.means(e.type, 'part') and e.live
   and n.archived_at is null and not graph.over(n.type, n.status);

-- name: per_token
-- What a token cost in the last thirty days, over all calls with a price; nothing where there was none.
select sum(c.cost_usd) / nullif(sum(c.tokens_in + c.tokens_out), 0) as usd
  from ops.llm_call_log c
 where c.tenant_id = ops.tenant() and c.started_at > %(now)s::timestamptz - interval '30 days' and c.priced and c.cost_usd is not null
   and (%(agent)s::text is null or c.agent_id = %(agent)s);
