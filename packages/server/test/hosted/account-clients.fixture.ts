import assert from 'node:assert/strict'
import { pino } from 'pino'
import { AccountClients } from '../../src/hosted/account-clients.ts'
import { createAdministrations } from '../../src/outbound/administration/administrations.ts'
import type { ClientRegistration } from '../../src/outbound/client-registration.ts'
import type { TestApp } from '../http/build-app.ts'

/** The clients of an app's API accounts, at providers that register none. No removal is expected unless `remove` is given. */
export function makeAccountClients(
  { store, clock }: Pick<TestApp, 'store' | 'clock'>,
  remove: ClientRegistration['remove'] = async () => assert.fail('nothing is removed'),
): AccountClients {
  return new AccountClients({
    store,
    clock,
    log: pino({ enabled: false }),
    administrations: createAdministrations({
      clock,
      fetchDocument: async () => assert.fail('nothing is fetched'),
      registration: { register: async () => assert.fail('nothing is registered'), remove },
    }),
    sealing: { keyId: '', prefix: '', seal: String, mac: String, open: String },
  })
}
