import type { JsonWebKey, KeyObject } from 'node:crypto'
import { findLeak } from './known-keys.ts'
import { publicNumbersOf, rememberPublicNumbers } from './public-numbers.ts'

export type PublicKeyKind = 'RSA' | 'P-256' | 'P-384' | 'P-521' | 'Ed25519'

export type PublicKeyAdmission =
  | { readonly ok: true; readonly kind: PublicKeyKind }
  | { readonly ok: false; readonly reason: string }

const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192
const MIN_RSA_EXPONENT = 65537n
const MAX_RSA_EXPONENT = 2n ** 32n

/** `spkiBytes` is the size of a key that names its curve and gives a whole point, and of no other form. */
const CURVES: Readonly<Record<string, { kind: PublicKeyKind; spkiBytes: number }>> = {
  prime256v1: { kind: 'P-256', spkiBytes: 91 },
  secp384r1: { kind: 'P-384', spkiBytes: 120 },
  secp521r1: { kind: 'P-521', spkiBytes: 158 },
}

type Judge = (key: KeyObject, read: JsonWebKey | undefined) => PublicKeyAdmission

const JUDGES: Readonly<Record<string, Judge>> = {
  rsa: admitRsa,
  ec: admitEc,
  ed25519: admitEd25519,
}

/**
 * Decides whether a public key may verify anything here, and says in words why not. `node:crypto` imports keys that
 * verify forgeries (RSA with e = 1, low-order Ed25519 points, the EC point at infinity), and some keys have leaked, so
 * every key from outside passes through here first. `read` are its numbers, for whoever has read them from the one encoding
 * that a key has: then it need not be written out to be judged. Never throws.
 */
export function admitPublicKey(key: KeyObject, read?: JsonWebKey): PublicKeyAdmission {
  const known = judged.get(key)
  if (known) return known
  if (read) rememberPublicNumbers(key, read)
  const admission = judge(key, read)
  judged.set(key, admission)
  return admission
}

/** A key never changes, and judging one costs as much as a signature. */
const judged = new WeakMap<KeyObject, PublicKeyAdmission>()

function judge(key: KeyObject, read: JsonWebKey | undefined): PublicKeyAdmission {
  if (key.type !== 'public') return refuse(`a public key is needed, this is a ${key.type} key`)
  const type = key.asymmetricKeyType ?? 'unknown'
  const judgeType = Object.hasOwn(JUDGES, type) ? JUDGES[type] : undefined
  if (!judgeType) return refuse(`keys of the type ${type} are not supported; use RSA, P-256, P-384, P-521 or Ed25519`)
  try {
    const admission = judgeType(key, read)
    const leak = admission.ok ? findLeak(key) : undefined
    return leak === undefined ? admission : refuse(leak)
  } catch {
    // OpenSSL imports the EC point at infinity and then cannot write it out.
    return refuse('the key cannot be read')
  }
}

function admitRsa(key: KeyObject): PublicKeyAdmission {
  const { n, e } = publicNumbersOf(key)
  const [modulus, exponent] = [readNumber(n), readNumber(e)]
  const bits = modulus.toString(2).length
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) {
    return refuse(`an RSA key must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, this one has ${bits}`)
  }
  if (exponent < MIN_RSA_EXPONENT || exponent > MAX_RSA_EXPONENT || exponent % 2n === 0n) {
    return refuse('the exponent of an RSA key must be odd and between 65537 and 4294967296')
  }
  if (modulus % 2n === 0n) return refuse('the modulus of the RSA key is even')
  if (isRocaModulus(modulus)) return refuse('the RSA key was made by a flawed generator (CVE-2017-15361, ROCA)')
  return { ok: true, kind: 'RSA' }
}

function readNumber(base64url = ''): bigint {
  return BigInt(`0x0${Buffer.from(base64url, 'base64url').toString('hex')}`)
}

function admitEc(key: KeyObject, read: JsonWebKey | undefined): PublicKeyAdmission {
  const kind = read && Object.values(CURVES).find((curve) => curve.kind === read.crv)?.kind
  if (kind) return { ok: true, kind }
  const name = key.asymmetricKeyDetails?.namedCurve ?? 'unknown'
  const curve = Object.hasOwn(CURVES, name) ? CURVES[name] : undefined
  if (!curve) return refuse(`the curve ${name} is not supported; use P-256, P-384 or P-521`)
  if (key.export({ format: 'der', type: 'spki' }).length !== curve.spkiBytes) {
    return refuse('an EC key must name its curve and give an uncompressed point')
  }
  return { ok: true, kind: curve.kind }
}

function admitEd25519(key: KeyObject): PublicKeyAdmission {
  const fault = findEd25519PointFault(Buffer.from(publicNumbersOf(key).x ?? '', 'base64url'))
  return fault === undefined ? { ok: true, kind: 'Ed25519' } : refuse(fault)
}

function refuse(reason: string): PublicKeyAdmission {
  return { ok: false, reason }
}

/**
 * Primes modulo which 65537 generates only part of the group. A modulus made by the flawed generator of CVE-2017-15361
 * falls into that part for every one of them; an honest one does so with a chance below one in a hundred million.
 */
const ROCA_PRIMES = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

const GENERATED_RESIDUES = ROCA_PRIMES.map((prime) => {
  const residues = new Set<number>()
  for (let residue = 1; !residues.has(residue); residue = (residue * 65537) % prime) residues.add(residue)
  return { prime: BigInt(prime), residues }
})

function isRocaModulus(modulus: bigint): boolean {
  return GENERATED_RESIDUES.every(({ prime, residues }) => residues.has(Number(modulus % prime)))
}

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const SIGN_BIT = 1n << 255n

/** The y coordinates of the eight points whose order divides 8; with such a key one signature fits every message. */
const LOW_ORDER_Y: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n, // of order 8
  P - 2707385501144840649318225287225658788936804267575313519463743609750303402022n,
])

/** Says in words what is wrong with the 32 bytes of an Ed25519 public key; undefined when nothing is. */
function findEd25519PointFault(encoded: Buffer): string | undefined {
  if (encoded.length !== 32) return 'an Ed25519 key must have 32 bytes'
  const value = BigInt(`0x${Buffer.from(encoded).reverse().toString('hex')}`)
  const y = value & (SIGN_BIT - 1n)
  if (y >= P) return 'the Ed25519 point is not in its canonical form'
  if (LOW_ORDER_Y.has(y)) return 'the Ed25519 point has a low order'
  return isOnCurve(y) ? undefined : 'the Ed25519 point is not on the curve'
}

/** RFC 8032 section 5.1.3: x² = (y² - 1) / (d y² + 1) must be a square; u/v is one exactly when u v is. */
function isOnCurve(y: bigint): boolean {
  const u = (y * y - 1n) % P
  const v = (D * y * y + 1n) % P
  return power((u * v) % P, (P - 1n) / 2n) === 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}
