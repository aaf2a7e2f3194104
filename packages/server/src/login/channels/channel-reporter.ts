import { describeCause, type SignalAction, type Verdict } from '@countersign/core'
import type { ProviderEvent } from '../../events/controller-event.ts'
import type { EventHub } from '../../events/event-hub.ts'
import type { EndedAccess } from '../../operations/provider-channel/end-provider-sessions.ts'
import type { RequestSource } from '../../store/operation-meta.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { ChannelRefusal } from '../../token/decision-reason.ts'
import type { ChannelName, DecisionRecorder } from '../../token/decision-recorder.ts'
import { ChannelRefused } from './channel-refused.ts'

/** A request of an identity provider. */
export interface ChannelRequest {
  readonly id: string
  readonly signerId: string
  readonly clientAddress: string
  readonly source: RequestSource
}

interface ChannelReporterParts {
  readonly events: Pick<EventHub, 'publish' | 'publishSampled'>
  readonly decisions: Pick<DecisionRecorder, 'record'>
}

/** A message that was applied. */
interface AppliedMessage extends EndedAccess {
  /** The cause: `backchannel-logout`, or the name of the event. */
  readonly type: string
  readonly result: Exclude<ProviderEvent['event_type'], 'refused'>
  readonly action: SignalAction | 'delete'
  /** Why an event with an action was only logged. */
  readonly reason?: 'subject-unknown' | ''
}

const MISSING: Readonly<Record<ChannelName, string>> = {
  'backchannel-logout':
    'a logout token that the signer accepts: the checks and the reason say what is wrong with this one',
  'shared-signals':
    'a security event token that the signer accepts: the checks and the reason say what is wrong with this one',
  scim: 'a SCIM token of this signer, and a signer that is enabled and trusted',
}

/** Reports what identity providers send to events, and what is refused to decisions too. */
export class ChannelReporter {
  readonly #parts: ChannelReporterParts

  constructor(parts: ChannelReporterParts) {
    this.#parts = parts
  }

  applied(
    { id: signerId, name }: Pick<StoredSigner, 'id' | 'name'>,
    { type, result, action, sessions, identityIds, reason = '' }: AppliedMessage,
    { id, clientAddress, source }: ChannelRequest,
  ): void {
    const { events } = this.#parts
    const event = {
      namespace: 'providerEvent' as const,
      event_type: result,
      type,
      action,
      external_jwt_signer_id: signerId,
      identity_ids: identityIds,
      sessions_ended: sessions,
      reason,
      message: `${describeCause(type)} of signer ${name}`,
      remote_address: source.remoteAddr,
      request_id: id,
    }
    if (result === 'replayed') events.publishSampled(event, clientAddress)
    else events.publish(event)
  }

  /** Returns the error for the sender of a token. */
  refused(channel: ChannelName, reason: ChannelRefusal, request: ChannelRequest, verdict?: Verdict): ChannelRefused {
    this.noteRefused(channel, reason, request, verdict)
    return new ChannelRefused(reason)
  }

  noteRefused(channel: ChannelName, reason: ChannelRefusal, request: ChannelRequest, verdict?: Verdict): void {
    const { events, decisions } = this.#parts
    const { id, signerId, clientAddress: remoteAddress, source } = request
    decisions.record({
      id,
      method: channel,
      reason,
      signerId,
      identityId: undefined,
      remoteAddress,
      explain: () => ({
        signers: verdict ? [{ signerId, checks: verdict.checks, reason: verdict.reason }] : [],
        identity: null,
        policy: null,
        missing: [MISSING[channel]],
        hints: [],
      }),
    })
    events.publishSampled(
      {
        namespace: 'providerEvent',
        event_type: 'refused',
        type: channel,
        action: '',
        external_jwt_signer_id: signerId,
        identity_ids: [],
        sessions_ended: 0,
        reason,
        message: '',
        remote_address: source.remoteAddr,
        request_id: id,
      },
      remoteAddress,
    )
  }
}
