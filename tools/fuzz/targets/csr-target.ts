import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, der, findPemBlocks, formatPem, readCsr } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'
import { DER_WORDS } from './certificate-target.ts'

const LABEL = 'CERTIFICATE REQUEST'
const PEM = readFileSync(join(import.meta.dirname, '../seeds/requests.pem'), 'latin1')
const REQUESTS = findPemBlocks(PEM, LABEL) ?? []
const TEXTS = REQUESTS.map((request) => Buffer.from(formatPem(LABEL, request)))
const PEM_WORDS = [`-----BEGIN ${LABEL}-----`, `-----END ${LABEL}-----`, ' NEW', '\n', '\r\n', ' ', '=', 'A', '\u0000']
const REFUSALS: ReadonlySet<string> = new Set(['COULD_NOT_PROCESS_CSR', 'REQUEST_ENTITY_TOO_LARGE'])

/** The key of the last request: a fixed Ed25519 key (all bytes 7), whose signatures are deterministic. */
const KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
})
const ALGORITHM = der.sequence(der.oid('1.3.101.112'))
const KEY_INFO = createPublicKey(KEY).export({ format: 'der', type: 'spki' })
const INFOS = REQUESTS.slice(-1).map(signedPart)

/** The parser of certificate requests. Most inputs are signed after the mutation, so that they pass the signature check. */
export const csrTarget: FuzzTarget = {
  name: 'csr',
  createInputs: (random) => {
    const nextInfo = createMutator(random, { corpus: INFOS, dictionary: DER_WORDS, maxLength: 12 * 1024 })
    const nextDer = createMutator(random, { corpus: REQUESTS, dictionary: DER_WORDS, maxLength: 13 * 1024 })
    const nextPem = createMutator(random, { corpus: TEXTS, dictionary: PEM_WORDS, maxLength: 17 * 1024 })
    return () => {
      if (random.onceIn(4)) return nextPem().toString('latin1')
      return formatPem(LABEL, random.onceIn(4) ? nextDer() : signInfo(nextInfo()))
    }
  },
  accepts: (input) => {
    try {
      const { publicKey, publicKeyInfo } = readCsr(input.toString())
      assert.ok(publicKey.export({ format: 'der', type: 'spki' }).equals(publicKeyInfo))
      // Any other key would lack proof of possession: the fuzzer has only the private key of KEY_INFO.
      assert.ok(publicKeyInfo.equals(KEY_INFO) || REQUESTS.some((request) => request.includes(publicKeyInfo)))
      return true
    } catch (error) {
      if (error instanceof AppError && REFUSALS.has(error.code)) return false
      throw error
    }
  },
}

function signInfo(info: Buffer): Buffer {
  return der.sequence(info, ALGORITHM, der.bitString(sign(null, info, KEY)))
}

/** Returns the signed part of a request: all but algorithm and signature, which have a fixed length. */
function signedPart(request: Buffer): Buffer {
  const headerBytes = (request[1] ?? 0) < 0x80 ? 2 : 2 + ((request[1] ?? 0) & 0x7f)
  return request.subarray(headerBytes, -(ALGORITHM.length + der.bitString(Buffer.alloc(64)).length))
}
