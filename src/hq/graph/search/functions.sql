-- The index, written and read. All of it runs as the owner with the tenant in every condition: row security would make
-- the planner leave the indexes aside.

-- A word of a language, as a number.
create or replace function graph.term(_language text, _stem text) returns bigint
    language sql immutable parallel safe
    return hashtextextended(_language || ' ' || _stem, 0);

-- A text with only its words left, so that none of them hides in an address, a path or a number with a sign.
create or replace function graph.plain(_text text) returns text
    language sql immutable parallel safe
    return translate(_text, $c$!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~$c$, '                                ');

-- Which items changed in the calls behind `_from`, up to the announcer's watermark, at most `_batch` calls. Names
-- items, never what they say: that is read as their tenant.
create or replace function graph.to_index(_batch integer)
    returns table (tenant_id uuid, items uuid[], from_seq bigint, upto_seq bigint)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    -- A plan made while there is little would be kept, and read everything when there is much.
    set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    mark bigint;
    last bigint;
begin
    select indexed into mark from graph.indexer;
    select max(s.seq) into last
      from (select a.seq from ops.agent_actions a
             where a.seq > mark and a.seq <= (select watermark from ops.announcer)
             order by a.seq limit _batch) s;
    if last is null then
        return;
    end if;
    return query
        select a.tenant_id, array_agg(distinct case when v.kind = 'node' then v.item_id else v.from_id end), mark, last
          from ops.agent_actions a
          left join graph.versions v on v.tenant_id = a.tenant_id and v.seq = a.seq and a.kind <> 'read'
         where a.seq > mark and a.seq <= last
         group by a.tenant_id;
end $$;

create or replace function graph.indexed(_upto bigint) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update graph.indexer set indexed = greatest(indexed, _upto);
end;

-- Keep what sources say: `_rows` are the passages of the texts that a stretch of calls gave them, and of what they say
-- now. New ones are indexed; known ones move to another place, time or side of `past`; whatever else a source said and
-- does not say any more goes into the past.
create or replace function graph.put_passages(_sources uuid[], _rows jsonb) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    t     uuid := ops.tenant();
    moved record;
begin
    for moved in
        select p.id, p.language, p.length, coalesce(r.past, true) as past
          from graph.passages p
          left join jsonb_to_recordset(_rows) r(source uuid, whole bytea, part smallint, past boolean)
            on r.source = p.source_id and r.whole = p.whole and r.part = p.part
         where p.tenant_id = t and p.source_id = any (_sources) and p.past <> coalesce(r.past, true)
    loop
        perform graph.move_words(moved.id, moved.language, moved.length, moved.past);
    end loop;
    update graph.passages p
       set thread = r.thread, speaker = r.speaker, at = r.at, known_from = least(p.known_from, r.known_from)
      from jsonb_to_recordset(_rows) r(source uuid, whole bytea, part smallint, thread uuid, speaker uuid,
                                       at timestamptz, known_from timestamptz)
     where p.tenant_id = t and p.source_id = r.source and p.whole = r.whole and p.part = r.part
       and (p.known_from > r.known_from or (p.thread, p.speaker, p.at) is distinct from (r.thread, r.speaker, r.at));
    with given as materialized (
        select r.*, v.words_of, coalesce(v.total, 0)::smallint as length
          from jsonb_to_recordset(_rows) r(source uuid, whole bytea, part smallint, hash bytea, body text, words text,
                                           language text, thread uuid, speaker uuid, at timestamptz, past boolean,
                                           known_from timestamptz)
         cross join lateral (select x.words_of, (select sum(cardinality(l.positions)) from unnest(x.words_of) l) as total
                               from (select to_tsvector(r.language::regconfig, graph.plain(coalesce(r.words, r.body))) as words_of) x) v
    ), fresh as (
        insert into graph.passages (tenant_id, source_id, whole, part, hash, body, words, language, length, thread,
                                    speaker, at, past, known_from)
        select t, g.source, g.whole, g.part, g.hash, g.body, g.words, g.language, g.length, g.thread, g.speaker, g.at,
               g.past, g.known_from
          from given g
        on conflict do nothing
        returning id, source_id, whole, part, language, length, past
    ), held as materialized (
        select f.id, f.past, f.length, graph.term(f.language, l.lexeme) as term, cardinality(l.positions) as tf
          from fresh f
          join given g on g.source = f.source_id and g.whole = f.whole and g.part = f.part
         cross join lateral unnest(g.words_of) l
    ), posted as (
        insert into graph.postings select t, h.past, h.term, h.id, h.tf, h.length from held h order by h.term, h.id
        on conflict do nothing
    ), counted as (
        insert into graph.terms as x select t, h.term, count(*) from held h where not h.past group by h.term order by h.term
        on conflict (tenant_id, term) do update set df = x.df + excluded.df
    )
    insert into graph.corpora as c
    select t, f.language, count(*), sum(f.length) from fresh f where not f.past group by f.language
    on conflict (tenant_id, language) do update
       set passages = c.passages + excluded.passages, tokens = c.tokens + excluded.tokens;
