import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@countersign/core'
import { pino } from 'pino'
import { PEOPLE } from '../../src/dev/people.ts'
import { disableIdentity } from '../../src/operations/identity/disable-identity.ts'
import { leaveDevelopment } from '../../src/process/leave-development.ts'
import type { Store } from '../../src/store/store.ts'
import { buildApp } from '../http/build-app.ts'
import { createIdentity, identityOf } from '../http/identities.fixture.ts'

test('D58 a demo record that could not be disabled is tried again at the next start', async (t) => {
  const app = await buildApp(t)
  const id = await createIdentity(app, { externalId: PEOPLE[0]?.email })
  const log = pino({ enabled: false })
  const failing: Store = {
    ...app.store,
    run: async (operation, args, meta) => {
      if (operation.name === disableIdentity.name) throw new AppError('LAST_ADMINISTRATOR')
      return app.store.run(operation, args, meta)
    },
  }
  await leaveDevelopment(failing, log)
  assert.equal((await identityOf(app, id)).disabled, false)
  await leaveDevelopment(app.store, log)
  assert.equal((await identityOf(app, id)).disabled, true)
  await app.admin('POST', `/edge/management/v1/identities/${id}/enable`, {})
  await leaveDevelopment(app.store, log)
  assert.equal((await identityOf(app, id)).disabled, false, 'what an administrator enables stays enabled')
})
