-- name: settle_in
-- Work for this tenant, in this call, until the transaction ends.
select set_config('hq.tenant', %(tenant)s, true), set_config('hq.actor', %(actor)s, true),
       set_config('hq.reason', '', true), set_config('hq.action', %(action)s, true),
       set_config('hq.seq', %(seq)s, true), set_config('hq.now', %(now)s, true);

-- name: settings
-- The settings of this call, to come back to.
select current_setting('hq.tenant') as tenant, current_setting('hq.actor') as actor,
       current_setting('hq.action') as action, current_setting('hq.seq') as seq, current_setting('hq.now') as now;

-- name: add_founder
-- The founder as a principal.
insert into ops.principals (tenant_id, id, kind, name, actor, producer_id, created_at)
values (ops.tenant(), %(id)s, 'founder', %(name)s, %(actor)s, %(producer)s, %(now)s);

-- name: add_house
-- The house's own hand in the company: what duties do, they do as it.
insert into ops.principals (tenant_id, id, kind, name, actor, producer_id, created_at)
values (ops.tenant(), %(id)s, 'house', 'hq', 'service:hq', %(producer)s, %(now)s);

-- name: add_token
-- The founder's first token.
insert into ops.credentials (tenant_id, id, principal_id, name, token_hash, scopes, created_at)
values (ops.tenant(), %(id)s, %(principal)s, 'home', %(hash)s, %(scopes)s, %(now)s);

-- name: founder_of
-- The founder of a company, or of the first one. Only for who owns the database: it is asked before anybody is known.
select t.id as tenant, t.slug, p.id as principal, p.actor, c.scopes
  from ops.tenants t
  join ops.principals p on p.tenant_id = t.id and p.kind = 'founder'
  join lateral (select scopes from ops.credentials k where k.tenant_id = t.id and k.principal_id = p.id
                 order by k.created_at limit 1) c on true
 where %(slug)s::text is null or t.slug = %(slug)s
 order by t.created_at, p.created_at
 limit 1;

-- name: record_entry
-- How somebody came in without a credential, in the company's own ledger: the founding, or a recovery.
select ops.record(%(id)s, %(principal)s, null, null, null, %(trace)s, null, %(verb)s, 'write', null, null,
                  null, %(output)s, 'ok', null, 'system', 'do', 0, null, null, '{}', null, %(events)s);

-- name: company
-- The company as it is.
select slug, name, risk_tolerance, time_zone from ops.tenants where id = ops.tenant();

-- name: company_then
-- The company as the last call that had changed it by then left it.
select t.slug, a.output ->> 'name' as name, a.output ->> 'risk_tolerance' as risk_tolerance,
       coalesce(a.output ->> 'time_zone', 'UTC') as time_zone
  from ops.agent_actions a
  join ops.tenants t on t.id = ops.tenant()
 where a.tenant_id = ops.tenant() and a.status = 'ok'
   -- The founding itself has no credential; the same verb with one has founded another company.
   and (a.action_type = 'tenant.set' or (a.action_type = 'tenant.create' and a.credential_id is null))
   and a.created_at <= %(known_at)s and (%(upto)s::bigint is null or a.seq <= %(upto)s or a.seq = any(%(also)s::bigint[]))
 order by a.seq desc
 limit 1;

-- name: set_company
-- Change the company.
update ops.tenants set name = coalesce(%(name)s, name), risk_tolerance = coalesce(%(risk)s, risk_tolerance),
       time_zone = coalesce(%(zone)s, time_zone)
 where id = ops.tenant()
returning slug, name, risk_tolerance, time_zone;

-- name: link_points
-- The links of a node that hold now or will: how each is from now on, and every change planned for it, in order.
select e.type, e.from_id = %(id)s as outward, case when e.from_id = %(id)s then v.to_id else e.from_id end as other,
       v.valid_from, coalesce((v.doc ->> 'live')::boolean, false) as live, coalesce(v.doc -> 'props', '{}') as props,
       (v.doc ->> 'confidence')::real as confidence, (v.doc ->> 'valid_to')::timestamptz as valid_to
  from graph.edges e
  cross join lateral (
      select distinct on (w.valid_from) w.valid_from, w.doc, w.to_id, w.seq
        from graph.versions w
       where w.tenant_id = ops.tenant() and w.item_id = e.id and w.valid_from >= e.valid_from
       order by w.valid_from, w.seq desc
  ) v
 where e.tenant_id = ops.tenant() and (e.from_id = %(id)s or e.to_id = %(id)s)
   and (e.live or e.next_change_at is not null)
   and (e.from_id = %(id)s or v.to_id = %(id)s)
   and ((v.doc ->> 'live')::boolean or v.valid_from > %(now)s)
   and ((v.doc ->> 'valid_to') is null or (v.doc ->> 'valid_to')::timestamptz > %(now)s)
 order by e.type, e.id, v.valid_from;

-- name: actors_of
-- The names under which a producer acts.
select p.actor from ops.principals p where p.tenant_id = ops.tenant() and p.producer_id = %(producer)s;
