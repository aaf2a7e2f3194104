import { hash, type KeyObject } from 'node:crypto'
import { publicNumbersOf } from './public-numbers.ts'
import { DIGEST_BYTES, type RefusedKeys } from './refused-keys.ts'

/** `keyDigest` of keys whose private half is printed in standards and manuals, from where people copy them. */
const PUBLISHED: ReadonlySet<string> = new Set([
  '26d6872d476b20e7eaa7cc894dcbc0', // RFC 7515 A.2
  'c4a8d76ecf5f712a6f98052d967a15', // RFC 7515 A.3
  '08d4c44ed3de00523ff625400c954b', // RFC 7515 A.4
  'fa0823c601e01670320f579ad4c5c4', // RFC 7517 A.2, EC
  'cfd9828d5c4be180a7f4eb8b337257', // RFC 7517 A.2, RSA
  '2fa826c24364cd3811e370291c3eec', // RFC 7520 3.2
  '91c2c702c0240040ba2a82a55357ac', // RFC 7520 3.4
  '21fe31dfa154a261626bf854046fd2', // RFC 8037 A.1 and RFC 8032 7.1
  '9af6159203e8509e0550defa50b312', // RFC 9421 B.1.1
  'fa2bc28a552a8316d284796d1b00dc', // RFC 9421 B.1.3
  'b16c2d1bead1262639764fdb0ee4d3', // RFC 9421 B.1.4
  'd5246bc377541fb76508de53d527eb', // RFC 9500 2.1
  '336ab2ef332415f3ec691a96a4dfd2', // RFC 9500 2.3
  '2da8a492573f9cd453d9a68d7a24c6', // jwt.io, RS256
  '9142de5a4473a92861951a946aa031', // jwt.io, ES256
  'dc6e88c544578d0051ff46a94d4a63', // jwt.io, ES384
  '828910bbe96701715dd78823dc078f', // the development key of oidc-provider
])

let refusedKeys: RefusedKeys | undefined

/**
 * Sets the list of further keys that `admitPublicKey` refuses, for the whole process: leaked keys do not depend on the controller.
 * Undefined removes the list. Call it before the first key is admitted, because admissions are cached.
 */
export function refuseKeys(list: RefusedKeys | undefined): void {
  refusedKeys = list
}

/** Returns why the private half of a key is considered known; undefined when it is not. */
export function findLeak(key: KeyObject): string | undefined {
  const digest = keyDigest(key)
  if (PUBLISHED.has(digest.toString('hex'))) return 'the private half of this key is published in a standard or manual'
  return refusedKeys?.has(digest) ? 'the key is on the list of refused keys (keys.refusedKeysFile)' : undefined
}

/**
 * The first 120 bits of SHA-256 over the defining number of a key, without leading zeros: the modulus of RSA, the x of EC, the point of Ed25519.
 * Not over the whole key, because the factors of an RSA modulus work with any exponent. The same as badkeys' BKHASH120.
 */
export function keyDigest(key: KeyObject): Buffer {
  const { n, x } = publicNumbersOf(key)
  const bytes = Buffer.from(n ?? x ?? '', 'base64url')
  const start = bytes.findIndex((byte) => byte !== 0)
  return hash('sha256', bytes.subarray(Math.max(start, 0)), 'buffer').subarray(0, DIGEST_BYTES)
}
