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

/** The answer to a sign-in. Most of them differ in a few words only, so that these alone are written anew. */
export function newSessionText(answer: NewSession): string {
  return isPlain(answer) ? writePlain(plainValues(answer)) : wholeText(answer)
}

function wholeText({ session, token, now, missing }: NewSession): string {
  return jsonText(detail(currentSessionView(session, token, { now, missing })).json)
}

/** Without certificate, configuration types and one-time codes, whole, and not used yet. */
function isPlain({ session, missing }: NewSession): boolean {
  const { certificate, configTypes, identity, createdAt, updatedAt, lastActivityAt } = session
  const isUnused = updatedAt === createdAt && lastActivityAt === createdAt
  return isUnused && !certificate && configTypes.length + missing.length === 0 && identity.verifiedTotpId === null
}

/** What differs. Sessions, their tokens and authenticators are named by us. */
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

/** Each of its values is unlike any other text of it. */
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
