import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** The scrypt parameters: `2^logN` blocks of `r` x 128 bytes, `p` times. */
export interface PasswordCost {
  readonly logN: number
  readonly r: number
  readonly p: number
}

export const PASSWORD_COST: PasswordCost = { logN: 15, r: 8, p: 3 }

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Scheme, cost, salt and hash. The cost is limited to what scrypt accepts and memory allows: logN to 20, r from 2, p from 1. */
const DIGEST = /^scrypt\$([1-9]|1\d|20)\$([2-9]|[1-9]\d)\$([1-9]\d?)\$([\w-]+)\$([\w-]+)$/

/** Hashes a password for storage. The digest includes cost and salt, so that the cost can be raised later. */
export async function digestPassword(password: string, cost: PasswordCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, cost)
  return formatDigest(cost, salt, hash)
}

/** A digest that matches no password. Verify against it when the user name is unknown, so that the attempt takes the same time. */
export function unmatchablePasswordDigest(cost: PasswordCost): string {
  return formatDigest(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
}

/** Whether the password matches the digest. False for a malformed digest. */
export async function verifyPassword(password: string, digest: string): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] = DIGEST.exec(digest) ?? []
  if (logN === undefined) return false
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  const expected = Buffer.from(hash, 'base64url')
  const actual = await derive(password, Buffer.from(salt, 'base64url'), cost)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function formatDigest({ logN, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', logN, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

function derive(password: string, salt: Buffer, { logN, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** logN
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}
