-- name: company
-- The company this call is for, by the name its directory has.
select slug from ops.tenants where id = ops.tenant();

-- name: intent_was
-- Whether the graph ever had this text as an organisation's intent.
select 1 from graph.versions v
 where v.tenant_id = ops.tenant() and v.item_id = %(id)s and v.doc -> 'props' ->> 'intent_md' = %(text)s limit 1;

-- name: sitting
-- The seat of an agent, with its role, its organisation and what that manages.
select p.id, p.slug, p.props, r.props ->> 'name' as role, o.id as organisation,
       (o.props ->> 'value_under_management')::float8 as value
  from graph.nodes a
  join graph.edges s on s.tenant_id = a.tenant_id and s.from_id = a.id and s.type = 'sits_in' and s.live
   and s.next_change_at is distinct from s.valid_from and (s.valid_to is null or s.valid_to > %(now)s)
  join graph.nodes p on p.tenant_id = s.tenant_id and p.id = s.to_id and p.type = 'position' and p.archived_at is null
  left join graph.edges h on h.tenant_id = p.tenant_id and h.from_id = p.id and h.type = 'has_role' and h.live
  left join graph.nodes r on r.tenant_id = h.tenant_id and r.id = h.to_id
  left join graph.edges i on i.tenant_id = p.tenant_id and i.from_id = p.id and i.type = 'in_organisation' and i.live
  left join graph.nodes o on o.tenant_id = i.tenant_id and o.id = i.to_id
 where a.tenant_id = ops.tenant() and a.type = 'agent' and a.slug = %(agent)s and a.archived_at is null
   and a.status <> 'retired';

-- name: spent
-- What a principal has spent in its session, or without one since the day began.
select coalesce(sum((a.input ->> 'amount')::numeric), 0) as spent
  from ops.agent_actions a
 where a.tenant_id = ops.tenant() and a.principal_id = %(principal)s and a.status = 'ok'
   and a.action_type = any(%(verbs)s) and coalesce(a.input ->> 'currency', 'USD') = %(currency)s
   and case when %(session)s::uuid is null then a.created_at >= %(today)s else a.session_id = %(session)s end;
