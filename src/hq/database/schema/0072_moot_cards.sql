-- A card that was held until what it says held no more is never shown: it is due at no time.
alter table ops.cards alter column due_at drop not null;
