-- name: versions
-- What nodes said in a stretch of calls.
select v.item_id, v.doc, v.recorded_at, v.valid_from
  from graph.versions v
 where v.tenant_id = ops.tenant() and v.kind = 'node' and v.seq > %(from)s and v.seq <= %(upto)s;

-- name: nodes
-- Nodes as they stand, archived or not.
select n.id, n.type, n.slug, n.title, n.props, n.occurred_at, n.created_at, n.archived_at
  from graph.nodes n where n.tenant_id = ops.tenant() and n.id = any(%(ids)s);

-- name: talk
-- In which conversation a node was said, and by whom.
select e.from_id, graph.means(e.type, 'said_by') as by, e.to_id from graph.edges e
 where e.tenant_id = ops.tenant() and e.from_id = any(%(ids)s) and (graph.means(e.type, 'said_in') or graph.means(e.type, 'said_by')) and e.live
 order by e.valid_from;

-- name: bodies
-- What passages say, each text once, without what the model has seen.
select distinct on (p.hash) p.hash, p.body from graph.passages p
 where p.tenant_id = ops.tenant() and p.id = any(%(ids)s)
   and not exists (select 1 from graph.embeddings e
                    where e.tenant_id = ops.tenant() and e.model = %(model)s and e.hash = p.hash);

-- name: alike
-- Words of names that share a spelling with one of these keys.
select distinct s.word from graph.spellings s where s.tenant_id = ops.tenant() and s.key = any(%(keys)s) limit 200;

-- name: names
-- What nodes are called now.
select n.id, n.title from graph.nodes n where n.tenant_id = ops.tenant() and n.id = any(%(ids)s);

-- name: opening
-- What a search begins with: what is called so (with `by_prefix` also what begins so), the model that serves, who of
-- those who speak here is named, and the words in every language that is written here.
select array(select n.id from graph.nodes n where n.tenant_id = ops.tenant() and n.slug = any(%(slugs)s)
             union
             (select n.id from graph.nodes n
               where n.tenant_id = ops.tenant() and %(by_prefix)s and n.slug >= %(prefix)s and n.slug < %(prefix)s || '~'
                 and starts_with(n.slug, %(prefix)s)
               order by n.slug limit %(limit)s)) as ids,
       (select m.id from graph.models m where m.state = 'serving') as model,
       (select m.name from graph.models m where m.state = 'serving') as model_name,
       array(select s.word from graph.speakers s
              where s.tenant_id = ops.tenant() and s.word = any(%(words)s) order by s.word, s.speaker) as names,
       array(select s.speaker from graph.speakers s
              where s.tenant_id = ops.tenant() and s.word = any(%(words)s) order by s.word, s.speaker) as speakers,
       (select json_agg(json_build_array(t.place, t.language, t.stem, t.term, t.df, t.idf) order by t.df, t.place)
          from graph.query_terms(case when %(by_words)s then %(words)s::text[] end) t) as terms;

-- name: own
-- The newest passages of what somebody made, and of what leads to them.
select p.id from graph.passages p
 where p.tenant_id = ops.tenant() and p.past = any(%(pasts)s::boolean[])
   and p.source_id in (select e.from_id from graph.edges e
                        where e.tenant_id = ops.tenant() and e.to_id = any(%(parties)s::uuid[]) and e.live
                          and e.type = any(%(edges)s::text[])
                       union all
                       select n.id from graph.nodes n
                        where n.tenant_id = ops.tenant() and n.producer_id = any(%(producers)s::uuid[])
                          and n.type = any(%(types)s::text[]))
 order by p.id desc
 limit 2000;
