import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuthPolicyPatch, AuthPolicyWrite } from '@countersign/contract/auth-policy'
import type { ExtJwtSignerPatch, ExtJwtSignerWrite } from '@countersign/contract/ext-jwt-signer'
import type { IdentityPatch, IdentityWrite } from '@countersign/contract/identity'
import {
  AppError,
  authPolicyFromBody,
  endsSessions,
  excludesKeys,
  givenSignerSettings,
  type IdentitySettings,
  identityFromBody,
  manualAttributesAfterWrite,
  newTestBudget,
  patchedAuthPolicy,
  patchedIdentity,
  patchedSigner,
  patchesSecurityMember,
  type RuleBudget,
  removedKeys,
  requirePassedTestCases,
  type SignerSettings,
  signerFromBody,
  trustAfterWrite,
  unionOfAttributes,
  validateAuthPolicy,
  validateIdentity,
  validateSigner,
} from '@countersign/core'
import { type GivenKeyFacts, nextKeyFacts } from '../../operations/signer/signer-key-facts.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { WorldChanges } from './world.ts'

/** A proposed change, with the body that the save of it would have. */
export type ProposedChange =
  | {
      readonly kind: 'ext-jwt-signer'
      readonly id: string
      /** Of the body. */
      readonly keys: GivenKeyFacts
      readonly change: Change<ExtJwtSignerWrite, ExtJwtSignerPatch>
    }
  | { readonly kind: 'auth-policy'; readonly id: string; readonly change: Change<AuthPolicyWrite, AuthPolicyPatch> }
  | { readonly kind: 'identity'; readonly id: string; readonly change: Change<IdentityWrite, IdentityPatch> }

type Change<Write, Patch> =
  | { readonly op: 'create'; readonly body: Write }
  | { readonly op: 'update'; readonly body: Patch }
  | { readonly op: 'delete' }

/** What is stored, and the writer of the changes. */
export interface ChangeContext {
  readonly now: number
  /** When the prediction fails for the time that it takes. */
  readonly untilMs: number
  readonly actor: { readonly id: string; readonly name: string; readonly isAdmin: boolean }
  findSigner(id: string): Promise<StoredSigner | undefined>
  findPolicy(id: string): Promise<StoredAuthPolicy | undefined>
  findIdentity(id: string): Promise<StoredIdentity | undefined>
}

/**
 * Applies changes one after another, in memory; other requests have their turns between them, because checking rules takes milliseconds. Throws what the
 * save of one would throw, as far as that needs no store.
 */
export async function applyChanges(changes: readonly ProposedChange[], context: ChangeContext): Promise<WorldChanges> {
  const signers = new Map<string, StoredSigner | null>()
  const policies = new Map<string, StoredAuthPolicy | null>()
  const identities = new Map<string, StoredIdentity | null>()
  const tests = newTestBudget()
  for (const proposed of changes) {
    if (performance.now() > context.untilMs) throw new AppError('TIMEOUT')
    await nextTurn()
    const { kind, id, change } = proposed
    if (kind === 'ext-jwt-signer') {
      const current = signers.has(id) ? (signers.get(id) ?? undefined) : await context.findSigner(id)
      if (change.op !== 'create' && !current) throw notFound('externalJwtSigner', id)
      signers.set(id, change.op === 'delete' ? null : signerAfter(proposed, current, change, { ...context, tests }))
    } else if (kind === 'auth-policy') {
      const current = policies.has(id) ? (policies.get(id) ?? undefined) : await context.findPolicy(id)
      if (change.op !== 'create' && !current) throw notFound('authPolicy', id)
      policies.set(id, change.op === 'delete' ? null : policyAfter(id, current, change, context))
    } else {
      const current = identities.has(id) ? (identities.get(id) ?? undefined) : await context.findIdentity(id)
      if (change.op !== 'create' && !current) throw notFound('identity', id)
      identities.set(id, change.op === 'delete' ? null : identityAfter(id, current, change, context))
    }
  }
  return { signers, policies, identities }
}

