import { createDecipheriv, createHmac } from 'node:crypto'

const TAG_BYTES = 16
const NONCE_BYTES = 12

interface Suite {
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305'
  readonly keyBytes: number
}

/** By the length of their secret, which is that of their hash. */
const SUITES: Readonly<Record<number, { readonly hash: string; readonly suites: readonly Suite[] }>> = {
  32: {
    hash: 'sha256',
    suites: [
      { cipher: 'aes-128-gcm', keyBytes: 16 },
      { cipher: 'chacha20-poly1305', keyBytes: 32 },
    ],
  },
  48: { hash: 'sha384', suites: [{ cipher: 'aes-256-gcm', keyBytes: 32 }] },
}

interface Keys {
  readonly cipher: Suite['cipher']
  readonly key: Buffer
  readonly iv: Buffer
}

/** Decrypts the records of one direction in the handshake of TLS 1.3 (RFC 8446 section 5.2). */
export class HandshakeCipher {
  readonly #candidates: readonly Keys[]
  /** Those of the first record. */
  #own: Keys | undefined
  #sequence = 0

  /** `secret` is the handshake traffic secret of the direction. */
  constructor(secret: Buffer) {
    const { hash, suites } = SUITES[secret.length] ?? { hash: '', suites: [] }
    this.#candidates = suites.map(({ cipher, keyBytes }) => ({
      cipher,
      key: expandLabel(hash, secret, 'key', keyBytes),
      iv: expandLabel(hash, secret, 'iv', NONCE_BYTES),
    }))
  }

  /** The next record as it was before encryption; undefined when it was not encrypted with the secret. */
  decrypt(record: Buffer): { readonly type: number; readonly content: Buffer } | undefined {
    const opened = this.#candidates.flatMap((keys) => {
      // With early data, OpenSSL passes over records that it cannot decrypt, and counts from zero after them: so would one that uses the other cipher.
      const plain = tryKeys(keys, record, keys === this.#own ? this.#sequence : 0)
      return plain ? [{ keys, plain }] : []
    })
    const [only, other] = opened
    // A sender can make a record that two ciphers open, with another content each.
    if (!only || other || only.keys !== (this.#own ?? only.keys)) return undefined
    // OpenSSL passes over a record without a type too: the counts would differ from here on.
    if (only.plain.length === 0) return undefined
    this.#own = only.keys
    this.#sequence++
    return withoutPadding(only.plain)
  }
}

function tryKeys({ cipher, key, iv }: Keys, record: Buffer, sequence: number): Buffer | undefined {
  const nonce = Buffer.from(iv)
  nonce.writeUInt32BE((nonce.readUInt32BE(NONCE_BYTES - 4) ^ sequence) >>> 0, NONCE_BYTES - 4)
  const [header, body] = [record.subarray(0, 5), record.subarray(5, -TAG_BYTES)]
  // Both ciphers take these options; the types of one do not know the other.
  const decipher = createDecipheriv(cipher as 'aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(header)
  try {
    decipher.setAuthTag(record.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(body), decipher.final()])
  } catch {
    return undefined
  }
}

/** The type of the content is its last byte that is not zero. */
function withoutPadding(plain: Buffer): { readonly type: number; readonly content: Buffer } {
  const at = plain.findLastIndex((byte) => byte !== 0)
  return { type: plain[at] ?? 0, content: plain.subarray(0, Math.max(0, at)) }
}

/** HKDF-Expand-Label without a context (RFC 8446 section 7.1). All outputs here are shorter than one hash. */
function expandLabel(hash: string, secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.from([length >> 8, length & 0xff, name.length]), name, Buffer.from([0])])
  return createHmac(hash, secret)
    .update(info)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, length)
}
