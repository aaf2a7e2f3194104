import type { TestCase } from '@countersign/contract/signer-test-case'
import type { JsonObject } from '../json/json-value.ts'
import { buildVerifySigner } from '../token/verify-signer.ts'
import { evaluateClaims } from '../token/verify-token.ts'
import type { TestedSigner } from './signer-test-cases.ts'

/** The test case of a login: its claims at its time, with what the signer says to them now. */
export function testCaseOfLogin(
  signer: TestedSigner,
  { name, claims, at }: { readonly name: string; readonly claims: JsonObject; readonly at: number },
): TestCase {
  const verdict = evaluateClaims(claims, {}, buildVerifySigner({ revision: 0, ...signer }), at)
  const expect = verdict.accepted
    ? ({ outcome: 'accepted', externalId: verdict.identityClaim } as const)
    : ({ outcome: 'refused', check: verdict.check } as const)
  return { name, claims, now: new Date(at).toISOString(), expect }
}
