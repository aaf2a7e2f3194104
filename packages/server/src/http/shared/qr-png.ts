import { crc32, deflateSync } from 'node:zlib'
import encodeQr from 'qr'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** A byte of a scanline. */
const PIXELS_PER_MODULE = 8
const QUIET_MODULES = 4
/** One bit a pixel, grey. */
const HEADER_END = [1, 0, 0, 0, 0]
const BLACK = 0x00
const WHITE = 0xff
/** The fastest: the lines of a module are equal, and the default takes four times as long for half the size. */
const COMPRESSION = { level: 1 }
/** The bytes that the largest QR code holds with medium error correction; with low, 2,953. */
const MAX_MEDIUM_BYTES = 2_331

/** A QR code of a text as a PNG picture. */
export function qrPng(text: string): Buffer {
  const ecc = Buffer.byteLength(text) > MAX_MEDIUM_BYTES ? 'low' : 'medium'
  const modules = encodeQr(text, 'raw', { ecc, border: QUIET_MODULES })
  const side = modules.length * PIXELS_PER_MODULE
  const lines = modules.flatMap((row) => Array<Buffer>(PIXELS_PER_MODULE).fill(line(row)))
  const header = Buffer.alloc(8)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, Buffer.from(HEADER_END)])),
    chunk('IDAT', deflateSync(Buffer.concat(lines), COMPRESSION)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A scanline: the filter type byte 0, then one bit a pixel. */
function line(row: readonly boolean[]): Buffer {
  return Buffer.from([0, ...row.map((isDark) => (isDark ? BLACK : WHITE))])
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
