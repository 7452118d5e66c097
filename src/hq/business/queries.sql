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

-- name: set_company
-- Change the company.
update ops.tenants set name = coalesce(%(name)s, name), risk_tolerance = coalesce(%(risk)s, risk_tolerance)
 where id = ops.tenant()
returning slug, name, risk_tolerance;
