import { fieldError, invalidField } from '../app-error.ts'
import { decodeBase64url } from '../key/base64url.ts'
import { readGivenKeySet } from '../key/given-key-set.ts'
import type { SignerSettings } from './signer-settings.ts'

/** Where the keys of a signer come from: exactly one of these members is set. */
export const KEY_SOURCES = ['jwksEndpoint', 'certPem', 'jwks', 'certPems', 'pushedKeys'] as const
export type KeySource = (typeof KEY_SOURCES)[number]

type Sources = Pick<SignerSettings, KeySource>

/** The first source that is set; undefined for a signer without keys, which is not valid. */
export function keySourceOf(signer: Partial<Sources>): KeySource | undefined {
  return KEY_SOURCES.find((source) => (signer[source] ?? null) !== null)
}

const THUMBPRINT_BYTES = 32

/** Throws for the first violated rule about the keys of a signer. */
export function checkKeySource(signer: SignerSettings): void {
  checkOnlySource(signer)
  if (signer.jwks !== null) readGivenKeySet('jwks', signer.jwks)
  for (const thumbprint of signer.pinnedKeyThumbprints) checkThumbprint(thumbprint)
  if (signer.requireKeyContinuity && signer.jwksEndpoint === null) {
    throw fieldError('requireKeyContinuity', 'requireKeyContinuity needs jwksEndpoint: only fetched keys wait', true)
  }
}

/** The texts for the two first sources are those that existing clients know. */
function checkOnlySource(signer: SignerSettings): void {
  const [first, second, ...others] = KEY_SOURCES.filter((source) => signer[source] !== null)
  if (first === undefined) throw invalidField('certPem', 'jwksEndpoint or certPem is required', null)
  if (second === undefined) return
  const areOld = first === 'jwksEndpoint' && second === 'certPem' && others.length === 0
  const names = areOld ? 'jwksEndpoint or certPem' : 'jwksEndpoint, certPem, jwks, certPems and pushedKeys'
  throw invalidField(first, `only one of ${names} may be defined`, first === 'jwksEndpoint' ? signer.jwksEndpoint : '')
}

function checkThumbprint(thumbprint: string): void {
  if (decodeBase64url(thumbprint)?.length === THUMBPRINT_BYTES) return
  const field = 'pinnedKeyThumbprints'
  throw fieldError(field, 'a thumbprint is a SHA-256 in base64url, as RFC 7638 defines it', thumbprint)
}

/** RFC 9110 section 5.5: visible characters, with spaces between them. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Throws when a secret cannot be sent as a header. Does not repeat it. */
export function checkHeaderValue(field: string, value: string): void {
  if (!HEADER_VALUE.test(value)) {
    throw fieldError(field, `${field} must have visible ASCII characters, and no space at its ends`, '')
  }
}
