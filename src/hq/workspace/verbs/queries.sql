-- name: tree
-- One session's working tree.
select session, state, base, saved, opened_at, opened_by, saved_at, merged_at, dropped_at
  from ops.workspace_trees
 where tenant_id = ops.tenant() and workspace_id = %(workspace)s and session = %(session)s;

-- name: trees
-- The working trees of a workspace, the latest first.
select session, state, base, saved, opened_at, opened_by, saved_at, merged_at, dropped_at
  from ops.workspace_trees
 where tenant_id = ops.tenant() and workspace_id = %(workspace)s and (%(all)s or state = 'open')
 order by opened_at desc, session
 limit 200;

-- name: open_tree
-- A session begins, or begins anew after its tree was dropped. One that is open stays as it is.
insert into ops.workspace_trees as t (tenant_id, workspace_id, session, state, base, opened_at, opened_by)
values (ops.tenant(), %(workspace)s, %(session)s, 'open', %(base)s, %(now)s, %(by)s)
on conflict (tenant_id, workspace_id, session) do update
   set state = 'open',
       base = case t.state when 'open' then t.base else excluded.base end,
       saved = case t.state when 'open' then t.saved end,
       opened_at = case t.state when 'open' then t.opened_at else excluded.opened_at end,
       opened_by = case t.state when 'open' then t.opened_by else excluded.opened_by end
returning base, saved, opened_by;

-- name: save_tree
-- What a session's tree holds now.
update ops.workspace_trees set saved = %(snapshot)s, saved_at = %(now)s
 where tenant_id = ops.tenant() and workspace_id = %(workspace)s and session = %(session)s and state = 'open'
returning base;

-- name: merge_tree
-- What a session saved has been taken over; from now on only what it does beyond that counts.
update ops.workspace_trees set base = %(snapshot)s, merged_at = %(now)s
 where tenant_id = ops.tenant() and workspace_id = %(workspace)s and session = %(session)s;

-- name: drop_trees
-- Sessions whose tree is no longer needed: one, or all.
update ops.workspace_trees set state = 'dropped', dropped_at = %(now)s
 where tenant_id = ops.tenant() and workspace_id = %(workspace)s and state = 'open'
   and (%(session)s::text is null or session = %(session)s)
returning session, base, saved;

-- name: snapshots_before
-- What a workspace held before what it holds now, the latest first.
select distinct on (v.recorded_at, v.seq) v.doc -> 'props' ->> 'snapshot' as snapshot
  from graph.versions v
 where v.tenant_id = ops.tenant() and v.item_id = %(workspace)s
   and graph.known(v, %(known_at)s, %(upto)s, %(also)s)
 order by v.recorded_at desc, v.seq desc
 limit 1000;

-- name: lock_files
-- One at a time for what a workspace holds: whoever changes it, and whoever hands it in or says what came of that.
select pg_advisory_xact_lock(hashtextextended('files:' || %(workspace)s, 0));

-- name: has_held
-- Whether a workspace holds a snapshot or has held it: itself, as what a session of it began with or saved, or as what was taken over
-- by hand. What missions on its files brought is what it held then.
select exists (select 1 from graph.versions v
                where v.tenant_id = ops.tenant() and v.item_id = %(workspace)s
                  and coalesce(v.doc -> 'props' ->> 'snapshot', %(empty)s) = %(snapshot)s)
    or exists (select 1 from ops.workspace_trees t
                where t.tenant_id = ops.tenant() and t.workspace_id = %(workspace)s and %(snapshot)s in (t.base, t.saved))
    or exists (select 1 from ops.agent_actions a
                where a.tenant_id = ops.tenant() and a.target_id = %(workspace)s and a.status = 'ok'
                  and a.action_type in ('workspace.save', 'workspace.take') and a.output ->> 'snapshot' = %(snapshot)s);

-- name: was_replaced
-- Whether a file of a workspace held this until it was written or edited.
select exists (select 1 from ops.agent_actions a
                where a.tenant_id = ops.tenant() and a.target_id = %(workspace)s and a.status = 'ok'
                  and a.action_type in ('file.write', 'file.edit') and a.output ->> 'before' = %(hash)s);

-- name: wanted_snapshots
-- Every snapshot that is still needed: held now or lately by a workspace that is not gone, or by an open tree.
select n.props ->> 'snapshot' as snapshot from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'workspace' and (n.status <> 'deleted' or n.updated_at > %(since)s)
union
select v.doc -> 'props' ->> 'snapshot' from graph.versions v join graph.nodes n
    on n.tenant_id = ops.tenant() and n.id = v.item_id and n.type = 'workspace'
 where v.tenant_id = ops.tenant() and v.recorded_at > %(since)s
union
select unnest(array[t.base, t.saved]) from ops.workspace_trees t
 where t.tenant_id = ops.tenant() and (t.state = 'open' or t.dropped_at > %(since)s);

-- name: trees_of_session
-- Where a session has a working tree.
select workspace_id, opened_by
  from ops.workspace_trees
 where tenant_id = ops.tenant() and session = %(session)s and state = 'open'
 limit 100;

