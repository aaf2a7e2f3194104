import { isQuickToParse } from '@countersign/core'
import { ByteQueue } from './byte-queue.ts'

const CERTIFICATE = 11
const COMPRESSED_CERTIFICATE = 25
export const FINISHED = 20
const HEADER_BYTES = 4
/** Of one handshake. Logins read at most nine. */
const MAX_CERTIFICATES = 16
const MAX_CERTIFICATE_BYTES = 32 * 1024
/** With the lengths and extensions of sixteen certificates, which may have stapled responses. */
const MAX_MESSAGE_BYTES = 2 * MAX_CERTIFICATE_BYTES

/** The peer sends certificates that OpenSSL must not parse. */
export class RefusedCertificates extends Error {
  override readonly name = 'RefusedCertificates'
  readonly code = 'ERR_REFUSED_CERTIFICATES'
}

/** Joins the messages of a handshake, which records can split, and checks the certificates in them. */
export class HandshakeMessages {
  readonly #isTls13: boolean
  readonly #pending = new ByteQueue()

  constructor(isTls13: boolean) {
    this.#isTls13 = isTls13
  }

  /** Returns the types of the messages that end in these bytes. Throws RefusedCertificates. */
  read(bytes: Buffer): readonly number[] {
    this.#pending.push(bytes)
    const types: number[] = []
    for (let header = this.#pending.peek(HEADER_BYTES); header; header = this.#pending.peek(HEADER_BYTES)) {
      const type = header.readUInt8(0)
      const length = HEADER_BYTES + header.readUIntBE(1, 3)
      if (length > MAX_MESSAGE_BYTES) throw new RefusedCertificates('a message of the handshake is too long')
      if (length > this.#pending.length) break
      this.#check(type, this.#pending.take(length).subarray(HEADER_BYTES))
      types.push(type)
    }
    return types
  }

  #check(type: number, body: Buffer): void {
    if (type === COMPRESSED_CERTIFICATE) throw new RefusedCertificates('the certificates are compressed')
    if (type !== CERTIFICATE) return
    const certificates = readCertificates(body, this.#isTls13)
    const bytes = certificates?.reduce((sum, { length }) => sum + length, 0) ?? 0
    if (!certificates || certificates.length > MAX_CERTIFICATES || bytes > MAX_CERTIFICATE_BYTES) {
      throw new RefusedCertificates('there are too many certificates')
    }
    if (!certificates.every(isQuickToParse))
      throw new RefusedCertificates('a certificate has a key that is not used in TLS')
  }
}

/** The certificates of a message (RFC 8446 section 4.4.2, RFC 5246 section 7.4.2); undefined when it is malformed. */
function readCertificates(body: Buffer, isTls13: boolean): Buffer[] | undefined {
  const listAt = isTls13 ? 1 + (body[0] ?? 0) : 0
  if (body.length < listAt + 3 || body.length !== listAt + 3 + body.readUIntBE(listAt, 3)) return undefined
  const certificates: Buffer[] = []
  for (let at = listAt + 3; at < body.length; ) {
    if (at + 3 > body.length) return undefined
    const start = at + 3
    const end = start + body.readUIntBE(at, 3)
    const next = isTls13 ? end + 2 + (end + 2 <= body.length ? body.readUInt16BE(end) : 0) : end
    if (next > body.length) return undefined
    certificates.push(body.subarray(start, end))
    at = next
  }
  return certificates
}
