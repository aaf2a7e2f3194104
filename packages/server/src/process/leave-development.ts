import { AppError } from '@countersign/core'
import type { Logger } from 'pino'
import { disableIdentity } from '../operations/identity/disable-identity.ts'
import { patchProvider } from '../operations/identity-provider/update-provider.ts'
import { patchSigner } from '../operations/signer/update-signer.ts'
import { ensureSetting } from '../operations/start/ensure-setting.ts'
import { systemClock } from '../platform/clock.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { findSetting } from '../store/reads/setting-reads.ts'
import type { Store } from '../store/store.ts'

/** Shared by all nodes. Without a value, an earlier version may have created demo data. */
const SETTING = 'development'

const meta = () => ({ actorId: SYSTEM_ACTOR.id, now: systemClock.now() })

/** Records whether the demo data of `--dev` may be in use. */
export async function markDevelopment(store: Store, value: 'on' | 'off'): Promise<void> {
  const replaces = value === 'on' ? 'off' : 'on'
  await store.run(ensureSetting, { name: SETTING, value, replaces }, meta())
}

/**
 * Disables the demo records at the first start without `--dev`, and at the next ones until each could be: the local provider asks for no
 * password. They stay disabled until an administrator enables them.
 */
export async function leaveDevelopment(store: Store, log: Logger): Promise<void> {
  if ((await findSetting(store.db, SETTING)) === 'off') return
  const { loadDemoRecords } = await import('../dev/demo-records.ts')
  const { signers, providers, identities } = await loadDemoRecords(store, systemClock.now())
  let failures = 0
  for (const { id, name } of signers) {
    await disable(`signer ${name}`, () =>
      store.run(patchSigner, { id, body: { enabled: false }, certificate: undefined }, meta()),
    )
  }
  for (const { id, organizationId, name } of providers) {
    await disable(`identity provider ${name}`, () =>
      store.run(patchProvider, { id, organizationId, patch: { enabled: false } }, meta()),
    )
  }
  for (const { id, name } of identities) {
    await disable(`identity ${name}`, () => store.run(disableIdentity, { id, durationMinutes: 0 }, meta()))
  }
  if (failures === 0) await markDevelopment(store, 'off')

  async function disable(record: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run()
      log.warn({ record }, `disabled ${record}, which --dev created: the local identity provider asks for no password`)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failures++
      log.error({ record, code: error.code }, `${record}, which --dev created, could not be disabled: delete it`)
    }
  }
}
