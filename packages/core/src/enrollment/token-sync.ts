import { hash } from 'node:crypto'
import { isAccountIdentity } from '@countersign/contract/account-identity'
import { MAX_NAME_LENGTH } from '@countersign/contract/limits'
import { AppError } from '../app-error.ts'
import {
  type AttributeParts,
  attributesSuppliedBy,
  sortedUnique,
  unionOfAttributes,
} from '../identity/attribute-parts.ts'
import { checkAttributes, checkName } from '../identity/identity-settings.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'
import type { VerifiedToken } from '../token/verdict.ts'
import { readAttributes, readName, selectedClaim, withAttributes } from './enrollment-claims.ts'

/** A signer whose tokens keep attributes or names up to date. */
export type SyncingSigner = Pick<
  SignerSettings,
  'attributeSync' | 'nameSync' | 'enrollAttributeClaimsSelector' | 'enrollNameClaimsSelector'
> & { readonly id: string }

/** The identity of an accepted token. */
export interface SyncedIdentity extends AttributeParts {
  readonly id: string
  readonly name: string
  /** By signer: when the latest token was issued that changed the identity, in seconds. */
  readonly syncedTokens: Readonly<Record<string, number>>
}

/** What a token could not set. A closed set: events have these values. */
export type SyncProblem = 'attributes-absent' | 'attributes-unusable' | 'name-unusable'

export interface SyncWarning {
  readonly problem: SyncProblem
  /** The selector of the claim. */
  readonly claim: string
  readonly message: string
}

/** What an accepted token changes, if anything. */
export interface TokenSync {
  /** The attributes that the signer supplies from now on; undefined when they stay. */
  readonly attributes: readonly string[] | undefined
  /** Undefined when the name stays. */
  readonly name: string | undefined
  readonly issuedAt: number
  readonly warnings: readonly SyncWarning[]
}

/** Whether tokens of the signer change identities after their enrollment. */
export function isSyncing({ attributeSync, nameSync }: Pick<SignerSettings, 'attributeSync' | 'nameSync'>): boolean {
  return attributeSync === 'login' || nameSync
}

/**
 * Compares an accepted token with its identity. Undefined when there is nothing to change and nothing to report. A token that was issued before
 * the latest one that changed the identity changes nothing: otherwise a kept token would bring back a group that was taken away.
 */
export function planTokenSync(
  signer: SyncingSigner,
  { claims, ruleAttributes }: Pick<VerifiedToken, 'claims' | 'ruleAttributes'>,
  identity: SyncedIdentity,
): TokenSync | undefined {
  if (!isSyncing(signer)) return undefined
  const issuedAt = issueTime(claims)
  if (issuedAt < (identity.syncedTokens[signer.id] ?? 0)) return undefined
  const warnings: SyncWarning[] = []
  const attributes =
    signer.attributeSync === 'login' ? changedAttributes(signer, claims, ruleAttributes, identity, warnings) : undefined
  const name = signer.nameSync ? changedName(signer, claims, identity, warnings) : undefined
  const isNothing = attributes === undefined && name === undefined && warnings.length === 0
  return isNothing ? undefined : { attributes, name, issuedAt, warnings }
}

/** `iat` in seconds. A provider that omits it omits it in every token. */
export function issueTime({ iat }: JsonObject): number {
  return typeof iat === 'number' ? Math.floor(iat) : 0
}

/** The name with a suffix that is always the same for an identity, for a name that another identity has. */
export function suffixedName(name: string, identityId: string): string {
  const suffix = ` ${hash('sha256', identityId, 'hex').slice(0, 8)}`
  return `${name.slice(0, MAX_NAME_LENGTH - suffix.length).toWellFormed()}${suffix}`
}

function changedAttributes(
  { id, enrollAttributeClaimsSelector: claim }: SyncingSigner,
  claims: JsonObject,
  ruleAttributes: readonly string[],
  identity: SyncedIdentity,
  warnings: SyncWarning[],
): readonly string[] | undefined {
  const value = selectedClaim(claim, claims)
  if (claim !== null && value === undefined) {
    warnings.push({ problem: 'attributes-absent', claim, message: absentMessage(claim, claims) })
    return undefined
  }
  const warn = (message: string) => warnings.push({ problem: 'attributes-unusable', claim: claim ?? '', message })
  const read = withAttributes(readAttributes(value), ruleAttributes)
  if (!read.ok) {
    warn(`${read.reason}: the attributes stay as they were`)
    return undefined
  }
  const attributes = sortedUnique(read.value)
  const before = attributesSuppliedBy(identity, id, 'token')
  if (areSame(attributes, before)) return undefined
  const reason = findAttributeError(identity, id, attributes)
  if (reason === undefined) return attributes
  warn(`${reason}: no attribute is added, and those that the list lacks are removed`)
  // Otherwise a person who can get into a group with an unusable name would keep the groups that were taken away.
  const kept = before.filter((attribute) => attributes.includes(attribute))
  return areSame(kept, before) ? undefined : kept
}

/** The limit applies to all attributes of the identity, from every origin. */
function findAttributeError(identity: SyncedIdentity, signerId: string, attributes: readonly string[]) {
  const others = identity.suppliedAttributes.filter((part) => part.signerId !== signerId || part.channel !== 'token')
  const supplied = { signerId, channel: 'token', attributes } as const
  return errorOf(() => checkAttributes(unionOfAttributes({ ...identity, suppliedAttributes: [...others, supplied] })))
}

function changedName(
  { enrollNameClaimsSelector: claim }: SyncingSigner,
  claims: JsonObject,
  { id, name: current }: SyncedIdentity,
  warnings: SyncWarning[],
): string | undefined {
  const read = readName(selectedClaim(claim, claims))
  if (read.ok && (read.value === current || suffixedName(read.value, id) === current)) return undefined
  const reason = read.ok ? findNameError(read.value) : read.reason
  if (read.ok && reason === undefined) return read.value
  warnings.push({ problem: 'name-unusable', claim, message: `${reason}: the name stays as it was` })
  return undefined
}

function findNameError(name: string): string | undefined {
  if (isAccountIdentity(name)) return 'this name is reserved for an API account'
  return errorOf(() => checkName(name))
}

function errorOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { publicCause } = error
    return publicCause && 'reason' in publicCause ? publicCause.reason : error.code
  }
}

const areSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index])

/** Entra replaces a long list of groups by a reference, and in tokens of the implicit flow by a flag. */
function absentMessage(selector: string, claims: JsonObject): string {
  const claim = selector.startsWith('/') ? selector.slice(1) : selector
  const names = claims._claim_names
  const isReplaced = typeof names === 'object' && names !== null && Object.hasOwn(names, claim)
  if (isReplaced || claims.hasgroups === true) {
    return `the identity has too many groups for its tokens (group overage): assign the groups to the application at the identity provider, or use application roles; the attributes stay as they were`
  }
  return 'the token has no such claim: the attributes stay as they were. Send null or an empty list to clear them'
}
