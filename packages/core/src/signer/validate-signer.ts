import { MAX_SCOPES } from '@countersign/contract/limits'
import { echoedValue, fieldError } from '../app-error.ts'
import { findCaBundleError } from '../certificate/find-ca-bundle-error.ts'
import { parseRequiredClaims, textsOf } from '../claim/required-claims.ts'
import { parseSelector } from '../claim/selector.ts'
import { checkRule } from '../rule/check-rule.ts'
import { checkGroupTemplate } from '../scim/scim-group.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { isSafeLink } from '../text/safe-link.ts'
import { checkKeySource } from './key-source.ts'
import { checkSharedSignals } from './shared-signals.ts'
import type { SignerSettings } from './signer-settings.ts'
import { checkTestCases } from './signer-test-cases.ts'

const SELECTORS = ['claimsProperty', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'] as const
const LINKS = ['externalAuthUrl', 'openIdConfigurationUrl'] as const
const PLAIN_TEXTS = ['name', 'audience', 'kid', 'clientId', 'enrollAuthPolicyId'] as const

/** Characters that would break out of the quoted `issuer` of a challenge, which lists the values of several signers. */
const FORBIDDEN_IN_ISSUERS = ['"', ',', '|', '\\']

/** Throws for the first field that is invalid by itself, without looking at the store. */
export function validateSigner(signer: SignerSettings): void {
  if (signer.name === '') throw fieldError('name', 'name is required', signer.name)
  checkKeySource(signer)
  checkIssuer(signer.issuer)
  if (signer.audience === '') throw fieldError('audience', 'audience may not be blank', signer.audience)
  for (const field of PLAIN_TEXTS) {
    const text = signer[field]
    if (text !== null) checkPlainText(field, text)
  }
  checkAdditionalAudiences(signer)
  checkScopes(signer.scopes ?? [])
  for (const field of SELECTORS) checkSelector(field, signer[field])
  for (const field of LINKS) checkLink(field, signer[field])
  checkRequiredClaims(signer)
  if (signer.acceptRule !== null) checkRule('acceptRule', signer.acceptRule, 'accept', 'signer')
  for (const [index, rule] of signer.attributeRules.entries())
    checkRule(`attributeRules[${index}]`, rule, 'attributes', 'signer')
  checkCaBundle(signer.jwksCaPem)
  checkProvisioning(signer)
  if (signer.sharedSignals) checkSharedSignals(signer.sharedSignals)
  checkGroupTemplate(signer.scimGroupAttributeTemplate)
  checkTestCases(signer.testCases)
}

function checkIssuer(issuer: string): void {
  if (issuer === '') throw fieldError('issuer', 'issuer may not be blank', issuer)
  checkPlainText('issuer', issuer)
  const forbidden = FORBIDDEN_IN_ISSUERS.find((character) => issuer.includes(character))
  if (forbidden) throw fieldError('issuer', `issuer may not contain ${forbidden}`, issuer)
}

function checkAdditionalAudiences({ audience, additionalAudiences }: SignerSettings): void {
  const field = 'additionalAudiences'
  const seen = new Set([audience])
  for (const additional of additionalAudiences) {
    if (additional.trim() === '') throw fieldError(field, 'an additional audience may not be blank', additional)
    checkPlainText(field, additional)
    if (seen.has(additional)) throw fieldError(field, 'each audience may be given once', additional)
    seen.add(additional)
  }
}

/** The body schema limits arrays only; scopes in one string are counted here. */
function checkScopes(scopes: readonly string[]): void {
  if (scopes.length > MAX_SCOPES) {
    throw fieldError('scopes', `scopes may have at most ${MAX_SCOPES} items`, `${scopes.length} items`)
  }
  for (const scope of scopes) checkPlainText('scopes', scope)
}

function checkSelector(field: string, selector: string | null): void {
  if (selector === null) return
  checkPlainText(field, selector)
  const parsed = parseSelector(selector)
  if (!parsed.ok) throw fieldError(field, `${field} ${parsed.reason}`, selector)
}

function checkLink(field: string, link: string | null): void {
  if (link === null || isSafeLink(link)) return
  throw fieldError(field, `${field} must be an https address, or http on a loopback host`, link)
}

function checkRequiredClaims({ requiredClaims }: SignerSettings): void {
  if (requiredClaims === null) return
  const parsed = parseRequiredClaims(requiredClaims)
  if (!parsed.ok) throw fieldError('requiredClaims', `requiredClaims ${echoedValue(parsed.reason)}`, '')
  for (const { selector, accepted } of parsed.requiredClaims) {
    for (const text of [selector.text, ...textsOf(accepted)]) checkPlainText('requiredClaims', text)
  }
}

function checkProvisioning({ provisionOnLogin, enrollToTokenEnabled }: SignerSettings): void {
  if (!provisionOnLogin || enrollToTokenEnabled) return
  throw fieldError('provisionOnLogin', 'provisionOnLogin needs enrollToTokenEnabled', provisionOnLogin)
}

function checkCaBundle(pem: string | null): void {
  const reason = pem === null ? undefined : findCaBundleError(pem)
  if (reason) throw fieldError('jwksCaPem', `jwksCaPem ${reason}`, '')
}