end $$;

-- A passage goes into the past, or comes back from it: its words with it.
create or replace function graph.move_words(_passage bigint, _language text, _length integer, _past boolean) returns void
    language sql
    set search_path = pg_catalog, pg_temp
begin atomic
    update graph.passages set past = _past where tenant_id = ops.tenant() and id = _passage;
    insert into graph.corpora as c
    values (ops.tenant(), _language, case when _past then -1 else 1 end, case when _past then -_length else _length end)
    on conflict (tenant_id, language) do update
       set passages = c.passages + excluded.passages, tokens = c.tokens + excluded.tokens;
    with held as (
        select graph.term(_language, l.lexeme) as term
          from graph.passages s, unnest(to_tsvector(_language::regconfig, graph.plain(coalesce(s.words, s.body)))) l
         where s.tenant_id = ops.tenant() and s.id = _passage
    ), gone as (
        delete from graph.postings p using held h
         where p.tenant_id = ops.tenant() and p.past = not _past and p.term = h.term and p.passage = _passage
        returning p.term, p.tf, p.length
    ), put as (
        insert into graph.postings select ops.tenant(), _past, g.term, _passage, g.tf, g.length from gone g
        on conflict do nothing
    )
    insert into graph.terms as x select ops.tenant(), g.term, case when _past then -1 else 1 end from gone g order by 2
    on conflict (tenant_id, term) do update set df = x.df + excluded.df;
end;

create or replace function graph.put_names(_keys text[], _words text[], _names text[], _speakers uuid[]) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    insert into graph.spellings select ops.tenant(), u.key, u.word from unnest(_keys, _words) u(key, word)
    on conflict do nothing;
    insert into graph.speakers select ops.tenant(), u.name, u.speaker from unnest(_names, _speakers) u(name, speaker)
    on conflict do nothing;
end;

-- The words of a query in every language the tenant writes in: its place in the query, its number, how rare it is.
create or replace function graph.query_terms(_words text[])
    returns table (place smallint, language text, stem text, term bigint, df integer, idf real)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select w.nr::smallint, c.language, l.lexeme, graph.term(c.language, l.lexeme), greatest(coalesce(t.df, 0), 0),
           ln(1 + (greatest(c.passages - coalesce(t.df, 0), 0) + 0.5) / (greatest(coalesce(t.df, 0), 0) + 0.5))::real
      from graph.corpora c
     cross join unnest(_words) with ordinality w(word, nr)
     cross join lateral unnest(to_tsvector(c.language::regconfig, w.word)) l
      left join graph.terms t on t.tenant_id = ops.tenant() and t.term = graph.term(c.language, l.lexeme)
     where c.tenant_id = ops.tenant()
     order by coalesce(t.df, 0), w.nr;
end;

-- The passages nearest to a vector. A tenant with few is looked at whole; in a large one the
-- index is asked, which goes on until it has found enough of this tenant's.
create or replace function graph.nearest(_model smallint, _vector halfvec, _take integer, out passages bigint[])
    language plpgsql stable security definer
    set search_path = pg_catalog, public, pg_temp
as $$
declare
    t     uuid := ops.tenant();
    model graph.models;
    many  bigint;
