import { accountIdentityId, createLruCache } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { DecisionRecorder } from '../token/decision-recorder.ts'
import type { VerifiedAccount } from './access-verdict.ts'

const MAX_REMEMBERED = 10_000
/** A machine calls many times with its tokens: recording each call would cost more than the call. */
const RECORDED_EVERY_MS = 60 * 60_000

/** Records the use of API accounts for their organizations: the first use of a client from an address, and one in every hour. */
export class AcceptedTokens {
  readonly #decisions: Pick<DecisionRecorder, 'record'>
  readonly #clock: Clock
  readonly #recordedAt = createLruCache<string, number>(MAX_REMEMBERED)

  constructor(decisions: Pick<DecisionRecorder, 'record'>, clock: Clock) {
    this.#decisions = decisions
    this.#clock = clock
  }

  note(account: VerifiedAccount, request: { readonly id: string; readonly address: string }): void {
    const { id: accountId, organizationId, identityProviderId, credential } = account
    const key = `${accountId} ${request.address} ${'clientId' in credential ? credential.clientId : ''}`
    const now = this.#clock.now()
    const last = this.#recordedAt.get(key)
    if (last !== undefined && now - last < RECORDED_EVERY_MS) return
    const identity = { id: accountId, name: accountIdentityId(accountId), disabled: false }
    const isRecorded = this.#decisions.record({
      id: request.id,
      method: 'api-account',
      reason: 'accepted',
      signerId: identityProviderId,
      identityId: accountId,
      organizationId,
      remoteAddress: request.address,
      explain: () => ({ signers: [], identity, policy: null, missing: [], hints: [] }),
    })
    // One that sampling has left out is recorded at the next use.
    if (isRecorded) this.#recordedAt.set(key, now)
  }
}
