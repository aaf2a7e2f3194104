import type { CaPatch, CaWrite } from '@countersign/contract'
import {
  AppError,
  type CaSettings,
  givenCaSettings,
  isSameSetting,
  patchedCa,
  patchesSecurityMember,
  replacedCa,
  replacesSecurityMember,
  trustAfterWrite,
  validateCa,
} from '@countersign/core'
import type { StoredCa } from '../../store/ca-row.ts'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { getCa, isLoginCa } from '../../store/reads/ca-reads.ts'
import { updateCa } from '../../store/writes/ca-writes.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'
import { writerOf } from '../signer/writer-of.ts'

const ACCESS = { entity: 'ca', action: 'update' } as const

export const replaceCa = operation({
  name: 'ca.replace',
  access: ACCESS,
  target: 'cas',
  async run(tx, { id, body }: { readonly id: string; readonly body: CaWrite }): Promise<void> {
    const current = await getCa(tx.db, id)
    const next = replacedCa(current, body)
    await changeCa(tx, current, next, replacesSecurityMember<CaSettings>(current, next))
  },
})

export const patchCa = operation({
  name: 'ca.patch',
  access: ACCESS,
  target: 'cas',
  async run(tx, { id, body }: { readonly id: string; readonly body: CaPatch }): Promise<void> {
    const current = await getCa(tx.db, id)
    const given = givenCaSettings(body)
    if (given.length > 0) await changeCa(tx, current, patchedCa(current, body), patchesSecurityMember(given))
  },
})

/** Trust follows the writer. Sessions end with a new claim, which may map certificates to other identities, and for good when logins are switched off. */
async function changeCa(
  tx: AuthorizedTransaction,
  current: StoredCa,
  next: CaSettings,
  isSecurityWrite: boolean,
): Promise<void> {
  validateCa(next)
  if (isSecurityWrite && !tx.actor.isAdmin && isSwitchedOff(current)) throw new AppError('UNAUTHORIZED')
  const trust = isSecurityWrite ? trustAfterWrite(writerOf(tx), tx.now) : current.trust
  const isNewClaim = !isSameSetting('externalIdClaim', current.externalIdClaim, next.externalIdClaim)
  const endsSessions = isNewClaim || (current.isAuthEnabled && !next.isAuthEnabled)
  const update = () => updateCa(tx, current, { settings: next, trust, endsSessions })
  const mayLockOut = !(next.isAuthEnabled && trust.isTrusted) || isNewClaim
  const isUsable = isLoginCa(current) && current.trust.isTrusted
  await (mayLockOut && isUsable ? ensureAdministratorRemains(tx, update) : update())
}

/** An administrator may have switched it off because its key is compromised: only administrators use it again. */
function isSwitchedOff({ trust, isAuthEnabled }: StoredCa): boolean {
  return trust.isTrusted && !isAuthEnabled
}
