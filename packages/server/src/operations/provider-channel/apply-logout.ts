import { BACKCHANNEL_LOGOUT, type RevokedTokens } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { useEventToken } from '../../store/writes/token-revocation-writes.ts'
import { type EndedAccess, endProviderSessions } from './end-provider-sessions.ts'
import { type EventSource, findEventSigner } from './find-event-signer.ts'

export interface ApplyLogout extends EventSource {
  readonly tokens: RevokedTokens
}

export type LogoutOutcome = 'signer-changed' | 'replayed' | EndedAccess

/**
 * Applies a logout token that its signer has verified: revokes the tokens that it names, and ends their sessions. Does nothing when the token was
 * used before, or the signer has changed since it was verified.
 */
export const applyLogout = operation({
  name: 'providerChannel.logout',
  access: 'none',
  async run(tx, { tokens, ...source }: ApplyLogout): Promise<LogoutOutcome> {
    const signer = await findEventSigner(tx, source)
    if (!signer) return 'signer-changed'
    if (!(await useEventToken(tx, source))) return 'replayed'
    return endProviderSessions(tx, signer, tokens, { cause: BACKCHANNEL_LOGOUT, issuedAt: source.issuedAt })
  },
})