type Saved<Write, Patch> = Exclude<Change<Write, Patch>, { op: 'delete' }>

function signerAfter(
  { id, keys }: Pick<Extract<ProposedChange, { kind: 'ext-jwt-signer' }>, 'id' | 'keys'>,
  current: StoredSigner | undefined,
  change: Saved<ExtJwtSignerWrite, ExtJwtSignerPatch>,
  { actor, now, tests }: Pick<ChangeContext, 'actor' | 'now'> & { readonly tests: RuleBudget },
): StoredSigner {
  const base = change.op === 'update' ? current : undefined
  const next: SignerSettings = base
    ? patchedSigner(base, change.body)
    : signerFromBody(change.body as ExtJwtSignerWrite)
  validateSigner(next)
  requirePassedTestCases({ ...next, id }, now, tests)
  const facts = nextKeyFacts(next, keys, base && { current: base, isAdmin: actor.isAdmin })
  const written = trustAfterWrite(actor, now)
  if (!base) {
    const first = { revision: 1, sessionRevision: 1, nearMisses: [], removedKeys: [], createdAt: now, updatedAt: now }
    return { ...next, ...facts, id, trust: written, ...first }
  }
  const isSecurityWrite = patchesSecurityMember(givenSignerSettings(change.body))
  const trust = isSecurityWrite ? written : base.trust
  const rules = { ...next, ...facts }
  const endsAll = endsSessions(base, rules) || excludesKeys(base, rules, [])
  const removed = endsAll ? [] : [...base.removedKeys, ...removedKeys(base, rules)]
  const sessionRevision = base.sessionRevision + (endsAll ? 1 : 0)
  return { ...base, ...next, ...facts, trust, sessionRevision, removedKeys: removed }
}

function policyAfter(
  id: string,
  current: StoredAuthPolicy | undefined,
  change: Saved<AuthPolicyWrite, AuthPolicyPatch>,
  { now }: ChangeContext,
): StoredAuthPolicy {
  const isUpdate = change.op === 'update' && current !== undefined
  const next = isUpdate ? patchedAuthPolicy(current, change.body) : authPolicyFromBody(change.body as AuthPolicyWrite)
  validateAuthPolicy(next)
  return { ...next, id, createdAt: current?.createdAt ?? now, updatedAt: now }
}

function identityAfter(
  id: string,
  current: StoredIdentity | undefined,
  change: Saved<IdentityWrite, IdentityPatch>,
  { now }: ChangeContext,
): StoredIdentity {
  const isUpdate = change.op === 'update' && current !== undefined
  const next: IdentitySettings = isUpdate
    ? patchedIdentity(current, change.body)
    : identityFromBody(change.body as IdentityWrite)
  validateIdentity(next, current)
  const isPast = next.expiresAt !== null && next.expiresAt <= now
  if (!isUpdate) return { ...newIdentity(now), ...next, id, hasExpired: isPast, manualAttributes: next.attributes }
  const manualAttributes = manualAttributesAfterWrite(current, next.attributes)
  const parts = { ...current, ...next, manualAttributes }
  const hasExpired = next.expiresAt === current.expiresAt ? current.hasExpired : isPast
  return { ...parts, hasExpired, attributes: unionOfAttributes(parts) }
}

/** The members that no body sets. */
export function newIdentity(now: number): Omit<StoredIdentity, keyof IdentitySettings | 'id'> {
  return {
    typeId: 'Default',
    isDefaultAdmin: false,
    disabledAt: null,
    disabledUntil: null,
    hasExpired: false,
    enrolledBySignerId: null,
    disabledBySignerId: null,
    accountEvents: {},
    syncedTokens: {},
    manualAttributes: [],
    suppliedAttributes: [],
    verifiedTotpId: null,
    envInfo: {},
    sdkInfo: {},
    createdAt: now,
    updatedAt: now,
  }
}
