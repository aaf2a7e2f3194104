import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'
import { AUDIT_SIGNATURES, type AuditHead, type AuditSignatureKind, thumbprintOf } from '@countersign/core'
import type { Sealing } from './sealing.ts'

/** A key that signs the heads of the audit record. */
export interface AuditSigningKey {
  readonly kid: string
  readonly publicJwk: JsonWebKey & { readonly kid: string }
  readonly key: KeyObject
}

const USE = 'signing key of the audit record'

/** A new key pair (ES256), sealed. */
export function createAuditKey(sealing: Sealing): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return sealing.seal(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), USE)
}

/** Fails with SEALING_KEY_MISMATCH for a value of another key. */
export function openAuditKey(sealed: string, sealing: Sealing): AuditSigningKey {
  const key = createPrivateKey(sealing.open(sealed, USE))
  const publicKey = createPublicKey(key)
  const kid = thumbprintOf(publicKey)
  return { kid, key, publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' } }
}

/** A head with a compact JWS over it. The time of the signature is in its header. */
export function signAuditHead(
  { kid, key }: AuditSigningKey,
  { node, sequence, hash }: Omit<AuditHead, 'signature'>,
  { kind, now }: { readonly kind: AuditSignatureKind; readonly now: number },
): AuditHead {
  const header = { alg: 'ES256', typ: AUDIT_SIGNATURES[kind], kid, iat: Math.floor(now / 1000) }
  const signed = `${encode(header)}.${encode({ node, sequence, hash })}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  return { node, sequence, hash, signature: `${signed}.${signature}` }
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
