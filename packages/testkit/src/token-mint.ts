import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'

export type MintKeyKind = 'RSA' | 'P-256' | 'P-384' | 'P-521' | 'Ed25519'

export interface MintKey {
  readonly kid: string
  readonly kind: MintKeyKind
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** The public key as a provider publishes it. */
  readonly jwk: JsonWebKey & { readonly kid: string }
}

const GENERATORS: Readonly<Record<MintKeyKind, () => { privateKey: KeyObject }>> = {
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  Ed25519: () => generateKeyPairSync('ed25519'),
}

const keys = new Map<string, MintKey>()

/** Returns the key of this kind and name, created once per process because RSA keys are slow. */
export function mintKey(kind: MintKeyKind, name = 'first'): MintKey {
  const kid = `${kind}-${name}`
  const known = keys.get(kid)
  if (known) return known
  const made = mintKeyFrom(GENERATORS[kind]().privateKey, kind, kid)
  keys.set(kid, made)
  return made
}

/** The same key under another kid, or a key made by the test. */
export function mintKeyFrom(privateKey: KeyObject, kind: MintKeyKind, kid: string): MintKey {
  const publicKey = createPublicKey(privateKey)
  return { kid, kind, privateKey, publicKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } }
}

/** A JWKS document of these keys, or of raw entries. */
export function mintKeySet(...entries: readonly (MintKey | Record<string, unknown>)[]): { keys: unknown[] } {
  return { keys: entries.map((entry) => ('privateKey' in entry ? (entry as MintKey).jwk : entry)) }
}

type SignBytes = (input: Buffer, key: KeyObject | Buffer | string) => Buffer

const rsa =
  (hash: string, padding: number): SignBytes =>
  (input, key) =>
    sign(hash, input, { key: key as KeyObject, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST })
const ecdsa =
  (hash: string): SignBytes =>
  (input, key) =>
    sign(hash, input, { key: key as KeyObject, dsaEncoding: 'ieee-p1363' })
const hmac =
  (hash: string): SignBytes =>
  (input, key) =>
    createHmac(hash, key).update(input).digest()

const SIGNERS = {
  RS256: rsa('sha256', constants.RSA_PKCS1_PADDING),
  RS384: rsa('sha384', constants.RSA_PKCS1_PADDING),
  RS512: rsa('sha512', constants.RSA_PKCS1_PADDING),
  PS256: rsa('sha256', constants.RSA_PKCS1_PSS_PADDING),
  PS384: rsa('sha384', constants.RSA_PKCS1_PSS_PADDING),
  PS512: rsa('sha512', constants.RSA_PKCS1_PSS_PADDING),
  ES256: ecdsa('sha256'),
  ES384: ecdsa('sha384'),
  ES512: ecdsa('sha512'),
  EdDSA: (input, key) => sign(null, input, key as KeyObject),
  HS256: hmac('sha256'),
  HS384: hmac('sha384'),
  HS512: hmac('sha512'),
} as const satisfies Record<string, SignBytes>

export type MintAlgorithm = keyof typeof SIGNERS

/** Algorithms by key kind, the usual one first. */
export const MINT_ALGORITHMS: Readonly<Record<MintKeyKind, readonly MintAlgorithm[]>> = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA'],
}

export interface MintOptions {
  readonly key: MintKey
  /** The algorithm that signs. The header says the same unless `header.alg` differs. */
  readonly alg?: MintAlgorithm
  /** Members to add to the header; undefined removes a member. */
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** The exact bytes of the header or claims, JSON or not. */
  readonly rawHeader?: string | Buffer
  readonly rawClaims?: string | Buffer
  /** Signs instead of the key: a MAC, a forgery, an empty signature. */
  readonly sign?: (input: Buffer) => Buffer
}

/** A compact JWS over any bytes. By default a valid one: header of `alg`, `kid` and `typ`, signed by the key. */
export function mintToken(options: MintOptions): string {
  const { key } = options
  const alg = options.alg ?? MINT_ALGORITHMS[key.kind][0] ?? 'RS256'
  const header = options.rawHeader ?? JSON.stringify({ alg, kid: key.kid, typ: 'JWT', ...options.header })
  const claims = options.rawClaims ?? JSON.stringify(options.claims ?? {})
  return assembleToken(header, claims, options.sign ?? ((input) => signBytes(alg, key.privateKey, input)))
}

/** Encodes and joins the three parts. */
export function assembleToken(
  header: string | Buffer,
  claims: string | Buffer,
  signInput: (input: Buffer) => Buffer,
): string {
  const input = `${Buffer.from(header).toString('base64url')}.${Buffer.from(claims).toString('base64url')}`
  return `${input}.${signInput(Buffer.from(input)).toString('base64url')}`
}

/** Returns the JWA signature (RFC 7518, 8037) over the input. */
export function signBytes(alg: MintAlgorithm, key: KeyObject | Buffer | string, input: Buffer): Buffer {
  return SIGNERS[alg](input, key)
}
