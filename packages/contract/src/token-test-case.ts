import type { TestCase } from './signer-test-case.ts'

/** A token that is read, not verified. */
interface ReadToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** What a signer says to a token, as explanations have it. */
interface ExplainedChecks {
  readonly checks: readonly { readonly check: string; readonly received: unknown; readonly pass: boolean }[]
}

/** Of these a test case says nothing: they depend on the signature, on the connection or on earlier logins. */
const NOT_TESTED: ReadonlySet<string> = new Set(
  ['format', 'kid', 'key', 'signature', 'certificate', 'oneUse'].concat(
    ['proof', 'proofKey', 'proofMethod', 'proofUrl', 'proofToken', 'proofTime', 'proofNonce', 'proofSignature'],
    'proofUse',
  ),
)
const MAX_NAME_LENGTH = 256

/** The test case of an explained token, with what its signer says to it. Undefined for a token that fails a check which test cases leave out. */
export function testCaseOfToken(
  { header, claims }: ReadToken,
  { checks }: ExplainedChecks,
  now: Date,
): TestCase | undefined {
  const failed = checks.find(({ pass }) => !pass)
  if (checks.length === 0 || (failed && NOT_TESTED.has(failed.check))) return undefined
  const at = now.toISOString()
  const { sub } = claims
  const name = `${failed ? 'refused' : 'accepted'} token of ${typeof sub === 'string' ? sub : 'no subject'}, ${at}`
  const { alg, typ } = header
  return {
    name: name.length > MAX_NAME_LENGTH ? `a token, ${at}` : name,
    claims,
    header: { ...(alg !== undefined && { alg }), ...(typ !== undefined && { typ }) },
    now: at,
    expect: failed ? { outcome: 'refused', check: failed.check } : { outcome: 'accepted', ...identityOf(checks) },
  }
}

/** Long values are shown cut off. */
function identityOf(checks: ExplainedChecks['checks']): { readonly externalId?: string } {
  const value = checks.find(({ check }) => check === 'identityClaim')?.received
  return typeof value === 'string' && !value.endsWith('…') ? { externalId: value } : {}
}
