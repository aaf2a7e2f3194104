import { type MintKey, makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { MANAGEMENT, type Product } from './product.ts'

const KINDS = { RSA: 'rsa2048', 'P-256': 'ec256' } as const
const TOKEN_SECONDS = 6 * 3600

/** The bare server's view of a signer: the JSON of the header `x-signer`. */
export interface BareSigner {
  readonly issuer: string
  readonly audience: string
  /** SubjectPublicKeyInfo: DER in base64. */
  readonly publicKey: string
}

/** A signer with a certificate, and the key that mints its tokens. */
export interface BenchSigner {
  readonly id: string
  readonly issuer: string
  readonly audience: string
  readonly kid: string
  /** Mints a token for the identity with this externalId, with further claims. Tokens with different numbers differ. */
  mint(sub: string, number?: number, claims?: Readonly<Record<string, unknown>>): string
  /** The headers with which the bare server verifies this token. */
  bareHeaders(token: string): Record<string, string>
}

/** Creates an enabled signer with a certificate: no key set is fetched during measurements. */
export async function createBenchSigner(
  product: Product,
  name: string,
  kind: keyof typeof KINDS = 'RSA',
  more: Readonly<Record<string, unknown>> = {},
): Promise<BenchSigner> {
  const certificate = makeTestCertificate({ kind: KINDS[kind], commonName: name })
  const identifiers = { issuer: `https://${name}.example`, audience: 'bench', kid: name }
  const settings = { name, enabled: true, useExternalId: true, certPem: certificate.pem, ...identifiers, ...more }
  const { data } = await product.call('POST', `${MANAGEMENT}/ext-jwt-signers`, settings)
  const key: MintKey = mintKeyFrom(certificate.privateKey, kind, name)
  const publicKey = certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const { issuer, audience } = identifiers
  const bareSigner = JSON.stringify({ issuer, audience, publicKey } satisfies BareSigner)
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS
  return {
    id: (data as unknown as { id: string }).id,
    ...identifiers,
    mint: (sub, number = 0, more = {}) =>
      mintToken({
        key,
        claims: {
          iss: issuer,
          aud: audience,
          sub,
          exp,
          jti: String(number),
          groups: ['engineering', 'sales'],
          ...more,
        },
      }),
    bareHeaders: (token) => ({ authorization: `Bearer ${token}`, 'x-signer': bareSigner }),
  }
}

/** Returns the token with an invalid signature. */
export function forgeToken(token: string): string {
  const start = token.lastIndexOf('.') + 1
  const end = start + 8
  const replacement = token.slice(start, end) === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA'
  return token.slice(0, start) + replacement + token.slice(end)
}
