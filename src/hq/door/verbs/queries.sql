-- name: action
-- One call from the ledger, if it had been made by then and is seen.
select * from ops.agent_actions
 where tenant_id = ops.tenant() and id = %(id)s
   and (%(by)s::uuid[] is null or principal_id = any(%(by)s))
   and created_at <= %(known_at)s and (%(upto)s::bigint is null or seq <= %(upto)s or seq = any(%(also)s::bigint[]));

-- name: actions
-- Calls from the ledger that had been made by then, newest first.
select id, seq, actor, action_type, kind, target_kind, target_id, status, error_code, decision, reason, duration_ms,
       cost_usd, created_at, session_id, task_id, undoes
  from ops.agent_actions
 where tenant_id = ops.tenant()
   and (%(actor)s::text is null or actor = %(actor)s)
   and (%(verb)s::text is null or action_type = %(verb)s)
   and (%(status)s::text is null or status = %(status)s)
   and (%(target)s::uuid is null or target_id = %(target)s)
   and (%(task)s::uuid is null or task_id = %(task)s)
   and (%(reads)s or kind <> 'read')
   and (%(before)s::bigint is null or seq < %(before)s)
   and created_at <= %(known_at)s and (%(upto)s::bigint is null or seq <= %(upto)s or seq = any(%(also)s::bigint[]))
 order by seq desc
 limit %(limit)s;

-- name: actions_of
-- The same of some principals: of each its newest, however much others did since.
select id, seq, actor, action_type, kind, target_kind, target_id, status, error_code, decision, reason, duration_ms,
       cost_usd, created_at, session_id, task_id, undoes
  from unnest(%(by)s::uuid[]) p (principal)
 cross join lateral (
     select * from ops.agent_actions
      where tenant_id = ops.tenant() and principal_id = p.principal
        and (%(actor)s::text is null or actor = %(actor)s)
        and (%(verb)s::text is null or action_type = %(verb)s)
        and (%(status)s::text is null or status = %(status)s)
        and (%(target)s::uuid is null or target_id = %(target)s)
        and (%(task)s::uuid is null or task_id = %(task)s)
        and (%(reads)s or kind <> 'read')
        and (%(before)s::bigint is null or seq < %(before)s)
        and created_at <= %(known_at)s and (%(upto)s::bigint is null or seq <= %(upto)s or seq = any(%(also)s::bigint[]))
      order by seq desc
      limit %(limit)s) a
 order by seq desc
 limit %(limit)s;

-- name: meant
-- The verb a call comes down to: where it took another call back, that one's, and so on.
with recursive back as (
    select action_type, undoes, input from ops.agent_actions where tenant_id = ops.tenant() and id = %(id)s
    union all
    select a.action_type, a.undoes, a.input
      from back b join ops.agent_actions a on a.tenant_id = ops.tenant() and a.id = b.undoes
)
select action_type, input from back where undoes is null;

-- name: undone_by
-- The call that took this one back, unless that was itself taken back.
select u.id, u.seq from ops.agent_actions u
 where u.tenant_id = ops.tenant() and u.undoes = %(id)s and u.status = 'ok'
   and not exists (select 1 from ops.agent_actions r
                    where r.tenant_id = ops.tenant() and r.undoes = u.id and r.status = 'ok');

-- name: written
-- What a call wrote: each item, when from, and what it said there.
select v.kind, v.item_id, v.op, v.valid_from, v.touched, v.from_id, v.to_id, v.doc,
       n.slug, n.type, n.title, n.seq as now_seq,
       e.type as edge, f.slug as from_slug, t.slug as to_slug,
       not exists (select 1 from graph.versions p
                    where p.tenant_id = ops.tenant() and p.item_id = v.item_id and p.seq < v.seq) as made
  from graph.versions v
  left join graph.nodes n on n.tenant_id = ops.tenant() and n.id = v.item_id
  left join graph.edges e on e.tenant_id = ops.tenant() and e.id = v.item_id
  left join graph.nodes f on f.tenant_id = ops.tenant() and f.id = v.from_id
  left join graph.nodes t on t.tenant_id = ops.tenant() and t.id = v.to_id
 where v.tenant_id = ops.tenant() and v.seq = %(seq)s and v.op <> 'carry'
 order by v.kind desc, v.item_id, v.valid_from;

