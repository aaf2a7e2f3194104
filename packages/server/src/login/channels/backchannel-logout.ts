import { BACKCHANNEL_LOGOUT, type RevokedTokens, type VerifiedToken } from '@countersign/core'
import { applyLogout } from '../../operations/provider-channel/apply-logout.ts'
import { SYSTEM_ACTOR } from '../../store/actor.ts'
import type { DirectorySigner } from '../../token/signer-directory.ts'
import type { EventVerifier } from '../../token/token-verifier.ts'
import type { ChannelParts } from './channel-parts.ts'
import type { ChannelRequest } from './channel-reporter.ts'
import { eventSource } from './event-source.ts'
import { unlessUsed } from './unless-used.ts'

const CHANNEL = 'backchannel-logout'

/** Receives logout tokens (OpenID Connect Back-Channel Logout 1.0). */
export class BackchannelLogout {
  readonly #parts: ChannelParts

  constructor(parts: ChannelParts) {
    this.#parts = parts
  }

  /**
   * Ends the sessions that a logout token names, and revokes their tokens. Throws `ChannelRefused`. When the signer changes before that, the token is
   * verified once more.
   */
  async receive(token: string, request: ChannelRequest, { isRetry = false } = {}): Promise<void> {
    const { store, clock, directory, verifier, reporter } = this.#parts
    const signer = (await directory.enabled()).findById(request.signerId)
    if (!signer) throw reporter.refused(CHANNEL, 'signer-unknown', request)
    if (!signer.stored.trust.isTrusted) throw reporter.refused(CHANNEL, 'signer-not-trusted', request)
    const verdict = await verifier.verifyEvent(logoutVerifier(signer), token, 'logout', request.clientAddress)
    if (!verdict.accepted) throw reporter.refused(CHANNEL, verdict.reason, request, verdict)
    const source = eventSource(signer, verdict.token, 'logout')
    const outcome = await unlessUsed(store, source, () =>
      store.run(
        applyLogout,
        { ...source, tokens: loggedOutTokens(verdict.token) },
        { actorId: SYSTEM_ACTOR.id, now: clock.now(), source: { authorName: signer.stored.name, ...request.source } },
      ),
    )
    if (outcome === 'signer-changed' && !isRetry) {
      directory.expire(signer.id)
      return this.receive(token, request, { isRetry: true })
    }
    if (outcome === 'signer-changed') throw reporter.refused(CHANNEL, outcome, request)
    if (outcome === 'replayed') throw reporter.refused(CHANNEL, 'token-replayed', request, verdict)
    reporter.applied(
      signer.stored,
      { ...outcome, type: BACKCHANNEL_LOGOUT, result: 'applied', action: 'end-sessions' },
      request,
    )
  }
}

/** The audience of a logout token is that of the ID token: the client, or what the signer's tokens have. */
function logoutVerifier({ stored, verify }: DirectorySigner): EventVerifier {
  const { clientId } = stored
  if (clientId === null) return { stored, verify }
  return { stored, verify: { ...verify, additionalAudiences: [...verify.additionalAudiences, clientId] } }
}

/** `verifyEvent` has checked that there is one of them. */
function loggedOutTokens({ claims }: VerifiedToken): RevokedTokens {
  return { sub: claims.sub, sid: claims.sid } as RevokedTokens
}
