-- name: left_today
-- What the company may still spend today; nothing where it has no limit.
select min(l.usd_hard - u.usd - u.reserved_usd) as usd
  from ops.limits(array['tenant']) l
  cross join lateral ops.used(l.scope, l.period, null, %(now)s) u
 where l.scope = 'tenant' and l.period = 'day';

-- name: loads
-- How many missions each agent has under way, but for one. The open missions first (`offset 0`), then whose each is.
select o.agent, count(*) as many
  from graph.nodes m
  cross join lateral (select e.to_id as agent from graph.edges e
                       where e.tenant_id = m.tenant_id and e.from_id = m.id and e.type = 'assigned_to' and e.live offset 0) o
 where m.tenant_id = ops.tenant() and m.type = 'mission' and m.archived_at is null
   and m.status = any(%(busy)s) and m.id <> %(except)s
 group by 1;

-- name: given_skills
-- Which agents were given which of these skills.
select e.from_id as agent, e.to_id as skill from graph.edges e
 where e.tenant_id = ops.tenant() and e.type = 'has_skill' and e.live and e.to_id = any(%(skills)s);
