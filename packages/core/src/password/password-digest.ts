import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** How much work one guess costs: `2^logN` blocks of `r` x 128 bytes, `p` times. */
export interface PasswordCost {
  readonly logN: number
  readonly r: number
  readonly p: number
}

export const PASSWORD_COST: PasswordCost = { logN: 15, r: 8, p: 3 }

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Digests a password for storage; the cost and salt travel beside the hash, so that the cost can be raised later. */
export async function digestPassword(password: string, cost: PasswordCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, cost)
  return formatDigest(cost, salt, hash)
}

/** A digest that no password has, to be checked where there is none: a guess at an unknown name costs the same work. */
export function digestOfNoPassword(cost: PasswordCost): string {
  return formatDigest(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
}

/** Whether the password is the one that was digested. False for a digest that cannot be read. */
export async function verifyPassword(password: string, digest: string): Promise<boolean> {
  const [scheme, logN, r, p, salt, hash] = digest.split('$')
  if (scheme !== 'scrypt' || !salt || !hash) return false
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
