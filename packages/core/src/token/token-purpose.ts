import { claimTextError } from '../claim/claim-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'
import { mediaType } from './media-type.ts'
import type { RefusalReason } from './verdict.ts'

/**
 * What a token is sent for: to log in, for back-channel logout, as a security event (RFC 8417), or as a DPoP proof (RFC 9449). Each takes tokens of its
 * own kind only.
 */
export type TokenPurpose = 'login' | 'logout' | 'security-event' | 'proof'

/** Token types that providers sign with the same keys, but that are not for logging in (RFC 8725 section 3.11). */
const NOT_FOR_LOGIN: ReadonlySet<string> = new Set([
  'jose',
  'jose+json',
  'logout+jwt',
  'dpop+jwt',
  'secevent+jwt',
  'kb+jwt',
  'oauth-authz-req+jwt',
  'client-authentication+jwt',
  'token-introspection+jwt',
  'statuslist+jwt',
])

/** Many providers send the type of every JWT, or none. */
const LOGOUT_TYPES: ReadonlySet<string> = new Set(['logout+jwt', 'jwt', ''])

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Names of sessions and subjects beyond this would fill the store. OpenID Connect limits `sub` to 255 characters. */
const MAX_NAME_LENGTH = 512

interface PurposeFault {
  readonly reason: RefusalReason
  readonly detail: string
}

interface PurposeRule {
  breaks(header: JsonObject, claims: JsonObject): boolean
  readonly reason: RefusalReason
  readonly detail: string
}

const isUsableName = (value: JsonValue | undefined): boolean =>
  typeof value === 'string' && claimTextError(value, MAX_NAME_LENGTH) === undefined

const eventsOf = ({ events }: JsonObject): JsonObject => (isJsonObject(events) ? events : {})

const needsJti: PurposeRule = {
  breaks: (_, { jti }) => !isUsableName(jti),
  reason: 'event-unusable',
  detail: `claims: "jti" must be a text of 1 to ${MAX_NAME_LENGTH} characters, none of them a control character`,
}

const RULES: Readonly<Record<TokenPurpose, readonly PurposeRule[]>> = {
  login: [
    {
      breaks: ({ typ }) => typ !== undefined && (typeof typ !== 'string' || NOT_FOR_LOGIN.has(mediaType(typ))),
      reason: 'type-not-accepted',
      detail: 'header: tokens of this "typ" are not for logging in',
    },
    {
      // Only `events` distinguishes a logout token without its own type from an ID token.
      breaks: (_, { events }) => isJsonObject(events),
      reason: 'type-not-accepted',
      detail: 'claims: "events" marks a logout or security event token, which is not for logging in',
    },
  ],
  logout: [
    {
      breaks: ({ typ }) => typ !== undefined && (typeof typ !== 'string' || !LOGOUT_TYPES.has(mediaType(typ))),
      reason: 'type-not-accepted',
      detail: 'header: the "typ" of a logout token is logout+jwt or JWT',
    },
    {
      breaks: (_, claims) =>
        !Object.hasOwn(eventsOf(claims), LOGOUT_EVENT) || !isJsonObject(eventsOf(claims)[LOGOUT_EVENT]),
      reason: 'event-unusable',
      detail: `claims: "events" has no object ${LOGOUT_EVENT}`,
    },
    {
      breaks: (_, claims) => claims.nonce !== undefined,
      reason: 'event-unusable',
      detail: 'claims: a logout token must not have a "nonce"',
    },
    {
      breaks: (_, { sub, sid }) =>
        (sub === undefined && sid === undefined) ||
        [sub, sid].some((name) => name !== undefined && !isUsableName(name)),
      reason: 'event-unusable',
      detail: `claims: "sub", "sid" or both must be texts of 1 to ${MAX_NAME_LENGTH} characters, none of them a control character`,
    },
    needsJti,
  ],
  'security-event': [
    {
      breaks: ({ typ }) => mediaType(typ) !== 'secevent+jwt',
      reason: 'type-not-accepted',
      detail: 'header: the "typ" of a security event token is secevent+jwt',
    },
    {
      breaks: (_, claims) =>
        Object.keys(eventsOf(claims)).length === 0 || !Object.values(eventsOf(claims)).every(isJsonObject),
      reason: 'event-unusable',
      detail: 'claims: "events" must be an object with one object per event',
    },
    needsJti,
  ],
  proof: [
    {
      breaks: ({ typ }) => mediaType(typ) !== 'dpop+jwt',
      reason: 'proof-malformed',
      detail: 'header: the "typ" of a DPoP proof is dpop+jwt',
    },
  ],
}

/** Why a token is not one for this purpose, by its type and its claims; undefined when it is. */
export function findPurposeFault(
  purpose: TokenPurpose,
  header: JsonObject,
  claims: JsonObject,
): PurposeFault | undefined {
  return RULES[purpose].find(({ breaks }) => breaks(header, claims))
}

const DAY_SECONDS = 86_400

interface PurposeTimes {
  readonly needsExpiry: boolean
  readonly needsIssueTime: boolean
  /**
   * The greatest age, where tokens are used once: their ids are remembered for this time. Providers send logout tokens at once, and repeat security
   * events for some days.
   */
  readonly maxAgeSeconds: number
}

/** Which times a token must have for its purpose. */
export const PURPOSE_TIMES: Readonly<Record<TokenPurpose, PurposeTimes>> = {
  login: { needsExpiry: true, needsIssueTime: false, maxAgeSeconds: Number.POSITIVE_INFINITY },
  logout: { needsExpiry: true, needsIssueTime: true, maxAgeSeconds: DAY_SECONDS },
  'security-event': { needsExpiry: false, needsIssueTime: true, maxAgeSeconds: 7 * DAY_SECONDS },
  proof: { needsExpiry: false, needsIssueTime: true, maxAgeSeconds: 60 },
}
