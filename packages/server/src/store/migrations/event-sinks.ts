import type { Migration } from './migration.ts'

/**
 * Adds sinks of events and the outbox from which they are served. What happens is first written to `pending_records`, in the transaction of the
 * operation; one transaction at a time gives these their positions, since the numbers of rows that commit at the same time can become visible out
 * of order.
 */
export const eventSinks: Migration = {
  version: 30,
  name: 'event-sinks',
  statements: ({ text, int, bool, no, sequence }) => [
    `create table event_sinks (
      id ${text} primary key,
      name ${text} not null,
      kind ${text} not null,
      url ${text},
      format ${text} not null,
      filter ${text},
      enabled ${bool} not null,
      secret ${text},
      previous_secret ${text},
      previous_secret_until ${int},
      position ${int} not null,
      dropped ${int} not null default 0,
      last_delivery_at ${int},
      last_error ${text},
      failures ${int} not null default 0,
      retry_at ${int} not null default 0,
      lease_owner ${text},
      lease_until ${int} not null default 0,
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    'create unique index event_sinks_name on event_sinks (name)',
    `create table pending_records (
      seq ${sequence},
      node ${text} not null,
      at ${int} not null,
      kind ${text} not null,
      content ${text} not null
    )`,
    `create table event_outbox (
      position ${int} primary key,
      id ${text} not null,
      at ${int} not null,
      content ${text} not null
    )`,
    `create table outbox_state (
      id ${int} primary key,
      position ${int} not null
    )`,
    'insert into outbox_state (id, position) values (1, 0)',
  ],
}
