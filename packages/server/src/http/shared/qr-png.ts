import { crc32, deflateSync } from 'node:zlib'
import encodeQr from 'qr'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const PIXELS_PER_MODULE = 6
const QUIET_MODULES = 4
/** One bit a pixel, grey. */
const HEADER_END = [1, 0, 0, 0, 0]
/** The bytes that the largest QR code holds with medium error correction; with low, 2,953. */
const MAX_MEDIUM_BYTES = 2_331

/** A QR code of a text as a PNG picture. */
export function qrPng(text: string): Buffer {
  const ecc = Buffer.byteLength(text) > MAX_MEDIUM_BYTES ? 'low' : 'medium'
  const modules = encodeQr(text, 'raw', { ecc, border: QUIET_MODULES })
  const side = modules.length * PIXELS_PER_MODULE
  const lines = modules.flatMap((row) => Array<Buffer>(PIXELS_PER_MODULE).fill(line(row, side)))
  const header = Buffer.alloc(8)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, Buffer.from(HEADER_END)])),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A scanline: the filter type byte 0, then one bit a pixel; a set bit is white. */
function line(row: readonly boolean[], side: number): Buffer {
  const bytes = Buffer.alloc(1 + Math.ceil(side / 8))
  for (let x = 0; x < side; x++) {
    if (row[Math.floor(x / PIXELS_PER_MODULE)]) continue
    const at = 1 + (x >> 3)
    bytes.writeUInt8(bytes.readUInt8(at) | (0x80 >> (x & 7)), at)
  }
  return bytes
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
