import { ByteQueue } from './byte-queue.ts'
import { HandshakeCipher } from './handshake-cipher.ts'
import { FINISHED, HandshakeMessages, RefusedCertificates } from './handshake-messages.ts'

/** Types of records. */
const CHANGE_CIPHER_SPEC = 20
const ALERT = 21
const HANDSHAKE = 22
const APPLICATION_DATA = 23

const HEADER_BYTES = 5
/** The only content of its record. OpenSSL passes over an empty one, after which certificates may follow. */
const CHANGE = Buffer.from([1])
const MAX_RECORD_BYTES = HEADER_BYTES + 2 ** 14 + 256
const MAX_HELD_BYTES = 128 * 1024
/** Of one peer until the end of the handshake. Each is copied with what has come before it. */
const MAX_RECORDS = 256
/** After a change of the cipher in TLS 1.2, the last message follows, and no key that is slow to parse is as short. */
const MAX_CHANGED_BYTES = 256

/** By the peer whose certificates are checked. */
const SECRETS = {
  client: 'CLIENT_HANDSHAKE_TRAFFIC_SECRET',
  server: 'SERVER_HANDSHAKE_TRAFFIC_SECRET',
} as const

/**
 * Checks the certificates of a TLS peer before OpenSSL parses them, which it does on the thread that serves all. Bytes of the peer go through
 * `receive`. In TLS 1.3 the certificates are encrypted: OpenSSL logs the secret that is needed (RFC 9850) before the peer can use it.
 *
 * What follows the peer's last message of the handshake goes on only when TLS has ended the handshake too. A peer that makes the two read its
 * bytes differently therefore gets nothing past the guard.
 */
export class HandshakeGuard {
  readonly #secretName: string
  readonly #messages = new HandshakeMessages(false)
  readonly #encrypted = new HandshakeMessages(true)
  #cipher: HandshakeCipher | undefined
  readonly #received = new ByteQueue()
  #records = 0
  #hasBegun = false
  #hasChangedCipher = false
  /** Unread messages after the change of the cipher. Undefined once they are read: those of TLS 1.3 are not encrypted. */
  #changed: ByteQueue | undefined = new ByteQueue()
  #hasFinished = false
  #isOpen = false

  constructor(peer: keyof typeof SECRETS) {
    this.#secretName = SECRETS[peer]
  }

  /** Whether further bytes need not be checked. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether bytes wait for the end of the handshake. */
  get isWaiting(): boolean {
    return this.#hasFinished && !this.#isOpen && this.#received.length > 0
  }

  /** Returns the bytes that may go on. Keeps those that can only be checked later. Throws RefusedCertificates. */
  receive(bytes: Buffer): Buffer {
    if (this.#isOpen && this.#received.length === 0) return bytes
    this.#received.push(bytes)
    const released: Buffer[] = []
    while (!this.#isOpen && !this.#hasFinished) {
      const record = this.#findRecord()
      if (!record || !this.#check(record)) break
      if (++this.#records > MAX_RECORDS) throw new RefusedCertificates('the handshake has too many records')
      released.push(this.#received.take(record.length))
    }
    if (this.#isOpen) released.push(this.#received.take())
    if (this.#received.length > MAX_HELD_BYTES) throw new RefusedCertificates('the handshake does not go on')
    return Buffer.concat(released)
  }

  /** Notes a line of OpenSSL's key log. Call `receive` afterwards: bytes may have waited for it. */
  noteSecret(line: string): void {
    const [name = '', , secret = ''] = line.trim().split(' ')
    if (name === this.#secretName) this.#cipher = new HandshakeCipher(Buffer.from(secret, 'hex'))
  }

  /** Notes that TLS has ended the handshake. Call `receive` afterwards. */
  noteEnd(): void {
    this.#isOpen = true
  }

  /** The next record; undefined while it is incomplete. */
  #findRecord(): Buffer | undefined {
    const type = this.#received.peek(1)?.readUInt8(0)
    if (type === undefined) return undefined
    if (!this.#hasBegun && type !== HANDSHAKE && type !== ALERT) {
      // Text, such as a request without TLS: OpenSSL refuses it. Other forms of a first message would hide those after it.
      if (type < 0x20 || type >= 0x80) throw new RefusedCertificates('the connection does not begin with TLS')
      this.#isOpen = true
      return undefined
    }
    const header = this.#received.peek(HEADER_BYTES)
    if (!header) return undefined
    const length = HEADER_BYTES + header.readUInt16BE(3)
    if (length > MAX_RECORD_BYTES) throw new RefusedCertificates('a record is too long')
    const record = this.#received.peek(length)
    if (record && type === HANDSHAKE) this.#hasBegun = true
    return record
  }

  /** Returns false for a record that must wait: for a secret, or for the end of the handshake. */
  #check(record: Buffer): boolean {
    const type = record.readUInt8(0)
    if (type === APPLICATION_DATA) return this.#cipher ? this.#checkEncrypted(this.#cipher, record) : false
    if (type === CHANGE_CIPHER_SPEC) this.#noteChange(record.subarray(HEADER_BYTES))
    if (type === HANDSHAKE) this.#checkPlain(record.subarray(HEADER_BYTES))
    return true
  }

  #noteChange(content: Buffer): void {
    if (!content.equals(CHANGE)) throw new RefusedCertificates('a change of the cipher is malformed')
    this.#hasChangedCipher = true
  }

  /** After a change of the cipher, TLS 1.2 sends one short encrypted message, and TLS 1.3 may repeat its first one, which can be read. */
  #checkPlain(content: Buffer): void {
    if (!this.#hasChangedCipher || !this.#changed) return void this.#messages.read(content)
    this.#changed.push(content)
    if (this.#changed.length <= MAX_CHANGED_BYTES) return
    this.#messages.read(this.#changed.take())
    this.#changed = undefined
  }

  #checkEncrypted(cipher: HandshakeCipher, record: Buffer): boolean {
    const plain = cipher.decrypt(record)
    if (!plain) throw new RefusedCertificates('a record of the handshake cannot be decrypted')
    if (plain.type === HANDSHAKE && this.#encrypted.read(plain.content).includes(FINISHED)) this.#hasFinished = true
    return true
  }
}