begin
    select * into model from graph.models m where m.id = _model;
    select e.vectors into many from graph.embedded e where e.tenant_id = t and e.model = _model;
    if many is null then
        return;
    elsif many <= 8000 or not model.indexed then
        passages := array(select e.passage from graph.contexts e
                           where e.tenant_id = t and e.model = _model order by (e.vector <#> _vector) + 0 limit _take);
    else
        perform set_config('hnsw.iterative_scan', 'relaxed_order', true),
                set_config('hnsw.ef_search', least(_take, 1000)::text, true);
        execute format(
            'select array(select e.passage from graph.contexts e where e.tenant_id = $2 and e.model = %2$s
                           order by e.vector::halfvec(%1$s) <#> $1 limit $3)', model.dimensions, model.id)
           into passages using _vector, t, _take;
    end if;
end $$;

-- The passages of all nodes that filters let through, where those are few; nothing where they are many. Put together
-- from the filters there are, because each has an index of its own. `_types` are all there are where none is asked for.
create or replace function graph.narrowed(_pasts boolean[], _types text[], _status text, _tags text[],
                                          _since timestamptz, _until timestamptz, _producer uuid, out passages bigint[])
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    most constant integer := 2000;
begin
    execute 'select array(select p.id from graph.nodes n
                            join graph.passages p on p.tenant_id = $1 and p.source_id = n.id and p.past = any ($2)
                           where n.tenant_id = $1 and n.type = any ($3)'
            || case when _status is not null then ' and n.status = $4' else '' end
            || case when _tags is not null then ' and n.tags @> $5 and n.tags <> array[]::text[]' else '' end
            || case when _since is not null then ' and n.occurred_at >= $6' else '' end
            || case when _until is not null then ' and n.occurred_at < $7' else '' end
            || case when _producer is not null then ' and n.producer_id = $8' else '' end
            -- Archived ones are past; only a search that looks back wants them.
            || case when true = any (_pasts) then '' else ' and n.archived_at is null' end
            || ' limit $9)'
       into passages
      using ops.tenant(), _pasts, _types, _status, _tags, _since, _until, _producer, most + 1;
    if cardinality(passages) > most then
        passages := null;
    end if;
end $$;

-- What may answer a query: the best passages by words and by vector, each with the words it holds (a bit for each place
-- in the query) and its likeness, and the passages said around them. The terms come rarest first. Common ones are read only as far as the budget goes,
-- newest first, and else looked up in what the others found.
-- What it takes and returns has changed.
drop function if exists graph.candidates;
create or replace function graph.candidates(
    _terms bigint[], _places smallint[], _idfs real[], _dfs integer[], _model smallint, _vector halfvec,
    _pasts boolean[], _known_at timestamptz, _types text[], _status text, _tags text[], _since timestamptz,
    _until timestamptz, _producer uuid, _narrow bigint[], _speakers uuid[], _months integer[], _years integer[],
    _take integer, _around integer)
    returns table (id bigint, source_id uuid, whole bytea, body text, thread uuid, speaker uuid, at timestamptz,
                   before bigint[], after bigint[], similar real, places bigint)
    language plpgsql stable security definer
    set search_path = pg_catalog, public, pg_temp
    -- Planning this takes longer than running it, and no value makes another plan better.
    set plan_cache_mode = force_generic_plan
    set enable_memoize = off
as $$
#variable_conflict use_column
declare
    t        uuid := ops.tenant();
    most     constant integer := 3000;
    budget   constant integer := 5000;
    -- Where few things are asked about, those are looked at and nothing else.
    narrow   bigint[] := _narrow;
    filtered boolean := _narrow is null and (_types is not null or _producer is not null or _status is not null or _tags is not null
                        or _since is not null or _until is not null);
    likely   boolean := _speakers <> '{}' or _months <> '{}';
    near     bigint[];
    -- BM25 with k1 = 0.9 and b = 0.4: what each word of a passage takes away. Floats, because numerics are slow.
    shorter  real;
begin
    if t is null then
        return;
    end if;
    select 0.36 * sum(c.passages) / nullif(sum(c.tokens), 0) into shorter from graph.corpora c where c.tenant_id = t;
    shorter := coalesce(shorter, 0.36);
    if _vector is not null and narrow is null then
        near := graph.nearest(_model, _vector, case when filtered then _take * 4 else _take end);
    elsif _vector is not null then
        near := array(select e.passage from graph.contexts e
                       where e.tenant_id = t and e.model = _model and e.passage = any (narrow)
                       order by (e.vector <#> _vector) + 0 limit _take);
    end if;
    return query
    with terms as materialized (
        select u.*, u.nr = 1 or sum(least(u.df, most)) over (order by u.nr) <= budget as whole
          from unnest(_terms, _places, _idfs, _dfs) with ordinality u(term, place, idf, df, nr)
    ), hits as (
        select b.place, b.idf, p.passage, p.tf, p.length
          from terms b
         cross join unnest(_pasts) s(past)
         cross join lateral (select p.passage, p.tf, p.length from graph.postings p
                              where p.tenant_id = t and p.past = s.past and p.term = b.term
                              order by p.passage desc limit most) p
         where narrow is null and b.whole
        union all
        select b.place, b.idf, p.passage, p.tf, p.length
          from terms b
         cross join unnest(_pasts) s(past)
         cross join lateral (select p.passage, p.tf, p.length from graph.postings p
                              where p.tenant_id = t and p.past = s.past and p.term = b.term and p.passage = any (narrow)) p
         where narrow is not null
    ), scored as materialized (
        select h.passage, sum(h.idf * h.tf / (h.tf + 0.54::real + shorter * h.length)) as score,
               bit_or(1::bigint << h.place - 1) as places
          from hits h group by h.passage
    ), worded as materialized (
        select s.passage, s.score from scored s
         order by s.score desc, s.passage desc
         limit case when filtered and likely then 2000 when filtered then null when likely then 8 * _take else _take end
    ), liked as materialized (
        -- Who said it and when counts already here, for those among whom there is a choice.
        select w.passage, w.score + case when likely then (
                   select (case when p.speaker = any (_speakers) then 0.25 else 0 end
                           + case when extract(month from p.at) = any (_months)
                                       and (_years = '{}' or extract(year from p.at) = any (_years)) then 0.5 else 0 end)
                          * (select sum(b.idf) from terms b)
                     from graph.passages p where p.tenant_id = t and p.id = w.passage) else 0 end as score
          from worded w
    ), best as materialized (
        -- In their order, so that filtering ends with the last one that is taken.
        select w.passage, w.score from (select * from liked l order by l.score desc, l.passage desc) w
         where not filtered or exists (
            select 1 from graph.passages p join graph.nodes n on n.tenant_id = t and n.id = p.source_id
             where p.tenant_id = t and p.id = w.passage
               and (_types is null or n.type = any (_types)) and (_producer is null or n.producer_id = _producer)
               and (_status is null or n.status = _status) and (_tags is null or n.tags @> _tags)
               and (_since is null or p.at >= _since) and (_until is null or p.at < _until))
         limit _take
    ), alike as materialized (
        select p.id as passage
          from unnest(near) x(passage)
          join graph.passages p on p.tenant_id = t and p.id = x.passage and p.past = any (_pasts)
         where not filtered or exists (
            select 1 from graph.nodes n where n.tenant_id = t and n.id = p.source_id
               and (_types is null or n.type = any (_types)) and (_producer is null or n.producer_id = _producer)
               and (_status is null or n.status = _status) and (_tags is null or n.tags @> _tags)
               and (_since is null or p.at >= _since) and (_until is null or p.at < _until))
         limit 2 * _take
    ), found as materialized (
        -- What holds the words is looked at with two messages before and after it, what is only alike with one.
        select p.id, a.before, a.after
          from (select passage, max(reach) as reach
                  from (select passage, _around as reach from best union all select passage, 1 from alike) e
                 group by passage) b
          join graph.passages p on p.tenant_id = t and p.id = b.passage
         cross join lateral (select
            array(select o.id from graph.passages o
                   where o.tenant_id = t and o.thread = p.thread and not o.past and (o.at, o.id) < (p.at, p.id)
                   order by o.at desc, o.id desc limit b.reach) as before,
            array(select o.id from graph.passages o
                   where o.tenant_id = t and o.thread = p.thread and not o.past and (o.at, o.id) > (p.at, p.id)
                   order by o.at, o.id limit b.reach) as after) a
         where p.known_from <= _known_at
    ), shown as materialized (
        select p.id, p.source_id, p.whole, p.body, p.thread, p.speaker, p.at, s.before, s.after
          from (select e.id, max(e.before) as before, max(e.after) as after
                  from (select f.id, f.before, f.after from found f
                        union all
                        select unnest(f.before || f.after), null, null from found f) e
                 group by e.id) s
          join graph.passages p on p.tenant_id = t and p.id = s.id
    ), held as (
        select h.passage, bit_or(h.places) as places
          from (select c.passage, c.places from scored c where c.passage in (select s.id from shown s)
                union all
                select p.passage, 1::bigint << b.place - 1
                  from terms b
                 cross join lateral (select p.passage from graph.postings p
                                      where p.tenant_id = t and p.past = any (_pasts) and p.term = b.term
                                        and p.passage = any (array(select s.id from shown s))) p
                 where narrow is null and not b.whole) h
         group by h.passage
    )
    select s.id, s.source_id, s.whole, s.body, s.thread, s.speaker, s.at, s.before, s.after,
           (select (- (e.vector <#> _vector))::real from graph.contexts e
             where e.tenant_id = t and e.model = _model and e.passage = s.id and _vector is not null),
           coalesce(h.places, 0)
      from shown s left join held h on h.passage = s.id;
end $$;

-- A passage with the query's words marked, cut to where they are.
create or replace function graph.snippets(_ids bigint[], _languages text[], _stems text[], _shape text)
    returns table (id bigint, snippet text)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select p.id, ts_headline(p.language::regconfig, p.body, coalesce(q.query, ''::tsquery), _shape)
      from graph.passages p
      left join (select u.language, string_agg(quote_literal(replace(u.stem, '\', '\\')), ' | ')::tsquery as query
                   from unnest(_languages, _stems) u(language, stem) group by u.language) q on q.language = p.language
     where p.tenant_id = ops.tenant() and p.id = any (_ids);
end;

-- Embedding models: make one known, say how far it came, let it serve.
create or replace function graph.add_model(_name text, _dimensions integer) returns smallint
    language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
as $$
declare
    made smallint;
begin
    insert into graph.models (name, dimensions, state)
    values (_name, _dimensions, case when exists (select 1 from graph.models where state = 'serving')
                                     then 'building' else 'serving' end)
    on conflict (name) do update
       set state = case when graph.models.state = 'retired' then 'building' else graph.models.state end
    returning id into made;
    return made;
end $$;

-- Which passages behind the model's mark still want a vector: by tenant, at most `_batch`.
create or replace function graph.to_embed(_model smallint, _batch integer)
    returns table (tenant_id uuid, passages bigint[], upto bigint)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
begin atomic
    select s.tenant_id, array_agg(s.id), max(max(s.id)) over ()
      from (select p.tenant_id, p.id from graph.passages p
             where p.id > (select m.upto from graph.models m where m.id = _model) order by p.id limit _batch) s
     group by s.tenant_id;
end;

create or replace function graph.put_embeddings(_model smallint, _hashes bytea[], _vectors text[]) returns void
    language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
as $$
begin
    insert into graph.embeddings select ops.tenant(), _model, u.hash, u.vector::halfvec
      from unnest(_hashes, _vectors) u(hash, vector)
    on conflict do nothing;
end $$;

-- Passages have got their vectors: put each into its conversation, and those said around it anew.
create or replace function graph.put_contexts(_model smallint, _passages bigint[]) returns void
    language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
as $$
declare
    t    uuid := ops.tenant();
    size integer := (select dimensions from graph.models where id = _model);
    -- As whole floats: a product of halves may be too small for one, which is an error.
    near vector := array_fill(0.6::real, array[size])::vector;
    far  vector := array_fill(0.3::real, array[size])::vector;
begin
    with given as materialized (
        select p.id, p.thread, p.at, p.past from graph.passages p where p.tenant_id = t and p.id = any (_passages)
    ), touched as materialized (
        select g.id from given g
        union
        select o.id from given g
         cross join lateral (
            (select x.id from graph.passages x
              where x.tenant_id = t and x.thread = g.thread and not x.past and (x.at, x.id) < (g.at, g.id)
              order by x.at desc, x.id desc limit 2)
            union all
            (select x.id from graph.passages x
              where x.tenant_id = t and x.thread = g.thread and not x.past and (x.at, x.id) > (g.at, g.id)
              order by x.at, x.id limit 2)) o
         where g.thread is not null and not g.past
    ), line as materialized (
        select c.id, c.id as other, 0 as step from touched c
        union all
        select c.id, o.id, o.step from touched c
          join graph.passages p on p.tenant_id = t and p.id = c.id and p.thread is not null
         cross join lateral (
            (select x.id, row_number() over (order by x.at desc, x.id desc) as step from graph.passages x
              where x.tenant_id = t and x.thread = p.thread and not x.past and (x.at, x.id) < (p.at, p.id)
              order by x.at desc, x.id desc limit 2)
            union all
            (select x.id, row_number() over (order by x.at, x.id) from graph.passages x
              where x.tenant_id = t and x.thread = p.thread and not x.past and (x.at, x.id) > (p.at, p.id)
              order by x.at, x.id limit 2)) o
    ), summed as (
        select l.id, l2_normalize(sum(case l.step when 0 then e.vector::vector when 1 then e.vector::vector * near
                                                  else e.vector::vector * far end))::halfvec as vector
          from line l
          join graph.passages p on p.tenant_id = t and p.id = l.other
          join graph.embeddings e on e.tenant_id = t and e.model = _model and e.hash = p.hash
         group by l.id
    ), fresh as (
        insert into graph.contexts as c select t, _model, s.id, s.vector from summed s
        on conflict (tenant_id, model, passage) do update set vector = excluded.vector
        returning xmax = 0 as is_new
    )
    insert into graph.embedded as e select t, _model, count(*) filter (where f.is_new) from fresh f
    on conflict (tenant_id, model) do update set vectors = e.vectors + excluded.vectors;
end $$;

-- Everything up to this passage has its vector. A model that caught up takes over from the one that served. An index is
-- made as soon as one tenant has so many vectors that looking at all of them takes long, and not later, although one by
-- one the rest cost more: while an index is made nothing can be announced, and of a few thousand that is a moment.
create or replace function graph.embedded_upto(_model smallint, _upto bigint) returns text
    language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
    set maintenance_work_mem = '256MB'
as $$
declare
    model graph.models;
begin
    update graph.models set upto = greatest(upto, _upto) where id = _model returning * into model;
    if not model.indexed and exists (select 1 from graph.embedded e where e.model = _model and e.vectors > 8000) then
        execute format('create index if not exists %I on graph.contexts using hnsw ((vector::halfvec(%s)) halfvec_ip_ops)
                         where model = %s', 'contexts_near_' || model.id, model.dimensions, model.id);
        update graph.models set indexed = true where id = _model;
    end if;
    if model.upto < coalesce((select max(id) from graph.passages), 0) then
        return model.state;
    end if;
    if model.state = 'building' then
        update graph.models set state = 'retired' where state = 'serving';
        update graph.models set state = 'serving' where id = _model;
        return 'serving';
    end if;
    return model.state;
end $$;

-- Lets go of vectors of models that serve no more, one tenant after the other, at most `_batch` at a time. How many
-- went. Whoever sets such a model again begins anew.
create or replace function graph.forget_vectors(_batch integer) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
as $$
declare
    old  record;
    many integer;
begin
    select e.tenant_id, m.id, m.indexed into old
      from graph.models m join graph.embedded e on e.model = m.id where m.state = 'retired' limit 1;
    if not found then
        return 0;
    end if;
    if old.indexed then
        execute format('drop index if exists graph.%I', 'contexts_near_' || old.id);
    end if;
    update graph.models set upto = 0, indexed = false where id = old.id and (indexed or upto > 0);
    delete from graph.contexts c using (select x.passage from graph.contexts x
                                         where x.tenant_id = old.tenant_id and x.model = old.id limit _batch) g
     where c.tenant_id = old.tenant_id and c.model = old.id and c.passage = g.passage;
    get diagnostics many = row_count;
    if many = 0 then
        delete from graph.embeddings c using (select x.hash from graph.embeddings x
                                               where x.tenant_id = old.tenant_id and x.model = old.id limit _batch) g
         where c.tenant_id = old.tenant_id and c.model = old.id and c.hash = g.hash;
        get diagnostics many = row_count;
    end if;
    if many = 0 then
        delete from graph.embedded e where e.tenant_id = old.tenant_id and e.model = old.id;
        many := 1;
    end if;
    return many;
end $$;

revoke all on function graph.term, graph.plain, graph.to_index, graph.indexed, graph.put_passages, graph.move_words,
    graph.put_names, graph.query_terms, graph.nearest, graph.narrowed, graph.candidates, graph.snippets,
    graph.add_model, graph.to_embed, graph.put_embeddings, graph.put_contexts, graph.embedded_upto,
    graph.forget_vectors from public;
grant execute on function graph.to_index, graph.indexed, graph.put_passages, graph.put_names,
    graph.query_terms, graph.nearest, graph.narrowed, graph.candidates, graph.snippets, graph.add_model, graph.to_embed,
    graph.put_embeddings, graph.put_contexts, graph.embedded_upto, graph.forget_vectors to {app};
