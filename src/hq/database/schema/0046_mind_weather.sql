-- Since when a provider turns us away, again and again: what lasts is told, once.
alter table ops.mind_doors add column since timestamptz;
update ops.mind_doors set since = closed_until;
alter table ops.mind_doors alter column since set not null;
