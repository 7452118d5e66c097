-- Until when an ask is put off is said by the ask itself (`defer_until`), of every type: it has a history and can be undone. What
-- was put off the other way when this came is there again at once.
alter table ops.ask_faces drop column snoozed_until;