-- name: written_later
-- Later calls that said something of the same things this one said something of, and still stand.
select distinct l.seq, l.action_id, l.actor, l.recorded_at, a.action_type, l.item_id,
       array(select unnest(l.touched) intersect select unnest(v.touched)) as both
  from graph.versions v
  join graph.versions l on l.tenant_id = ops.tenant() and l.item_id = v.item_id and l.seq > v.seq and l.op <> 'carry'
  join ops.agent_actions a on a.tenant_id = ops.tenant() and a.seq = l.seq
 where v.tenant_id = ops.tenant() and v.seq = %(seq)s and v.op <> 'carry'
   and (l.touched && v.touched or v.op = 'insert')
   and a.undoes is null
   and not exists (select 1 from ops.agent_actions r
                    where r.tenant_id = ops.tenant() and r.undoes = a.id and r.status = 'ok'
                      and not exists (select 1 from ops.agent_actions rr
                                       where rr.tenant_id = ops.tenant() and rr.undoes = r.id and rr.status = 'ok'))
 order by l.seq;

-- name: leaning_on
-- Later links to or from a node this call made, and still live.
select distinct e.id, e.seq, e.action_id, e.type, a.action_type, a.actor
  from graph.versions v
  join graph.edges e on e.tenant_id = ops.tenant() and e.live and v.item_id in (e.from_id, e.to_id)
  join graph.versions w on w.tenant_id = ops.tenant() and w.item_id = e.id and w.seq > v.seq and w.op = 'link'
  join ops.agent_actions a on a.tenant_id = ops.tenant() and a.seq = w.seq
 where v.tenant_id = ops.tenant() and v.seq = %(seq)s and v.kind = 'node' and v.op = 'insert'
   and not exists (select 1 from graph.versions m where m.tenant_id = ops.tenant() and m.item_id = e.id and m.seq = v.seq);

-- name: read_later
-- How often others looked at what this call wrote since.
select count(*) as times, count(distinct a.actor) as actors
  from ops.agent_actions a
 where a.tenant_id = ops.tenant() and a.seq > %(seq)s and a.kind = 'read' and a.status = 'ok'
   and a.target_id in (select v.item_id from graph.versions v where v.tenant_id = ops.tenant() and v.seq = %(seq)s);

-- name: take_back
-- Put every change point of a call back to what it said before.
select graph.take_back(%(seq)s, %(except)s) as points;

-- name: broken_links
-- Links of the ledger's chain that do not hold.
select * from ops.broken_links(%(after)s, %(batch)s);

-- name: chain_length
-- How long the chain is, and what is settled but not linked.
select (select max(position) from ops.ledger where tenant_id = ops.tenant()) as length,
       (select encode(l.chain, 'hex') from ops.ledger l where l.tenant_id = ops.tenant()
         order by l.position desc limit 1) as head,
       (select count(*) from ops.agent_actions a, ops.announcer n
         where a.tenant_id = ops.tenant() and a.seq <= n.chained
           and not exists (select 1 from ops.ledger l where l.tenant_id = ops.tenant() and l.seq = a.seq)) as unlinked,
       (select count(*) from graph.versions v, ops.announcer n
         where v.tenant_id = ops.tenant() and v.seq <= n.chained
           and not exists (select 1 from ops.agent_actions a where a.tenant_id = ops.tenant() and a.seq = v.seq)) as orphans,
       (select count(*) from ops.outbox o, ops.announcer n
         where o.tenant_id = ops.tenant() and o.seq <= n.chained
           and not exists (select 1 from ops.agent_actions a where a.tenant_id = ops.tenant() and a.seq = o.seq)) as strays,
       (select count(*) from graph.nodes x
         cross join lateral graph.version_at(x.tenant_id, x.id, greatest(x.valid_from, %(now)s), 'infinity', null, '{}') v
         where x.tenant_id = ops.tenant() and x.next_change_at is null
           and (x.title, x.status, x.props, x.archived_at)
               is distinct from (v.doc ->> 'title', v.doc ->> 'status', v.doc -> 'props', (v.doc ->> 'archived_at')::timestamptz)
       ) as unlike,
       (select count(*) from ops.agent_actions a, ops.announcer n
         where a.tenant_id = ops.tenant() and a.seq > n.chained) as waiting;

