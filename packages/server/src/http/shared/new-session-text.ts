import type { MissingFactor } from '../../login/second-factor.ts'
import { detail, jsonText, timestamp } from '../pipeline/envelope.ts'
import { insideQuotes, jsonTemplate } from '../pipeline/json-template.ts'
import { type CurrentSession, currentSessionView, expirationSeconds } from './api-session-view.ts'

interface NewSession {
  readonly session: CurrentSession
  readonly token: string
  readonly now: number
  readonly missing: readonly MissingFactor[]
}

/** The response to a login as JSON text. Most differ in a few values only, which are filled into a template. */
export function newSessionText(created: NewSession): string {
  return isPlain(created) ? writePlain(plainValues(created)) : wholeText(created)
}

function wholeText({ session, token, now, missing }: NewSession): string {
  return jsonText(detail(currentSessionView(session, token, { now, missing })).json)
}

/** A complete, unused session without certificate, configuration types and one-time codes. */
function isPlain({ session, missing }: NewSession): boolean {
  const { certificate, configTypes, identity, createdAt, updatedAt, lastActivityAt } = session
  const isUnused = updatedAt === createdAt && lastActivityAt === createdAt
  return isUnused && !certificate && configTypes.length + missing.length === 0 && identity.verifiedTotpId === null
}

/** The values that differ. Session ids, authenticator ids and tokens are generated here and need no escaping. */
function plainValues({ session, token, now }: NewSession): string[] {
  const { id, identity, authenticatorId, ipAddress, createdAt, expiresAt } = session
  return [
    id,
    insideQuotes(identity.id),
    insideQuotes(identity.name),
    insideQuotes(identity.authPolicyId),
    authenticatorId,
    insideQuotes(ipAddress),
    token,
    timestamp(createdAt),
    timestamp(expiresAt),
    String(expirationSeconds(session, now)),
  ]
}

/** Every value occurs exactly once in the text. */
const SAMPLE: NewSession = {
  session: {
    id: 'SESSION',
    identity: { id: 'IDENTITY', name: 'NAME', authPolicyId: 'POLICY', verifiedTotpId: null },
    authenticatorId: 'AUTHENTICATOR',
    certificate: undefined,
    ipAddress: 'ADDRESS',
    configTypes: [],
    createdAt: Date.UTC(3000, 0),
    updatedAt: Date.UTC(3000, 0),
    lastActivityAt: Date.UTC(3000, 0),
    expiresAt: Date.UTC(3001, 0),
    passedTotpId: null,
  },
  token: 'TOKEN',
  now: Date.UTC(3000, 0),
  missing: [],
}

const writePlain = jsonTemplate(wholeText(SAMPLE), plainValues(SAMPLE))
