-- Vectors, made and let go. Runs as the owner with the tenant in every condition: row security would make the planner
-- leave the indexes aside.

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

revoke all on function graph.add_model, graph.to_embed, graph.put_embeddings, graph.put_contexts, graph.embedded_upto,
    graph.forget_vectors from public;
grant execute on function graph.add_model, graph.to_embed, graph.put_embeddings, graph.put_contexts,
    graph.embedded_upto, graph.forget_vectors to {app};
