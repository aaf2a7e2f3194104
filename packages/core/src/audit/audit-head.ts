import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'

/** The newest entry of a node, or the last one that retention deleted, with a signature of the controller. */
export interface AuditHead {
  readonly node: string
  readonly sequence: number
  readonly hash: string
  /** A compact JWS over the three. */
  readonly signature: string
}

/** The types of signatures: one for heads, one for the ends of what retention has deleted. The first never passes for the second. */
export const AUDIT_SIGNATURES = { head: 'audit-head+jwt', anchor: 'audit-anchor+jwt' } as const
export type AuditSignatureKind = keyof typeof AUDIT_SIGNATURES

/** The public keys of the controller, by `kid`. */
export type AuditKeys = readonly AuditKey[]
export type AuditKey = JsonWebKey & { readonly kid?: string }

const JWS = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

/** Whether one of the keys has signed exactly this head, as a signature of this kind. */
export function isSignedHead(head: AuditHead, kind: AuditSignatureKind, keys: AuditKeys): boolean {
  const [, header = '', payload = '', signature = ''] = JWS.exec(head.signature) ?? []
  const { alg, typ, kid } = readObject(header)
  const { node, sequence, hash, ...others } = readObject(payload)
  if (alg !== 'ES256' || typ !== AUDIT_SIGNATURES[kind] || Object.keys(others).length > 0) return false
  if (node !== head.node || sequence !== head.sequence || hash !== head.hash) return false
  const signed = Buffer.from(`${header}.${payload}`)
  return keys.some((key) => {
    if (key.kid !== undefined && key.kid !== kid) return false
    try {
      const publicKey = createPublicKey({ key, format: 'jwk' })
      const isP256 = publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1'
      const given = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
      return isP256 && verify('sha256', signed, given, Buffer.from(signature, 'base64url'))
    } catch {
      return false
    }
  })
}

function readObject(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
