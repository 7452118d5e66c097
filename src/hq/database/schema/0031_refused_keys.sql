-- That a provider refused a key is a fact of its own, not a word in the reason.
alter table ops.mind_doors add column refused boolean not null default false;
update ops.mind_doors set refused = true where why like '%refused the key%';
