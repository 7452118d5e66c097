-- name: freeze
-- Stop writes in a scope; a freeze already there stays, with the new reason's attempt ignored.
insert into ops.freezes (tenant_id, id, scope, reason, until, created_at, created_by)
values (ops.tenant(), %(id)s, %(scope)s, %(reason)s, %(until)s, %(now)s, %(by)s)
on conflict (tenant_id, scope) where lifted_at is null do nothing
returning id;

-- name: lift_expired
-- A freeze whose time is over makes room for a new one.
update ops.freezes set lifted_at = until, lifted_by = 'system:expiry'
 where tenant_id = ops.tenant() and lifted_at is null and until <= %(now)s;

-- name: thaw
-- Lift freezes: one scope, or all of them.
update ops.freezes set lifted_at = %(now)s, lifted_by = %(by)s
 where tenant_id = ops.tenant() and lifted_at is null and (%(scope)s::text is null or scope = %(scope)s)
returning scope;

-- name: freezes
-- Freezes in force then.
select scope, reason, until, created_at, created_by from ops.freezes
 where tenant_id = ops.tenant() and created_at <= %(now)s and (lifted_at is null or lifted_at > %(now)s)
   and (until is null or until > %(now)s)
 order by created_at;

-- name: homes
-- These nodes, what these calls wrote, and everything that belongs to, upward.
with recursive up(id, depth) as (
    (select unnest(%(ids)s::uuid[]), 0
     union
     select v.item_id, 0 from graph.versions v
       join ops.agent_actions a on a.tenant_id = v.tenant_id and a.seq = v.seq
      where a.tenant_id = ops.tenant() and a.id = any(%(calls)s::uuid[]) and v.kind = 'node')
    union
    select x.id, up.depth + 1
      from up
      cross join lateral (
          select e.to_id as id from graph.edges e
           where e.tenant_id = ops.tenant() and e.from_id = up.id and e.live and e.type = any(%(upward)s)
          union all
          select e.from_id from graph.edges e
           where e.tenant_id = ops.tenant() and e.to_id = up.id and e.live and e.type = any(%(downward)s)
      ) x
     where up.depth < 8
)
select distinct n.type, n.slug
  from up
  cross join lateral (select type, slug from graph.nodes where tenant_id = ops.tenant() and id = up.id) n;

-- name: vault_put
-- Store a secret, or its next version.
insert into ops.vault (tenant_id, name, version, key_id, nonce, ciphertext, created_at, created_by)
values (ops.tenant(), %(name)s, %(version)s, %(key_id)s, %(nonce)s, %(ciphertext)s, %(now)s, %(by)s)
on conflict (tenant_id, name) do update
   set version = excluded.version, key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext,
       created_at = excluded.created_at, created_by = excluded.created_by;

-- name: vault_get
-- One secret, still encrypted.
select name, version, key_id, nonce, ciphertext, created_at, created_by from ops.vault
 where tenant_id = ops.tenant() and name = %(name)s;

-- name: vault_sealed
-- The named secrets, still encrypted.
select name, version, key_id, nonce, ciphertext from ops.vault
 where tenant_id = ops.tenant() and name = any(%(names)s);

-- name: vault_list
-- The names of the secrets.
select name, version, key_id, created_at, created_by from ops.vault where tenant_id = ops.tenant() order by name;

-- name: vault_all
-- Every secret, still encrypted, for a change of key.
select name, version, key_id, nonce, ciphertext from ops.vault where tenant_id = ops.tenant() for update;

-- name: vault_remove
-- Forget a secret.
delete from ops.vault where tenant_id = ops.tenant() and name = %(name)s returning name;
