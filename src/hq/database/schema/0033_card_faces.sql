-- Of an ask its own kind and words stand on its card; what somebody says about it stands beside them, as theirs.
alter table ops.cards add column remark jsonb;
alter table ops.cards drop constraint cards_kind_check;

-- What a button does is told beside it. Of cards that wait already only the call itself is known.
update ops.cards c
   set buttons = (select jsonb_agg(case when b ? 'verb'
                                        then b || jsonb_build_object('does', (b ->> 'verb') || ' ' || coalesce(b ->> 'args', '{}'))
                                        else b end order by n)
                    from jsonb_array_elements(c.buttons) with ordinality x (b, n))
 where c.pressed is null and c.buttons @? '$[*].verb';
