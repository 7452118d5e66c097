-- The index, read. Runs as the owner with the tenant in every condition: row security would make the planner
-- leave the indexes aside.

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
create or replace function graph.narrowed(_pasts boolean[], _types text[], _status text[], _tags text[],
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
            || case when _status is not null then ' and n.status = any ($4)' else '' end
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
create or replace function graph.candidates(
    _terms bigint[], _places smallint[], _idfs real[], _dfs integer[], _model smallint, _vector halfvec,
    _pasts boolean[], _known_at timestamptz, _types text[], _status text[], _tags text[], _since timestamptz,
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
               and (_status is null or n.status = any (_status)) and (_tags is null or n.tags @> _tags)
               and (_since is null or p.at >= _since) and (_until is null or p.at < _until))
         limit _take
    ), alike as materialized (
        select p.id as passage
          from unnest(near) x(passage)
          join graph.passages p on p.tenant_id = t and p.id = x.passage and p.past = any (_pasts)
         where not filtered or exists (
            select 1 from graph.nodes n where n.tenant_id = t and n.id = p.source_id
               and (_types is null or n.type = any (_types)) and (_producer is null or n.producer_id = _producer)
               and (_status is null or n.status = any (_status)) and (_tags is null or n.tags @> _tags)
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

revoke all on function graph.query_terms, graph.nearest, graph.narrowed, graph.candidates, graph.snippets from public;
grant execute on function graph.query_terms, graph.nearest, graph.narrowed, graph.candidates, graph.snippets to {app};
