-- The index, written. Runs as the owner with the tenant in every condition: row security would make the planner
-- leave the indexes aside.

-- A word of a language, as a number.
create or replace function graph.term(_language text, _stem text) returns bigint
    language sql immutable parallel safe
    return hashtextextended(_language || ' ' || _stem, 0);

-- A text with only its words left, so that none of them hides in an address, a path or a number with a sign.
create or replace function graph.plain(_text text) returns text
    language sql immutable parallel safe
    return translate(_text, $c$!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~$c$, '                                ');

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

revoke all on function graph.term, graph.plain, graph.put_passages, graph.move_words, graph.put_names from public;
grant execute on function graph.put_passages, graph.put_names to {app};
