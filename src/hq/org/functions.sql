-- Seats: who sits where, and which agent works there. The assignment is the one fact; everybody reads it here.

-- A row for each seat that is held, and for each agent that is the persona which holds it; a persona without an agent has one
-- row. Of several seats of an agent the one it was given last, by `number`, is where it is met.
-- Five tables and no more: all of them have the company in common, and with each further one the planner would try all orders
-- of all of them, which takes longer than the reading. Who wants more of the seat fences this off with `offset 0` first.
create view ops.seats with (security_invoker = true) as
    select h.tenant_id, h.number, h.id as assignment, f.to_id as position,
           (select o.to_id from graph.edges o
             where o.tenant_id = h.tenant_id and o.from_id = f.to_id and o.type = 'in_organisation' and o.live) as organisation,
           b.to_id as persona, a.id as agent, a.slug as agent_slug, a.status as agent_status, a.created_at as agent_since
      from graph.nodes h
      join graph.edges f on f.tenant_id = h.tenant_id and f.from_id = h.id and f.type = 'fills' and f.live
      join graph.edges b on b.tenant_id = h.tenant_id and b.from_id = h.id and b.type = 'held_by' and b.live
      left join (graph.edges e
                 join graph.nodes a on a.tenant_id = e.tenant_id and a.id = e.from_id and a.type = 'agent'
                                   and a.archived_at is null and not graph.over(a.type, a.status))
             on e.tenant_id = h.tenant_id and e.to_id = b.to_id and e.type = 'embodies' and e.live
            -- What is planned is not yet so, and what ran out is so no more.
            and e.next_change_at is distinct from e.valid_from
            and coalesce(e.valid_to > nullif(current_setting('hq.now', true), '')::timestamptz, true)
     where h.type = 'position_assignment' and h.status = 'active' and h.archived_at is null
       and (select p.archived_at is null from graph.nodes p where p.tenant_id = h.tenant_id and p.id = f.to_id);
revoke all on ops.seats from public;
grant select on ops.seats to {app};
