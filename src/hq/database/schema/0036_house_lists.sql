-- Which asks a message of the house lists, in their order: of these a number is one.
alter table ops.messages add column asks uuid[];
grant update (asks) on ops.messages to {app};
