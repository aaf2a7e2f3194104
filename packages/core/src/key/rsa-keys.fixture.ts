import * as der from '../certificate/der-writer.ts'

/** The SubjectPublicKeyInfo of any RSA key, including weak and malformed ones. */
export function rsaKeyInfo(n: bigint, e: bigint, { withoutSignOctet = false } = {}): Buffer {
  const octets = (value: bigint) =>
    Buffer.from(value.toString(16).padStart(value.toString(16).length + (value.toString(16).length % 2), '0'), 'hex')
  const modulus = withoutSignOctet ? der.element(0x02, octets(n)) : der.integer(octets(n))
  const algorithm = der.sequence(der.oid('1.2.840.113549.1.1.1'), der.nullValue())
  return der.sequence(algorithm, der.bitString(der.sequence(modulus, der.integer(octets(e)))))
}

/** A modulus like those of the flawed generator: a power of 65537 modulo the product of many small primes. */
export function rocaModulus(): bigint {
  const primes: bigint[] = []
  for (let n = 2n; n <= 167n; n++) if (primes.every((prime) => n % prime !== 0n)) primes.push(n)
  const product = primes.reduce((left, right) => left * right)
  let residue = 1n
  for (let i = 0; i < 12345; i++) residue = (residue * 65537n) % product
  return (2n ** 2047n / product + 7n) * product + residue
}
