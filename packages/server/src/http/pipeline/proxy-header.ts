import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** A header of the PROXY protocol: https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt */
export interface ProxyHeader {
  /** Its length in bytes. */
  readonly length: number
  /** Undefined when the proxy itself is the client, such as for a health check. */
  readonly client: { readonly address: string; readonly port: number } | undefined
}

const TEXT_START = Buffer.from('PROXY ')
const MAX_TEXT_BYTES = 107
const TEXT = /^PROXY (?:UNKNOWN(?: [ -~]*)?|TCP([46]) (\S+) (\S+) (\d{1,5}) (\d{1,5}))$/
const BINARY_START = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const FIXED_BYTES = 16
/** The specification allows 64 KiB; proxies send some hundred bytes. */
const MAX_BINARY_BYTES = 4_096
const LOCAL = 0x20
const PROXIED = 0x21
const MAX_PORT = 65_535

/** Parses the start of a connection, version 1 or 2. Returns undefined while the header is incomplete. Throws for anything else. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  if (startsLike(bytes, TEXT_START)) return parseText(bytes)
  if (startsLike(bytes, BINARY_START)) return parseBinary(bytes)
  throw new TypeError('no PROXY header')
}

function startsLike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length)
  return bytes.subarray(0, length).equals(start.subarray(0, length))
}

function parseText(bytes: Buffer): ProxyHeader | undefined {
  const end = bytes.subarray(0, MAX_TEXT_BYTES).indexOf('\r\n')
  if (end < 0) {
    if (bytes.length >= MAX_TEXT_BYTES) throw new TypeError('the PROXY header is too long')
    return undefined
  }
  const match = TEXT.exec(bytes.toString('latin1', 0, end))
  if (!match) throw new TypeError('the PROXY header is invalid')
  const [, version, source = '', target = '', sourcePort, targetPort] = match
  const length = end + 2
  if (version === undefined) return { length, client: undefined }
  const isAddress = version === '4' ? isIPv4 : isIPv6
  if (!isAddress(source) || !isAddress(target) || Number(sourcePort) > MAX_PORT || Number(targetPort) > MAX_PORT) {
    throw new TypeError('the PROXY header has an invalid address')
  }
  return { length, client: { address: source, port: Number(sourcePort) } }
}

/** The addresses of a family: source, target, source port, target port. Others than TCP are not forwarded to this listener. */
const FAMILIES: Readonly<Record<number, { readonly bytes: number; address(octets: Buffer): string }>> = {
  17: { bytes: 4, address: (octets) => octets.join('.') },
  33: { bytes: 16, address: formatV6 },
}
const UNSPECIFIED = 0

function parseBinary(bytes: Buffer): ProxyHeader | undefined {
  if (bytes.length < FIXED_BYTES) return undefined
  const command = bytes.readUInt8(12)
  const family = bytes.readUInt8(13)
  const length = FIXED_BYTES + bytes.readUInt16BE(14)
  if ((command !== LOCAL && command !== PROXIED) || length > MAX_BINARY_BYTES) {
    throw new TypeError('the PROXY header is invalid')
  }
  if (bytes.length < length) return undefined
  if (command === LOCAL || family === UNSPECIFIED) return { length, client: undefined }
  const kind = FAMILIES[family]
  if (!kind || length < FIXED_BYTES + 2 * kind.bytes + 4) throw new TypeError('the PROXY header has an invalid address')
  const address = kind.address(bytes.subarray(FIXED_BYTES, FIXED_BYTES + kind.bytes))
  return { length, client: { address, port: bytes.readUInt16BE(FIXED_BYTES + 2 * kind.bytes) } }
}

function formatV6(octets: Buffer): string {
  const groups = octets.toString('hex').match(/.{4}/g) ?? []
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}