-- name: wholes
-- Workspaces with files of the missions that those of a workspace are parts of, the nearest first.
with recursive missions as (
    select e.to_id as id, 0 as far from graph.edges e
     where e.tenant_id = ops.tenant() and e.from_id = %(workspace)s and e.type = 'for_mission' and e.live
    union
    select case when graph.means(e.type, 'resumes') and e.to_id = m.id then e.from_id else e.to_id end, m.far + 1
      from missions m
      join graph.edges e on e.tenant_id = ops.tenant() and e.live
       and (graph.means(e.type, 'part') and e.from_id = m.id
            or graph.means(e.type, 'resumes') and (e.to_id = m.id or e.from_id = m.id))
     where m.far < 20
)
select w.id
  from (select id, min(far) as far from missions group by id) m
  join graph.edges e on e.tenant_id = ops.tenant() and e.to_id = m.id and e.type = 'for_mission' and e.live
  join graph.nodes w on w.tenant_id = ops.tenant() and w.id = e.from_id and w.type = 'workspace'
 where w.id <> %(workspace)s and w.status <> 'deleted' and w.props ->> 'snapshot' is not null
 group by w.id
 order by min(m.far), w.id
 limit 8;

-- name: in_founders_thread
-- Whether a session is an agent's thread with the founder: what it does there, it was just told to.
select exists (select 1 from ops.sessions s
                where s.tenant_id = ops.tenant() and s.id = %(session)s and s.kind = 'thread' and s.name like 'thread:founder:%%');

-- name: works_in
-- Whose files a workspace holds, and what an agent has to do with them: it works on its mission or gave it, or one above
-- it, or one that goes on with it; its session was sent there; it made the workspace.
with recursive missions as (
    select e.to_id as id, 0 as far from graph.edges e
     where e.tenant_id = ops.tenant() and e.from_id = %(workspace)s and e.type = 'for_mission' and e.live
    union
    select case when graph.means(e.type, 'resumes') then e.from_id else e.to_id end, m.far + 1
      from missions m
      join graph.edges e on e.tenant_id = ops.tenant() and e.live
       and (graph.means(e.type, 'part') and e.from_id = m.id or graph.means(e.type, 'resumes') and e.to_id = m.id)
     where m.far < 20
)
select (select n.slug from missions m join graph.nodes n on n.tenant_id = ops.tenant() and n.id = m.id where m.far = 0
         limit 1) as mission,
       exists (select 1 from missions m
                 join graph.edges p on p.tenant_id = ops.tenant() and p.from_id = m.id
                                   and (graph.means(p.type, 'does') or graph.means(p.type, 'gives')) and p.live
                 join graph.nodes a on a.tenant_id = p.tenant_id and a.id = p.to_id
                where graph.means(a.type, 'actor') and a.slug = %(agent)s) as party,
       exists (select 1 from ops.sessions s
                where s.tenant_id = ops.tenant() and s.id = %(session)s
                  and s.trigger ->> 'workspace' = %(workspace)s::text) as sent,
       (select split_part(split_part(v.actor, ':', 2), '/', 1) from graph.versions v
         where v.tenant_id = ops.tenant() and v.item_id = %(workspace)s and split_part(v.actor, ':', 1) in ('agent', 'worker')
           and v.seq = (select min(w.seq) from graph.versions w where w.tenant_id = ops.tenant() and w.item_id = %(workspace)s)
         limit 1) as maker;

-- name: unclean
-- Whether any of these was not made by the company itself.
select exists (select 1 from unnest(%(hashes)s::text[]) h
                where not exists (select 1 from ops.clean_content c
                                   where c.tenant_id = ops.tenant() and c.hash = decode(h, 'hex')));

-- name: keep_clean
-- Contents and paths that the company made by itself; in order, so that two who keep the same do not wait for each other.
insert into ops.clean_content (tenant_id, hash, made_at)
select ops.tenant(), decode(h, 'hex'), %(now)s from unnest(%(hashes)s::text[]) h order by h
on conflict do nothing;

-- name: tree_taint
-- What came into a tree from outside, or may with a program that runs in it.
select taint from ops.workspace_trees
 where tenant_id = ops.tenant() and workspace_id = %(workspace)s and session = %(session)s;

-- name: tainted_trees
-- Whether anything from outside came into any tree of a workspace: the log of what was done there, all programs read.
select exists (select 1 from ops.workspace_trees t, unnest(t.taint) m
                where t.tenant_id = ops.tenant() and t.workspace_id = %(workspace)s and m not like 'run:%%');

-- name: taint_tree
-- A tree that something from outside comes into, or may.
update ops.workspace_trees set taint = array(select distinct m from unnest(taint || %(mark)s::text) m order by m)
 where tenant_id = ops.tenant() and workspace_id = %(workspace)s and session = %(session)s;

-- name: end_clean_run
-- A program ended that brought nothing from outside, and nothing else came into the tree meanwhile.
update ops.workspace_trees set taint = '{}'
 where tenant_id = ops.tenant() and workspace_id = %(workspace)s and session = %(session)s and taint = array[%(run)s]
returning session;
