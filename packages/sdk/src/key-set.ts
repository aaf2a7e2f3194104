import { getThumbprint, pickPublicMembers } from './thumbprint.ts'
import type { SignerInput } from './wire-types.ts'

/** Public keys as the member `jwks` of a signer has them (JWKS, RFC 7517). */
export type KeySet = NonNullable<SignerInput['jwks']>

type ImportParameters = Parameters<typeof crypto.subtle.importKey>[2]

/** The keys that signers accept. The first that the bytes are a key of is it. */
const KINDS: readonly ImportParameters[] = [
  { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ...['P-256', 'P-384', 'P-521'].map((namedCurve) => ({ name: 'ECDSA', namedCurve })),
  { name: 'Ed25519' },
]

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g

/** What a file has in place of public keys, by the label of its PEM block. */
const OTHER_BLOCKS: readonly (readonly [label: RegExp, problem: string])[] = [
  [/PRIVATE KEY$/, 'it contains a private key: give the public key only'],
  [/^CERTIFICATE$/, 'it is a certificate, not a public key'],
  [/^RSA PUBLIC KEY$/, 'its key is in PKCS#1: convert it with "openssl rsa -RSAPublicKey_in -pubout"'],
]

/**
 * Reads the keys for `jwks` of a signer from a text: one or more public keys in PEM (SPKI), a key set (JWKS) or a single key (JWK) as JSON. A key in PEM
 * gets its thumbprint as kid. Throws a TypeError whose message says what is wrong, without the text. The controller decides whether it accepts the keys.
 */
export async function readKeySet(text: string): Promise<KeySet> {
  if (!text.includes('-----BEGIN ')) {
    const keySet = parseKeySet(text)
    if (keySet) return keySet
    throw new TypeError('it is neither public keys in PEM nor a key set (JWKS) as JSON')
  }
  const blocks = [...text.matchAll(BLOCK)]
  if (blocks.length === 0) throw new TypeError('its PEM is not complete')
  return { keys: await Promise.all(blocks.map(([, label = '', base64 = '']) => toJwk(label, base64))) }
}

/** A key set (JWKS), or a single key (JWK), as JSON. Undefined for other texts. */
export function parseKeySet(text: string): KeySet | undefined {
  try {
    const value = JSON.parse(text) as { readonly keys?: unknown; readonly kty?: unknown } | null
    if (Array.isArray(value?.keys)) return { keys: value.keys }
    return typeof value?.kty === 'string' ? { keys: [{ ...value }] } : undefined
  } catch {
    return undefined
  }
}

async function toJwk(label: string, base64: string): Promise<KeySet['keys'][number]> {
  if (label !== 'PUBLIC KEY') {
    const [, problem = `it is a ${label}, not a public key`] = OTHER_BLOCKS.find(([other]) => other.test(label)) ?? []
    throw new TypeError(problem)
  }
  const der = decode(base64.replaceAll(/\s/g, ''))
  for (const kind of KINDS) {
    const key = await crypto.subtle.importKey('spki', der, kind, true, ['verify']).catch(() => undefined)
    if (!key) continue
    const jwk = pickPublicMembers(await crypto.subtle.exportKey('jwk', key))
    return { kid: await getThumbprint(jwk), use: 'sig', ...jwk }
  }
  throw new TypeError('its key is not of a supported type: RSA, P-256, P-384, P-521 or Ed25519')
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    throw new TypeError('its base64 is not valid')
  }
}
