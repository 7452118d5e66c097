-- name: minds
-- The minds of a company, in the order they are asked.
select name, provider, model, base_url, key_name, tiers, rank, seconds from ops.minds
 where tenant_id = ops.tenant() order by rank, name;

-- name: set_mind
-- Set a mind, or set it anew.
insert into ops.minds (tenant_id, name, provider, model, base_url, key_name, tiers, rank, seconds, created_at, created_by)
values (ops.tenant(), %(name)s, %(provider)s, %(model)s, %(base_url)s, %(key)s, %(tiers)s, %(rank)s, %(seconds)s,
        %(now)s, %(by)s)
on conflict (tenant_id, name) do update
   set provider = excluded.provider, model = excluded.model, base_url = excluded.base_url, key_name = excluded.key_name,
       tiers = excluded.tiers, rank = excluded.rank, seconds = excluded.seconds, created_at = excluded.created_at,
       created_by = excluded.created_by;

-- name: remove_mind
-- Forget a mind.
delete from ops.minds where tenant_id = ops.tenant() and name = %(name)s
returning name, provider, model, base_url, key_name, tiers, rank, seconds;

-- name: as_tenant
-- Work for one company until the end of the transaction.
select set_config('hq.tenant', %(tenant)s, true);

-- name: closed_doors
-- Which of these doors are closed now, and until when; and those that last refused the key, or were tested and never let anybody through.
select door, closed_until, why, refused, unproven, away, closed_until > %(now)s as closed from ops.mind_doors
 where tenant_id = ops.tenant() and door = any(%(doors)s) and (closed_until > %(now)s or unproven or refused);

-- name: door_answered
-- Whether a door has ever let anybody through.
select exists (select 1 from ops.mind_doors
                where tenant_id = ops.tenant() and door = %(door)s and answered_at is not null);

-- name: close_door
-- Close a door. What the provider said stands; a guess doubles each time, up to the longest. What is long past counts no more.
insert into ops.mind_doors as d (tenant_id, door, closed_until, why, refused, unproven, away, times, since)
values (ops.tenant(), %(door)s, %(until)s, %(why)s, %(refused)s, %(unproven)s, %(away)s, 1, %(since)s)
on conflict (tenant_id, door) do update
   set times = case when d.closed_until < %(now)s::timestamptz - interval '15 minutes' then 1 else d.times + 1 end,
       since = case when d.closed_until < %(now)s::timestamptz - interval '15 minutes' then %(since)s else d.since end,
       why = excluded.why,
       refused = excluded.refused,
       unproven = excluded.unproven,
       away = excluded.away,
       closed_until = greatest(
           case when d.closed_until > %(now)s then d.closed_until end,
           case when %(promised)s or d.closed_until < %(now)s::timestamptz - interval '15 minutes' then excluded.closed_until
                else %(now)s + least((excluded.closed_until - %(now)s) * power(2, least(d.times, 10)), %(longest)s) end)
returning closed_until;

-- name: open_door
-- A door let somebody through: it has answered, and that it was closed is forgotten, unless a quota that is used up has closed it since.
insert into ops.mind_doors as d (tenant_id, door, closed_until, why, refused, times, since, answered_at)
values (ops.tenant(), %(door)s, '-infinity', '', false, 0, %(now)s, %(now)s)
on conflict (tenant_id, door) do update
   set answered_at = coalesce(d.answered_at, excluded.answered_at),
       closed_until = case when d.unproven or d.away or d.closed_until <= %(now)s then excluded.closed_until else d.closed_until end,
       unproven = false,
       refused = false;

-- name: try_anew
-- Something else was set: what never answered before is tried as it is now.
update ops.mind_doors set unproven = false, closed_until = '-infinity' where tenant_id = ops.tenant() and unproven;

-- name: open_doors
-- All doors of a company are tried again; how many there were.
with opened as (update ops.mind_doors set closed_until = '-infinity'
                 where tenant_id = ops.tenant() and closed_until > '-infinity' returning 1)
select count(*) from opened;