-- name: link_of
-- Where in the chain a head noted down earlier is.
select position from ops.ledger where tenant_id = ops.tenant() and chain = %(chain)s limit 1;

-- name: principals
-- Who may come in, with the credentials that were live then.
select p.id as principal_id, p.kind, p.name as principal, p.actor, c.id, c.name, c.scopes, c.created_at, c.expires_at,
       case when c.revoked_at <= %(now)s then c.revoked_at end as revoked_at, c.used_at, c.single_use
  from ops.principals p
  join ops.credentials c on c.tenant_id = ops.tenant() and c.principal_id = p.id
 where p.tenant_id = ops.tenant() and c.created_at <= %(now)s
   and (%(all)s or ((c.revoked_at is null or c.revoked_at > %(now)s) and (c.used_at is null or c.used_at > %(now)s)
                    and (c.expires_at is null or c.expires_at > %(now)s)))
 order by c.created_at desc
 limit 500;

-- name: principal_by_actor
-- A principal by the name it acts under.
select * from ops.principals where tenant_id = ops.tenant() and actor = %(actor)s;

-- name: is_person
-- Whether something is said to be made by it whenever a person comes in.
select exists (select 1 from ops.principals
                where tenant_id = ops.tenant() and kind in ('founder', 'device') and producer_id = %(id)s) as so;

-- name: add_principal
-- A new principal.
insert into ops.principals (tenant_id, id, kind, name, actor, producer_id, created_at)
values (ops.tenant(), %(id)s, %(kind)s, %(name)s, %(actor)s, %(producer)s, %(now)s);

-- name: add_credential
-- A new credential; only the hash of its token is kept.
insert into ops.credentials (tenant_id, id, principal_id, name, token_hash, scopes, single_use, created_at, expires_at, origin_id)
values (ops.tenant(), %(id)s, %(principal)s, %(name)s, %(hash)s, %(scopes)s, %(single)s, %(now)s, %(expires)s, %(origin)s);

-- name: revoke
-- End credentials: one, or all of a principal, and whatever was made from them.
with recursive ended as (
    select id from ops.credentials where tenant_id = ops.tenant() and (id = %(id)s or principal_id = %(id)s)
    union
    select c.id from ops.credentials c join ended e on c.origin_id = e.id where c.tenant_id = ops.tenant()
)
update ops.credentials set revoked_at = %(now)s
 where tenant_id = ops.tenant() and revoked_at is null and id in (select id from ended)
returning id, name;

-- name: first_of
-- What a credential goes back to: the one that was made from no other.
with recursive made as (
    select id, origin_id from ops.credentials where tenant_id = ops.tenant() and id = %(id)s
    union
    select c.id, c.origin_id from ops.credentials c join made m on c.id = m.origin_id where c.tenant_id = ops.tenant()
)
select id from made where origin_id is null;

-- name: credential
-- What a credential is called.
select name from ops.credentials where tenant_id = ops.tenant() and id = %(id)s;

-- name: staff
-- Who works here, by what they may be called.
select n.slug, n.title, n.props ->> 'kind' as kind, n.props ->> 'role' as role
  from graph.nodes n
 where n.tenant_id = ops.tenant() and graph.means(n.type, 'actor') and n.archived_at is null
 order by n.slug;
