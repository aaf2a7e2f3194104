import { verify, type X509Certificate } from 'node:crypto'

interface Verification {
  readonly keyType: string
  readonly curve?: string
  readonly hash: string | null
}

/** How the controller signs, by its key; the algorithm of the header must be that of the key. */
const ALGORITHMS: Readonly<Record<string, Verification>> = {
  ES256: { keyType: 'ec', curve: 'prime256v1', hash: 'sha256' },
  ES384: { keyType: 'ec', curve: 'secp384r1', hash: 'sha384' },
  ES512: { keyType: 'ec', curve: 'secp521r1', hash: 'sha512' },
  RS256: { keyType: 'rsa', hash: 'sha256' },
  RS384: { keyType: 'rsa', hash: 'sha384' },
  RS512: { keyType: 'rsa', hash: 'sha512' },
  EdDSA: { keyType: 'ed25519', hash: null },
}

/** Whether the key of the certificate has signed the JWT. */
export function isSignedBy(jwt: string, { publicKey }: Pick<X509Certificate, 'publicKey'>): boolean {
  const [header = '', payload = '', signature = '', ...rest] = jwt.trim().split('.')
  const algorithm = findAlgorithm(header)
  const { asymmetricKeyType, asymmetricKeyDetails } = publicKey
  const isKeyOf =
    algorithm?.keyType === asymmetricKeyType &&
    (algorithm?.curve === undefined || algorithm.curve === asymmetricKeyDetails?.namedCurve)
  if (!algorithm || !isKeyOf || rest.length > 0 || signature === '') return false
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
  const signed = Buffer.from(`${header}.${payload}`)
  return verify(algorithm.hash, signed, key, Buffer.from(signature, 'base64url'))
}

function findAlgorithm(header: string): Verification | undefined {
  try {
    const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { alg?: unknown }
    return typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined
  } catch {
    return undefined
  }
}
