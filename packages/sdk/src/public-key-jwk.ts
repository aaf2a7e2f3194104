/** A public key as a member of a JWKS. */
export interface PublicJwk {
  readonly kid: string
  readonly use: 'sig'
  readonly [member: string]: string
}

type ImportParameters = Parameters<typeof crypto.subtle.importKey>[2]

/** The keys that signers accept. The first that the bytes are a key of is it. */
const KINDS: readonly ImportParameters[] = [
  { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ...['P-256', 'P-384', 'P-521'].map((namedCurve) => ({ name: 'ECDSA', namedCurve })),
  { name: 'Ed25519' },
]

/** The public members, which have a fixed order for the thumbprint (RFC 7638). */
const MEMBERS = ['crv', 'e', 'kty', 'n', 'x', 'y'] as const

const BLOCK = /^\s*-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END PUBLIC KEY-----\s*$/

/**
 * Converts a public key in PEM (SPKI) for the `jwks` of a signer. Without `kid`, it gets its thumbprint as one. Throws a TypeError whose message
 * says what is wrong, without the text. The controller decides whether it accepts the key.
 */
export async function publicKeyToJwk(pem: string, kid?: string): Promise<PublicJwk> {
  if (pem.includes('PRIVATE KEY-----')) throw new TypeError('it contains a private key: give the public key only')
  if (pem.includes('BEGIN CERTIFICATE-----')) throw new TypeError('it is a certificate, not a public key')
  const [, base64] = BLOCK.exec(pem) ?? []
  if (base64 === undefined) throw new TypeError('it is not one public key in PEM (BEGIN PUBLIC KEY)')
  const der = decode(base64.replaceAll(/\s/g, ''))
  for (const kind of KINDS) {
    const key = await crypto.subtle.importKey('spki', der, kind, true, ['verify']).catch(() => undefined)
    if (!key) continue
    const jwk = await crypto.subtle.exportKey('jwk', key)
    const numbers: Record<string, string> = Object.fromEntries(
      MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]])),
    )
    return { kid: kid || (await thumbprintOf(numbers)), use: 'sig', ...numbers }
  }
  throw new TypeError('its key is not of a supported type: RSA, P-256, P-384, P-521 or Ed25519')
}

async function thumbprintOf(numbers: object): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(numbers)))
  const text = btoa(String.fromCharCode(...new Uint8Array(digest)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    throw new TypeError('its base64 is not valid')
  }
}
