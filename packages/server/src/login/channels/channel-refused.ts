import { AppError } from '@countersign/core'
import type { ChannelRefusal } from '../../token/decision-reason.ts'

/** Error codes of RFC 8935, section 2.4. */
export type EventErrorCode = 'invalid_request' | 'invalid_key' | 'invalid_issuer' | 'invalid_audience' | 'access_denied'

interface PublicError {
  readonly code: EventErrorCode
  readonly description: string
}

const UNREADABLE: PublicError = { code: 'invalid_request', description: 'The body is not a token of the expected kind' }
const OFF: PublicError = { code: 'access_denied', description: 'This signer accepts no such tokens' }
const BAD_TIME: PublicError = {
  code: 'invalid_request',
  description: 'The token has expired, or its times are unusable',
}

/** What the sender gets to know. Reasons that are not listed here concern logins only. */
const PUBLIC_ERRORS: Partial<Record<ChannelRefusal, PublicError>> = {
  'signer-unknown': OFF,
  'signer-not-trusted': OFF,
  'signer-changed': OFF,
  'channel-off': OFF,
  'issuer-mismatch': { code: 'invalid_issuer', description: 'The issuer is not the one of this signer' },
  'audience-mismatch': { code: 'invalid_audience', description: 'The audience is not one of this signer' },
  'kid-missing': { code: 'invalid_key', description: 'The token names no key' },
  'kid-unknown': { code: 'invalid_key', description: 'The key is not one of this signer' },
  'algorithm-not-allowed': { code: 'invalid_key', description: 'The key does not allow this algorithm' },
  'certificate-not-valid-now': { code: 'invalid_key', description: 'The certificate of the key is not valid now' },
  'signature-invalid': { code: 'invalid_key', description: 'The signature is not valid' },
  'expiry-unusable': BAD_TIME,
  'token-expired': BAD_TIME,
  'not-before-unusable': BAD_TIME,
  'token-not-yet-valid': BAD_TIME,
  'issued-at-unusable': BAD_TIME,
  'token-issued-in-future': BAD_TIME,
  'event-unusable': { code: 'invalid_request', description: 'The claims are not those of a token of this kind' },
  'subject-unusable': { code: 'invalid_request', description: 'The subject of the event is not usable' },
  'token-replayed': { code: 'invalid_request', description: 'The token was used before' },
}

/** The refusal of a logout token or security event token, with what its sender gets to know. */
export class ChannelRefused extends AppError {
  readonly reason: ChannelRefusal
  readonly eventErrorCode: EventErrorCode

  constructor(reason: ChannelRefusal) {
    const { code, description } = PUBLIC_ERRORS[reason] ?? UNREADABLE
    super('INVALID_EVENT_TOKEN', { message: description })
    this.reason = reason
    this.eventErrorCode = code
  }
}
