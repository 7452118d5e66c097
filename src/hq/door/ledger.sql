-- The ledger: what each link of its chain covers, and which links no longer hold.

-- The digests of a tenant's calls behind one number, up to another, in order. Each covers the ledger's row (its payloads
-- by their hashes, so that erasing one keeps the chain), every event the call emitted and every version it wrote.
-- Many at once, because planning this for each call would cost more than running it.
create or replace function ops.digests(_tenant uuid, _behind bigint, _upto bigint)
    returns table (seq bigint, digest bytea)
    language sql stable
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_custom_plan
begin atomic
    select a.seq, sha256(convert_to(jsonb_build_array(
               a.seq, a.id, a.actor, a.principal_id, a.credential_id, a.session_id, a.task_id, a.trace_id, a.parent_id,
               a.action_type, a.kind, a.target_kind, a.target_id, encode(a.input_hash, 'hex'),
               encode(a.output_hash, 'hex'), a.status, a.error_code, a.gate, a.decision, a.model, a.cost_usd,
               a.duration_ms, a.reason, a.idempotency_key, encode(a.args_hash, 'hex'), a.taint, a.undoes,
               extract(epoch from a.created_at),
               (select jsonb_agg(jsonb_build_array(o.ordinal, o.topic, o.action_id, o.payload, extract(epoch from o.created_at)) order by o.ordinal)
                  from ops.outbox o where o.tenant_id = _tenant and o.seq = a.seq),
               (select jsonb_agg(jsonb_build_array(v.item_id, extract(epoch from v.valid_from), v.kind, v.op, v.actor,
                                                   v.reason, v.action_id, extract(epoch from v.recorded_at), v.touched,
                                                   v.patch, v.doc, v.from_id, v.to_id) order by v.item_id, v.valid_from)
                  from graph.versions v where v.tenant_id = _tenant and v.seq = a.seq)
           )::text, 'UTF8'))
      from ops.agent_actions a
     where a.tenant_id = _tenant and a.seq > _behind and a.seq <= _upto
     order by a.seq;
end;

-- Every link whose call, events or versions no longer say what they said, or that does not follow from the one before.
create or replace function ops.broken_links(_from bigint, _batch integer)
    returns table (link_position bigint, call_seq bigint, fault text)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    l     record;
    a     record;
    prior bytea := (select chain from ops.ledger where tenant_id = ops.tenant() and position = _from);
    place bigint := _from;
begin
    for l in
        select * from ops.ledger where tenant_id = ops.tenant() and position > _from order by position limit _batch
    loop
        link_position := l.position;
        call_seq := l.seq;
        fault := null;
        select * into a from ops.agent_actions where tenant_id = ops.tenant() and seq = l.seq;
        if l.position <> place + 1 then
            fault := 'a link before this one is missing';
        elsif a.id is null then
            fault := 'the call is missing';
        elsif a.erased_at is not null and (a.input is not null or a.output is not null) then
            fault := 'the call is marked as erased and still says something';
        elsif a.erased_at is null and (a.input_hash <> sha256(convert_to(coalesce(a.input::text, ''), 'UTF8'))
                                       or a.output_hash <> sha256(convert_to(coalesce(a.output::text, ''), 'UTF8'))) then
            fault := 'the input or output of the call was changed';
        elsif (select digest from ops.digests(ops.tenant(), l.seq - 1, l.seq)) is distinct from l.digest then
            fault := 'the call, one of its events or one of its versions was changed';
        elsif l.chain <> sha256(coalesce(prior, ''::bytea) || l.digest) then
            fault := 'the link does not follow from the one before';
        end if;
        prior := l.chain;
        place := l.position;
        if fault is not null then
            return next;
        end if;
    end loop;
end $$;

revoke all on function ops.digests, ops.broken_links from public;
grant execute on function ops.broken_links to {app};
