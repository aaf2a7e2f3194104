import { toBase64Url } from './token/base64.ts'

/** The members of a public key, in the order that the thumbprint has them in. */
const MEMBERS = ['crv', 'e', 'kty', 'n', 'x', 'y'] as const

export type PublicMembers = Readonly<Partial<Record<(typeof MEMBERS)[number], string>>>

/** The members of a key (JWK) that are its public key: without `d` and others of private keys, `kid`, `use` or `alg`. */
export function pickPublicMembers(jwk: PublicMembers): PublicMembers {
  return Object.fromEntries(MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]])))
}

/** RFC 7638, with SHA-256. */
export async function getThumbprint(jwk: PublicMembers): Promise<string> {
  return hashToBase64Url(JSON.stringify(pickPublicMembers(jwk)))
}

/** SHA-256 in base64url. */
export async function hashToBase64Url(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}
