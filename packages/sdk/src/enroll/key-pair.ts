import type { PrivateJwk } from '../dpop/dpop-key.ts'
import { toBase64 } from '../token/base64.ts'
import type { WebKey } from '../web-key.ts'
import { encodeDer, encodeUnsigned } from './der.ts'

export interface KeyPair {
  readonly privateKey: WebKey
  readonly publicKey: WebKey
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const
/** Bytes of each of `r` and `s` in a P-256 signature. */
const SCALAR_LENGTH = 32

/** OIDs 2.5.4.3 and 1.2.840.10045.4.3.2. */
const COMMON_NAME = Uint8Array.of(0x55, 0x04, 0x03)
const ECDSA_WITH_SHA256 = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)

/** Generates an EC P-256 key pair. Extractable by default, so that it can be stored with its certificate. */
export function createKeyPair({ extractable = true }: { readonly extractable?: boolean } = {}): Promise<KeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, extractable, ['sign', 'verify'])
}

/** The key pair of a DPoP key, for the certificate request with a token that is bound to it: the certificate must have the same key. */
export async function importKeyPair({ kty, crv, x, y, d }: PrivateJwk): Promise<KeyPair> {
  const publicJwk = { kty, crv, x, y }
  return {
    privateKey: await crypto.subtle.importKey('jwk', { ...publicJwk, d }, ALGORITHM, true, ['sign']),
    publicKey: await crypto.subtle.importKey('jwk', publicJwk, ALGORITHM, true, ['verify']),
  }
}

/** The private key in PEM (PKCS #8). */
export async function exportPrivateKey({ privateKey }: Pick<KeyPair, 'privateKey'>): Promise<string> {
  return formatPem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)))
}

/** A certificate signing request (PKCS #10) in PEM. The controller uses only its public key. */
export async function createCertificateRequest(keys: KeyPair, commonName = 'client'): Promise<string> {
  const name = encodeDer('utf8String', new TextEncoder().encode(commonName))
  const attribute = encodeDer('sequence', encodeDer('oid', COMMON_NAME), name)
  const info = encodeDer(
    'sequence',
    encodeUnsigned(Uint8Array.of(0)),
    encodeDer('sequence', encodeDer('set', attribute)),
    new Uint8Array(await crypto.subtle.exportKey('spki', keys.publicKey)),
    encodeDer('context0'),
  )
  const raw = new Uint8Array(await crypto.subtle.sign(SIGNATURE, keys.privateKey, Uint8Array.from(info)))
  const signature = encodeDer(
    'sequence',
    encodeUnsigned(raw.subarray(0, SCALAR_LENGTH)),
    encodeUnsigned(raw.subarray(SCALAR_LENGTH)),
  )
  const algorithm = encodeDer('sequence', encodeDer('oid', ECDSA_WITH_SHA256))
  const request = encodeDer('sequence', info, algorithm, encodeDer('bitString', Uint8Array.of(0), signature))
  return formatPem('CERTIFICATE REQUEST', request)
}

function formatPem(label: string, der: Uint8Array): string {
  const lines = toBase64(der).match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
