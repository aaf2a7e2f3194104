import { JsonError } from './json-error.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes the source without repairing it. Keeps a byte order mark, which the JSON grammar refuses.
 * @throws {JsonError} when the bytes are not UTF-8, or the string has a lone surrogate
 */
export function wellFormedText(source: Buffer | string): string {
  if (typeof source === 'string') {
    if (!source.isWellFormed())
      throw new JsonError('a lone surrogate', source, firstDifference(source, source.toWellFormed()))
    return source
  }
  try {
    return utf8.decode(source)
  } catch {
    const repaired = source.toString('utf8')
    const badByte = firstDifference(source, Buffer.from(repaired))
    throw new JsonError('the bytes are not valid UTF-8', repaired, source.subarray(0, badByte).toString('utf8').length)
  }
}

function firstDifference(left: string | Buffer, right: string | Buffer): number {
  let at = 0
  while (at < left.length && left[at] === right[at]) at += 1
  return at
}
