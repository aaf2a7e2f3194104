import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { AppError } from '@countersign/core'

/** Encrypts secrets in the store, so that a copy of the store does not disclose them. */
export interface Sealing {
  /** Identifies the key in sealed values without disclosing it. */
  readonly keyId: string
  /** The prefix of every value that this key has sealed. */
  readonly prefix: string
  /** Seals a text for one use, such as `totp <identity id>`: it opens only with the same key and use. */
  seal(text: string, use: string): string
  /** A digest of a text that only holders of the key can compute, for one use. */
  mac(text: string, use: string): string
  /** Returns the sealed text. Fails with SEALING_KEY_MISMATCH for a value of another key or use, or a modified one. */
  open(sealed: string, use: string): string
}

export const SEALING_KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'
const VERSION = 's1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM. The use is authenticated data, so that a value cannot be moved to another identity in the store. */
export function createSealing(keyBytes: Buffer): Sealing {
  if (keyBytes.length !== SEALING_KEY_BYTES) throw new TypeError('a sealing key has 32 bytes')
  const key = createSecretKey(keyBytes)
  const keyId = createHash('sha256').update('countersign sealing key ').update(keyBytes).digest('hex').slice(0, 8)
  const prefix = `${VERSION}.${keyId}.`
  return {
    keyId,
    prefix,
    seal: (text, use) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(use))
      const content = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return prefix + content.toString('base64url')
    },
    mac: (text, use) => createHmac('sha256', key).update(`countersign mac ${use}\0`).update(text).digest('base64url'),
    open: (sealed, use) => {
      if (!sealed.startsWith(prefix)) throw otherKey(sealed.split('.')[1], keyId)
      try {
        return decipher(key, Buffer.from(sealed.slice(prefix.length), 'base64url'), use)
      } catch (error) {
        throw new AppError('SEALING_KEY_MISMATCH', undefined, {
          cause: new Error('a sealed value in the store was changed or moved', { cause: error }),
        })
      }
    },
  }
}

function decipher(key: KeyObject, content: Buffer, use: string): string {
  const decipher = createDecipheriv(CIPHER, key, content.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(use)).setAuthTag(content.subarray(-TAG_BYTES))
  return decipher.update(content.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

/** The cause, which is only logged, says what to do; the response does not. */
function otherKey(sealedBy = '', keyId = ''): AppError {
  const reason = `a value in the store is sealed with the key ${sealedBy.slice(0, 8)}, this node has the key ${keyId}`
  return new AppError('SEALING_KEY_MISMATCH', undefined, {
    cause: new Error(`${reason}: give every node the same sealingKey, or restore keys/sealing.key`),
  })
}
