import { createHash } from 'node:crypto'

/** The UUID (version 8) that always stands for this id of this kind, for clients that want UUIDs where our own ids are none. */
export function derivedUuid(kind: string, id: string): string {
  const bytes = createHash('sha256').update(`${kind}\n${id}`).digest().subarray(0, 16)
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x80, 6)
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
