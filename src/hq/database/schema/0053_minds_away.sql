-- Whether a door is closed because nobody answers behind it, and not because a quota is used up.
alter table ops.mind_doors add column away boolean not null default false;
