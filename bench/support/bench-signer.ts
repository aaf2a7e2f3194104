import { type MintKey, makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { MANAGEMENT, type Product } from './product.ts'

const KINDS = { RSA: 'rsa2048', 'P-256': 'ec256' } as const
const TOKEN_SECONDS = 6 * 3600

/** What the bare server knows of a signer, in the header `x-signer`. */
export interface BareSigner {
  readonly issuer: string
  readonly audience: string
  /** DER in base64. */
  readonly publicKey: string
}

/** A signer by certificate, and the key to mint its tokens with. */
export interface BenchSigner {
  readonly id: string
  readonly issuer: string
  readonly audience: string
  readonly kid: string
  /** A token for whoever has this externalId; those of different numbers differ. */
  mint(sub: string, number?: number): string
  /** What the bare server needs to verify that very token. */
  bareHeaders(token: string): Record<string, string>
}

/** Creates an enabled signer that needs no provider: nothing is fetched while others are measured. */
export async function createBenchSigner(
  product: Product,
  name: string,
  kind: keyof typeof KINDS = 'RSA',
  more: Readonly<Record<string, unknown>> = {},
): Promise<BenchSigner> {
  const certificate = makeTestCertificate({ kind: KINDS[kind], commonName: name })
  const about = { issuer: `https://${name}.example`, audience: 'bench', kid: name }
  const settings = { name, enabled: true, useExternalId: true, certPem: certificate.pem, ...about, ...more }
  const { data } = await product.call('POST', `${MANAGEMENT}/ext-jwt-signers`, settings)
  const key: MintKey = mintKeyFrom(certificate.privateKey, kind, name)
  const publicKey = certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const { issuer, audience } = about
  const bareSigner = JSON.stringify({ issuer, audience, publicKey } satisfies BareSigner)
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS
  return {
    id: (data as unknown as { id: string }).id,
    ...about,
    mint: (sub, number = 0) =>
      mintToken({
        key,
        claims: {
          iss: about.issuer,
          aud: about.audience,
          sub,
          exp,
          jti: String(number),
          groups: ['engineering', 'sales'],
        },
      }),
    bareHeaders: (token) => ({ authorization: `Bearer ${token}`, 'x-signer': bareSigner }),
  }
}

/** The same token with another signature. */
export function forgeToken(token: string): string {
  const cut = token.lastIndexOf('.') + 9
  const from = token.slice(cut - 8, cut)
  return token.slice(0, cut - 8) + (from === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA') + token.slice(cut)
}
