import { createHash } from 'node:crypto'
import { makeTestCertificate } from '@countersign/testkit'
import { sessionTokenDigest } from '../../packages/server/src/session/session-token.ts'
import type { BenchDatabase } from './bench-database.ts'
import { copyRows, numbersOf, type Range } from './copy-rows.ts'

const ID_LENGTH = 22
const TEAM_SIZE = 20
const HOUR_MS = 3_600_000

const digest = (text: string, encoding: 'hex' | 'base64url') => createHash('sha256').update(text).digest(encoding)

/** Ids without an order, like those of the product. */
const idOf = (kind: string, number: number): string => digest(`${kind} ${number}`, 'hex').slice(0, ID_LENGTH)

/** The lookup values of the identity with this number. */
export const benchIdentity = (number: number) => ({
  id: idOf('identity', number),
  name: `user-${number}`,
  externalId: `user-${number}@bench.example`,
  team: `team-${Math.floor(number / TEAM_SIZE)}`,
})

/** The token of the session with this number. */
export const benchSessionToken = (number: number): string => digest(`session ${number}`, 'base64url')

/** The lookup values of the signer with this number. */
export const benchSigner = (number: number) => ({
  id: idOf('signer', number),
  name: `signer-${number}`,
  issuer: `https://signer-${number}.example`,
})

/** Inserts copies of the identity `template`, 20 per team. The product must not be running. */
export async function fillIdentities(database: BenchDatabase, template: string, range: Range): Promise<void> {
  await copyRows(database, 'identities', { column: 'id', equals: template }, range, (number) => {
    const { id, name, externalId } = benchIdentity(number)
    return { id, name, external_id: externalId }
  })
  await database.insert('identity_attributes', teamsOf(range))
}

function* teamsOf(range: Range) {
  for (const number of numbersOf(range)) {
    const { id, team } = benchIdentity(number)
    yield { identity_id: id, attribute: team }
  }
}

/** Inserts sessions, one for each identity by default, copied from the session of `template`. The product must not be running. */
export async function fillSessions(
  database: BenchDatabase,
  template: string,
  range: Range,
  ownerOf: (number: number) => string = (number) => benchIdentity(number).id,
): Promise<void> {
  const now = Date.now()
  await copyRows(database, 'api_sessions', { column: 'identity_id', equals: template }, range, (number) => ({
    id: idOf('session', number),
    token_digest: sessionTokenDigest(benchSessionToken(number)),
    identity_id: ownerOf(number),
    // In the future, so that the product does not update it during the bench.
    last_activity_at: now + HOUR_MS,
    expires_at: now + 12 * HOUR_MS,
    ends_at: now + 12 * HOUR_MS,
  }))
}

/** Inserts copies of the signer `template`, each with its own certificate. The product must not be running. */
export async function fillSigners(database: BenchDatabase, template: string, range: Range): Promise<void> {
  await copyRows(database, 'ext_jwt_signers', { column: 'id', equals: template }, range, (number) => {
    const { id, name, issuer } = benchSigner(number)
    const { pem, der } = makeTestCertificate({ kind: 'ec256', commonName: name })
    const fingerprint = createHash('sha1').update(der).digest('hex')
    return { id, name, issuer, kid: name, static_kid: name, cert_pem: pem, common_name: name, fingerprint }
  })
}
