import {
  readSecurityEvents,
  type SecurityEvent,
  type SharedSignals as Settings,
  type SignalAction,
  signalAction,
} from '@countersign/core'
import {
  applySecurityEvents,
  type EventOutcome,
  type EventToApply,
} from '../../operations/provider-channel/apply-security-events.ts'
import { SYSTEM_ACTOR } from '../../store/actor.ts'
import type { ChannelParts } from './channel-parts.ts'
import type { ChannelRequest } from './channel-reporter.ts'
import { eventSource } from './event-source.ts'
import { unlessUsed } from './unless-used.ts'

const CHANNEL = 'shared-signals'

/** Receives security events by push (Shared Signals 1.0, RFC 8935). */
export class SharedSignals {
  readonly #parts: ChannelParts

  constructor(parts: ChannelParts) {
    this.#parts = parts
  }

  /**
   * Applies the events of a security event token as the signer says. Throws `ChannelRefused`. When the signer changes before that, the token is
   * verified once more.
   */
  async receive(token: string, request: ChannelRequest, { isRetry = false } = {}): Promise<'applied' | 'replayed'> {
    const { store, clock, directory, verifier, reporter } = this.#parts
    const signer = (await directory.enabled()).findById(request.signerId)
    if (!signer) throw reporter.refused(CHANNEL, 'signer-unknown', request)
    if (!signer.stored.trust.isTrusted) throw reporter.refused(CHANNEL, 'signer-not-trusted', request)
    const settings = signer.stored.sharedSignals
    if (!signer.signals || !settings) throw reporter.refused(CHANNEL, 'channel-off', request)
    const verdict = await verifier.verifyEvent(signer.signals, token, 'security-event', request.clientAddress)
    if (!verdict.accepted) throw reporter.refused(CHANNEL, verdict.reason, request, verdict)
    const read = readSecurityEvents(verdict.token.claims)
    if (!read) throw reporter.refused(CHANNEL, 'event-unusable', request, verdict)
    const events = read.map((event) => withAction(event, settings))
    if (events.some(({ action, subject }) => action !== 'log' && !subject)) {
      throw reporter.refused(CHANNEL, 'subject-unusable', request, verdict)
    }
    const source = eventSource(signer, verdict.token, 'security-event')
    const outcome = await unlessUsed(store, source, () =>
      store.run(
        applySecurityEvents,
        { ...source, events },
        { actorId: SYSTEM_ACTOR.id, now: clock.now(), source: { authorName: signer.stored.name, ...request.source } },
      ),
    )
    if (outcome === 'signer-changed' && !isRetry) {
      directory.expire(signer.id)
      return this.receive(token, request, { isRetry: true })
    }
    if (outcome === 'signer-changed') throw reporter.refused(CHANNEL, outcome, request)
    for (const [index, { name, action }] of events.entries()) {
      const did = outcome === 'replayed' ? undefined : outcome[index]
      reporter.applied(signer.stored, { type: name, action, ...resultOf(action, did) }, request)
    }
    return outcome === 'replayed' ? 'replayed' : 'applied'
  }
}

/** Undefined for a token that was used before. */
function resultOf(action: SignalAction, did: EventOutcome | undefined) {
  if (!did) return { result: 'replayed', sessions: 0, identityIds: [] } as const
  const { isMatched, ...ended } = did
  if (isMatched) return { result: 'applied', ...ended } as const
  return { result: 'logged', ...ended, ...(action !== 'log' && ({ reason: 'subject-unknown' } as const)) } as const
}

function withAction({ name, subject }: SecurityEvent, settings: Settings): EventToApply {
  return { name, subject, action: signalAction(settings, name) }
}
