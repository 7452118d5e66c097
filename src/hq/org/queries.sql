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

-- name: spent
-- What a principal has spent in its session, or without one since the day began.
select coalesce(sum((a.input ->> 'amount')::numeric), 0) as spent
  from ops.agent_actions a
 where a.tenant_id = ops.tenant() and a.principal_id = %(principal)s and a.status = 'ok'
   and a.action_type = any(%(verbs)s) and coalesce(a.input ->> 'currency', 'USD') = %(currency)s
   and case when %(session)s::uuid is null then a.created_at >= %(today)s else a.session_id = %(session)s end;
