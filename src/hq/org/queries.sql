-- name: company
-- The company this call is for, by the name its directory has.
select slug from ops.tenants where id = ops.tenant();

-- name: intent_was
-- Whether the graph ever had this text as an organisation's intent.
select 1 from graph.versions v
 where v.tenant_id = ops.tenant() and v.item_id = %(id)s and v.doc -> 'props' ->> 'intent_md' = %(text)s limit 1;

-- name: sitting
-- The seats of an agent, the one it was given last before the others, each with its role, its organisation and what that manages.
select s.position, p.slug, p.props, r.props ->> 'name' as role, s.organisation,
       (o.props ->> 'value_under_management')::float8 as value
  from (select * from ops.seats x where x.tenant_id = ops.tenant() and x.agent_slug = %(agent)s offset 0) s
  join graph.nodes p on p.tenant_id = s.tenant_id and p.id = s.position
  left join graph.edges h on h.tenant_id = s.tenant_id and h.from_id = s.position and h.type = 'has_role' and h.live
  left join graph.nodes r on r.tenant_id = s.tenant_id and r.id = h.to_id
  left join graph.nodes o on o.tenant_id = s.tenant_id and o.id = s.organisation
 order by s.number desc;

-- name: kept_to
-- The organisations that an agent keeps to, by its seats and by itself; the CEO and the operator serve them all.
select o.organisation
  from graph.nodes a
  cross join lateral (
      select s.organisation from ops.seats s
       where s.tenant_id = a.tenant_id and s.agent = a.id and s.organisation is not null
      union
      select i.to_id from graph.edges i
       where i.tenant_id = a.tenant_id and i.from_id = a.id and i.type = 'in_organisation' and i.live) o
 where a.tenant_id = ops.tenant() and a.type = 'agent' and a.slug = %(agent)s and a.archived_at is null
   and a.props ->> 'kind' not in ('ceo', 'operator');

-- name: serves_all
-- Whether an agent serves all organisations.
select exists (
    select 1 from graph.nodes a
     where a.tenant_id = ops.tenant() and a.type = 'agent' and a.slug = %(agent)s and a.archived_at is null
       and a.props ->> 'kind' in ('ceo', 'operator')) as serves_all;

-- name: organisations_of
-- The organisations that something is of: that it says itself, of who gives or does it, or of the mission it is for.
with things as (
    select %(id)s::uuid as id
    union
    select e.to_id from graph.edges e
     where e.tenant_id = ops.tenant() and e.from_id = %(id)s and e.type = 'for_mission' and e.live
), lines as (
    select e.type, e.to_id from things t
      join graph.edges e on e.tenant_id = ops.tenant() and e.from_id = t.id and e.live
)
select l.to_id as organisation from lines l where l.type = 'in_organisation'
union
select o.organisation
  from lines l
  join graph.nodes a on a.tenant_id = ops.tenant() and a.id = l.to_id and a.type = 'agent'
                    and a.props ->> 'kind' not in ('ceo', 'operator')
  cross join lateral (
      select s.organisation from ops.seats s
       where s.tenant_id = a.tenant_id and s.agent = a.id and s.organisation is not null
      union
      select i.to_id from graph.edges i
       where i.tenant_id = a.tenant_id and i.from_id = a.id and i.type = 'in_organisation' and i.live) o
 where graph.means(l.type, 'does') or graph.means(l.type, 'gives');

-- name: spent
-- What a principal has spent in its session, or without one since the day began.
select coalesce(sum((a.input ->> 'amount')::numeric), 0) as spent
  from ops.agent_actions a
 where a.tenant_id = ops.tenant() and a.principal_id = %(principal)s and a.status = 'ok'
   and a.action_type = any(%(verbs)s) and coalesce(a.input ->> 'currency', 'USD') = %(currency)s
   and case when %(session)s::uuid is null then a.created_at >= %(today)s else a.session_id = %(session)s end;

-- name: place
-- Where an agent works: the company, its seat, whom that reports and escalates to, and who reports to it: to the CEO, also who has
-- nobody above.
with held as materialized (
    select s.position, s.persona, s.organisation, s.agent_slug, s.number
      from ops.seats s where s.tenant_id = ops.tenant()
), mine as (
    select h.position, h.persona, h.organisation from held h where h.agent_slug = %(agent)s order by h.number desc limit 1
), agent as (
    select a.id,
           (select e.to_id from graph.edges e
             where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'embodies' and e.live) as persona,
           (select e.to_id from graph.edges e
             where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'in_organisation' and e.live) as organisation
      from graph.nodes a where a.tenant_id = ops.tenant() and a.type = 'agent' and a.slug = %(agent)s
)
select t.name as company, (select f.title from graph.nodes f where f.tenant_id = t.id and f.id = t.founder_id) as founder,
       t.risk_tolerance, ops.ceo(t.id) as ceo, p.id as position, p.title as seat, coalesce(m.persona, a.persona) as persona,
       o.id as organisation, o.title as organisation_name,
       up.title as reports_to, (select h.agent_slug from held h where h.position = up.id limit 1) as reports_to_agent,
       es.title as escalates_to, (select h.agent_slug from held h where h.position = es.id limit 1) as escalates_to_agent,
       array(select coalesce(b.title, s.title) || ' (' || s.slug || ')'
               from graph.nodes s
               left join lateral (select h.position from held h where h.agent_slug = s.slug order by h.number desc limit 1) h on true
               left join graph.nodes b on b.tenant_id = t.id and b.id = h.position
               left join lateral (select e.to_id as position from graph.edges e
                                    join graph.nodes n on n.tenant_id = t.id and n.id = e.to_id and n.archived_at is null
                                   where e.tenant_id = t.id and e.from_id = h.position and e.type = 'reports_to' and e.live
                                   limit 1) above on true
              where s.tenant_id = t.id and s.type = 'agent' and not graph.over(s.type, s.status) and s.archived_at is null
                and s.slug <> %(agent)s
                and (above.position = m.position
                     or (%(agent)s = ops.ceo(t.id)
                         and not exists (select 1 from held w where w.position = above.position and w.agent_slug is not null)))
              order by 1 limit 20) as below
  from ops.tenants t
  left join agent a on true
  left join mine m on true
  left join graph.nodes p on p.tenant_id = t.id and p.id = m.position
  left join graph.nodes o on o.tenant_id = t.id and o.id = coalesce(m.organisation, a.organisation) and o.archived_at is null
  left join lateral (select n.id, n.title from graph.edges e join graph.nodes n on n.tenant_id = t.id and n.id = e.to_id
                      where e.tenant_id = t.id and e.from_id = m.position and e.type = 'reports_to' and e.live
                        and n.archived_at is null) up on true
  left join lateral (select n.id, n.title from graph.edges e join graph.nodes n on n.tenant_id = t.id and n.id = e.to_id
                      where e.tenant_id = t.id and e.from_id = m.position and e.type = 'escalates_to' and e.live
                        and n.archived_at is null) es on true
 where t.id = ops.tenant();
