import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLAIM_LOCATIONS } from '@countersign/contract'
import {
  AppError,
  type AuthorityCertificate,
  commonNameOf,
  findCertificatePath,
  findExternalId,
  findPemBlocks,
  formatPem,
  type LeafCertificate,
  OID,
  readAuthorityCertificate,
  readIntermediates,
  readLeafCertificate,
  readSignerCertificate,
} from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'

const PEM = readFileSync(join(import.meta.dirname, '../seeds/certificates.pem'), 'latin1')
const CERTIFICATES = findPemBlocks(PEM, 'CERTIFICATE') ?? []
const TEXTS = CERTIFICATES.map((der) => Buffer.from(formatPem('CERTIFICATE', der)))

/** Tags, lengths and identifiers of DER, as bytes. */
export const DER_WORDS = [
  '\x30\x80',
  '\x00\x00',
  '\x30\x00',
  '\x02\x00',
  '\x02\x01\x00',
  '\x05\x00',
  '\x06\x03\x55\x04\x03',
  '\x03\x02\x01\x06',
  '\x01\x01\x7f',
  '\x17\x0d',
  '\x18\x0f',
  '\x0c\x00',
  '\x13\x05',
  '\x7f',
  '\x30\x30\x30\x30\x30\x30\x30\x30',
].map((word) => Buffer.from(word, 'latin1'))
const PEM_WORDS = [
  '-----BEGIN CERTIFICATE-----',
  '-----END CERTIFICATE-----',
  '-----BEGIN RSA PRIVATE KEY-----',
  '-----',
  '\n',
  '\r\n',
  '\n\n',
  ' ',
  '=',
  '====',
  'A',
  '\u0000',
  'Proc-Type: 4,ENCRYPTED\n',
]

const CLAIM = { matcher: 'ALL', matcherCriteria: '', parser: 'NONE', parserCriteria: '', index: 0 } as const
const NOW = Date.parse('2026-06-01T00:00:00Z')

/** What is done with the certificate of a third-party CA. Nothing of it may throw. */
function useAsForeign({ parsed }: LeafCertificate, authority: AuthorityCertificate | undefined): void {
  for (const location of CLAIM_LOCATIONS) findExternalId(parsed, { ...CLAIM, location })
  commonNameOf(parsed)
  if (authority)
    findCertificatePath(parsed, readIntermediates([parsed.der]), authority, {
      now: NOW,
      budget: { left: 16, slowLeft: 16 },
    })
}

/** The certificate parsers. OpenSSL must read the same key and usage. Mutates the DER more often than the PEM. */
export const certificateTarget: FuzzTarget = {
  name: 'certificate',
  createInputs: (random) => {
    const nextDer = createMutator(random, { corpus: CERTIFICATES, dictionary: DER_WORDS, maxLength: 48 * 1024 })
    const nextPem = createMutator(random, { corpus: TEXTS, dictionary: PEM_WORDS, maxLength: 66 * 1024 })
    return () => (random.onceIn(4) ? nextPem().toString('latin1') : formatPem('CERTIFICATE', nextDer()))
  },
  accepts: (input) => {
    try {
      const { der, publicKey } = readSignerCertificate(input.toString())
      const oracle = new X509Certificate(der)
      assert.ok(oracle.publicKey.equals(publicKey))
      const leaf = readLeafCertificate(der)
      if (leaf) assert.equal(leaf.isForClients, oracle.keyUsage?.includes(OID.clientAuth) ?? false)
      const authority = readAuthorityCertificate(der)
      if (authority) assert.ok(oracle.ca)
      if (leaf) useAsForeign(leaf, authority)
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'INVALID_CERT_PEM') return false
      throw error
    }
  },
}
