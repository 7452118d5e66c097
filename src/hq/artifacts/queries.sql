-- name: keep_blob
-- Bytes, once per company however often they come. Those that are held stay when an artifact of the same bytes goes.
insert into ops.blobs (tenant_id, hash, size, content, created_at, held)
values (ops.tenant(), %(hash)s, %(size)s, %(content)s, %(now)s, %(held)s)
on conflict (tenant_id, hash) do update set held = true where excluded.held and not ops.blobs.held;

-- name: blob
-- Bytes by their hash.
select content from ops.blobs where tenant_id = ops.tenant() and hash = %(hash)s;

-- name: keep
-- That a call left an artifact.
insert into ops.artifacts (tenant_id, id, action_id, name, media_type, hash, size, complete, taint, created_at, created_by)
values (ops.tenant(), %(id)s, %(action)s, %(name)s, %(media_type)s, %(hash)s, %(size)s, %(complete)s, %(taint)s, %(now)s, %(by)s);

-- name: artifacts
-- Artifacts, newest first: their ids are in the order they were made.
select id, action_id, name, media_type, size, complete, taint, created_at, created_by
  from ops.artifacts
 where tenant_id = ops.tenant()
   and (%(action)s::uuid is null or action_id = %(action)s)
   and (%(name)s::text is null or name = %(name)s)
   and (%(before)s::uuid is null or id < %(before)s)
   and (%(sees)s::text[] is null or split_part(split_part(created_by, ':', 2), '/', 1) = any(%(sees)s))
 order by id desc
 limit %(limit)s;

-- name: artifact
-- One artifact with its bytes.
select a.id, a.action_id, a.name, a.media_type, a.size, a.complete, a.taint, a.created_at, b.content
  from ops.artifacts a
  join ops.blobs b on b.tenant_id = ops.tenant() and b.hash = a.hash
 where a.tenant_id = ops.tenant() and a.id = %(id)s
   and (%(sees)s::text[] is null or split_part(split_part(a.created_by, ':', 2), '/', 1) = any(%(sees)s));
