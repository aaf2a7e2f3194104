import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The algorithms with which it creates passkeys. */
export type PasskeyAlgorithmName = 'ES256' | 'RS256' | 'EdDSA'

/** What a ceremony does differently from an honest one. */
export interface CeremonyOptions {
  readonly origin?: string
  readonly rpId?: string
  /** Default true. */
  readonly isUserVerified?: boolean
  readonly isUserPresent?: boolean
  readonly type?: string
  readonly challenge?: string
  /** Members of `clientDataJSON` to add or replace. */
  readonly clientData?: Readonly<Record<string, unknown>>
  /** Default: one more than at the last use, or always 0. */
  readonly counter?: number
  readonly userHandle?: string
  readonly format?: string
  readonly statement?: ReadonlyMap<string, unknown>
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string }
  readonly user: { readonly id: string }
}

interface RequestOptions {
  readonly challenge: string
  readonly rpId?: string
}

interface Passkey {
  readonly id: string
  readonly userHandle: string
  readonly privateKey: KeyObject
  readonly algorithm: PasskeyAlgorithmName
  counter: number
}

const FLAGS = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10, attestedData: 0x40 }
const AAGUID = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

/** An authenticator in software: creates passkeys and signs with them, as a browser on pages of `origin` would ask it to. */
export class SoftwareAuthenticator {
  readonly origin: string
  readonly #passkeys: Passkey[] = []
  readonly #algorithm: PasskeyAlgorithmName
  readonly #counts: boolean

  constructor(origin: string, { algorithm = 'ES256', counts = true }: AuthenticatorOptions = {}) {
    this.origin = origin
    this.#algorithm = algorithm
    this.#counts = counts
  }

  /** The response to `navigator.credentials.create()`, as JSON. */
  async create({ challenge, rp, user }: CreationOptions, options: CeremonyOptions = {}) {
    const { isoCBOR } = await import('@simplewebauthn/server/helpers')
    const encode = (value: unknown): Buffer => Buffer.from(isoCBOR.encode(value as never))
    const { publicKey, privateKey } = newKeyPair(this.#algorithm)
    const id = randomBytes(32)
    const passkey: Passkey = {
      id: id.toString('base64url'),
      userHandle: user.id,
      privateKey,
      algorithm: this.#algorithm,
      counter: 0,
    }
    this.#passkeys.push(passkey)
    const idLength = Buffer.alloc(2)
    idLength.writeUInt16BE(id.length)
    const attested = Buffer.concat([AAGUID, idLength, id, encode(coseKey(this.#algorithm, publicKey))])
    const head = authenticatorData(
      options.rpId ?? rp.id ?? '',
      { ...options, counter: options.counter ?? 0 },
      FLAGS.attestedData,
    )
    const authData = Buffer.concat([head, attested])
    const clientDataJSON = this.#clientData('webauthn.create', challenge, options)
    const { format = 'none', statement = new Map() } = options
    const attestationObject = encode(
      new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', new Uint8Array(authData)],
      ]),
    )
    return {
      ...credential(passkey.id),
      response: {
        clientDataJSON,
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** The response of the latest passkey to `navigator.credentials.get()`, as JSON. */
  async get({ challenge, rpId }: RequestOptions, options: CeremonyOptions = {}) {
    const passkey = this.#passkeys.at(-1)
    if (!passkey) throw new TypeError('the authenticator has no passkey')
    passkey.counter = options.counter ?? (this.#counts ? passkey.counter + 1 : 0)
    const data = authenticatorData(options.rpId ?? rpId ?? '', { ...options, counter: passkey.counter })
    const clientDataJSON = this.#clientData('webauthn.get', challenge, options)
    const digest = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
    const hash = passkey.algorithm === 'EdDSA' ? null : 'sha256'
    const signature = sign(hash, Buffer.concat([data, digest]), passkey.privateKey)
    return {
      ...credential(passkey.id),
      response: {
        clientDataJSON,
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: options.userHandle ?? passkey.userHandle,
      },
    }
  }

  #clientData(type: string, challenge: string, options: CeremonyOptions): string {
    const data = {
      type: options.type ?? type,
      challenge: options.challenge ?? challenge,
      origin: options.origin ?? this.origin,
      crossOrigin: false,
      ...options.clientData,
    }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }
}

interface AuthenticatorOptions {
  readonly algorithm?: PasskeyAlgorithmName
  /** Whether it has a signature counter. Default true. */
  readonly counts?: boolean
}

function credential(id: string) {
  return { id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {} }
}

function authenticatorData(
  rpId: string,
  { isUserVerified = true, isUserPresent = true, counter = 0 }: CeremonyOptions,
  moreFlags = 0,
): Buffer {
  const flags =
    (isUserPresent ? FLAGS.userPresent : 0) |
    (isUserVerified ? FLAGS.userVerified : 0) |
    FLAGS.backupEligible |
    FLAGS.backedUp |
    moreFlags
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(flags), count])
}

function newKeyPair(algorithm: PasskeyAlgorithmName) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return algorithm === 'RS256' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519')
}

/** The key in the form of RFC 9053. */
function coseKey(algorithm: PasskeyAlgorithmName, key: KeyObject): Map<number, unknown> {
  const { x, y, n, e } = key.export({ format: 'jwk' })
  const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'))
  const members: Readonly<Record<PasskeyAlgorithmName, [number, unknown][]>> = {
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ],
  }
  return new Map(members[algorithm])
}
