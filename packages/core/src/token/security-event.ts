import { claimTextError } from '../claim/claim-text.ts'
import { foldAscii } from '../filter/filter.ts'
import { isJsonObject, type JsonObject, type JsonValue, newJsonObject } from '../json/json-value.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'
import type { RevokedTokens } from './revocation.ts'

/** One event of a verified security event token (RFC 8417). */
export interface SecurityEvent {
  /** The last segment of the path of its URI, such as `session-revoked`. */
  readonly name: string
  /** Undefined when the event has none, or one that is not supported. */
  readonly subject: EventSubject | undefined
}

/** The subject of an event, in one of the formats of RFC 9493 that are supported. */
export type EventSubject =
  | { readonly format: 'iss_sub'; readonly iss: string; readonly sub: string }
  | { readonly format: 'email'; readonly email: string }
  | { readonly format: 'opaque'; readonly id: string }

export const MAX_EVENTS = 16
const MAX_LENGTH = 512
const MAX_EVENT_NAME_LENGTH = 64

/**
 * Reads the events of a verified token. `sub_id` of an event counts before that of the token, and both before `subject` of the event, which
 * transmitters of earlier drafts send. Undefined when there are too many.
 */
export function readSecurityEvents(claims: JsonObject): SecurityEvent[] | undefined {
  const events = isJsonObject(claims.events) ? Object.entries(claims.events) : []
  if (events.length > MAX_EVENTS) return undefined
  return events.map(([uri, payload]) => {
    const { sub_id: own, subject } = isJsonObject(payload) ? payload : newJsonObject()
    return { name: eventName(uri), subject: readSubject(own ?? claims.sub_id ?? subject) }
  })
}

function eventName(uri: string): string {
  const [path = ''] = uri.split(/[?#]/, 1)
  const segments = path.split('/').filter((segment) => segment !== '')
  return (segments.at(-1) ?? '').slice(0, MAX_EVENT_NAME_LENGTH)
}

/**
 * Of a complex subject the user counts, else the session: more may end than was meant, never less. Okta sends complex subjects without a format,
 * Google RISC simple ones with `subject_type`.
 */
function readSubject(value: JsonValue | undefined): EventSubject | undefined {
  if (!isJsonObject(value)) return undefined
  const format = formatOf(value)
  if (format !== undefined && format !== 'complex') return readSimpleSubject(value)
  return readSimpleSubject(value.user) ?? readSimpleSubject(value.session)
}

function formatOf({ format, subject_type: type }: JsonObject): JsonValue | undefined {
  return format ?? (typeof type === 'string' ? type.replaceAll('-', '_') : undefined)
}

function readSimpleSubject(value: JsonValue | undefined): EventSubject | undefined {
  if (!isJsonObject(value)) return undefined
  const format = formatOf(value)
  const { iss, sub, email, id } = value
  if (format === 'iss_sub' && isName(iss) && isName(sub)) return { format, iss, sub }
  if (format === 'email' && isName(email)) return { format, email }
  return format === 'opaque' && isName(id) ? { format, id } : undefined
}

const isName = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && claimTextError(value, MAX_LENGTH) === undefined

/** The issuers whose subjects are those of the signer's tokens: that of its tokens, and that of its events. */
export function subjectIssuers({ issuer, sharedSignals }: SubjectIssuers): string[] {
  return [issuer, ...(sharedSignals?.issuer === undefined ? [] : [sharedSignals.issuer])]
}

type SubjectIssuers = Pick<SignerSettings, 'issuer' | 'sharedSignals'>

/** Names as they are, and with A to Z in lower case. */
function spellingsOf(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => [name, foldAscii(name)]))]
}

/**
 * The tokens of a subject. An e-mail address is compared with the claim that names the identity, as given and in lower case, and so are
 * `accountClaims`: what this claim is for the accounts with the address. An opaque id can be the subject, a session of the
 * provider, or that claim: providers and receivers agree on what it is. Empty for a subject of another issuer.
 */
export function tokensOfSubject(
  subject: EventSubject,
  issuers: readonly string[],
  accountClaims: readonly string[] = [],
): RevokedTokens[] {
  switch (subject.format) {
    case 'iss_sub':
      return issuers.includes(subject.iss) ? [{ sub: subject.sub }] : []
    case 'email':
      return spellingsOf([subject.email, ...accountClaims]).map((identityClaim) => ({ identityClaim }))
    case 'opaque':
      return [{ sub: subject.id }, { sid: subject.id }, { identityClaim: subject.id }]
  }
}

/** How a subject names an account: by the `sub` of its tokens, and by the claim that names the identity. */
export interface AccountNames {
  readonly sub: string | undefined
  readonly identityClaim: string | undefined
}

/** `isSubjectClaim` says whether the claim that names the identity is `sub`. Both are undefined for a subject of another issuer. */
export function accountNamesOf(
  subject: EventSubject,
  { issuers, isSubjectClaim }: { readonly issuers: readonly string[]; readonly isSubjectClaim: boolean },
): AccountNames {
  switch (subject.format) {
    case 'iss_sub': {
      const sub = issuers.includes(subject.iss) ? subject.sub : undefined
      return { sub, identityClaim: isSubjectClaim ? sub : undefined }
    }
    case 'email':
      return { sub: undefined, identityClaim: subject.email }
    case 'opaque':
      return { sub: subject.id, identityClaim: subject.id }
  }
}
