import { isJsonObject, type JsonObject } from '../json/json-value.ts'

/** The keys that a token is bound to by its claim `cnf` (RFC 7800). With both, a request proves both. */
export interface Confirmation {
  /** RFC 9449: the thumbprint of the key that signs DPoP proofs. */
  readonly jkt: string | undefined
  /** RFC 8705: SHA-256 of the TLS client certificate, base64url. */
  readonly x5t: string | undefined
}

/** SHA-256 in base64url without padding. */
const DIGEST = /^[A-Za-z0-9_-]{43}$/

/** Undefined for a token that is not bound, `unsupported` for one that is bound in another way or by a text that is no digest. */
export function readConfirmation({ cnf }: JsonObject): Confirmation | 'unsupported' | undefined {
  if (cnf === undefined || cnf === null) return undefined
  if (!isJsonObject(cnf)) return 'unsupported'
  const { jkt, 'x5t#S256': x5t } = cnf
  if (jkt === undefined && x5t === undefined) return 'unsupported'
  for (const digest of [jkt, x5t]) {
    if (digest !== undefined && !(typeof digest === 'string' && DIGEST.test(digest))) return 'unsupported'
  }
  return { jkt: jkt as string | undefined, x5t: x5t as string | undefined }
}
