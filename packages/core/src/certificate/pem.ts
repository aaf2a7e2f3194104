const WHITE_SPACE = ' \t\r\n'
const LINE_LENGTH = 64

/** A PEM block with lines of 64 characters and a final newline. */
export function formatPem(label: string, der: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${wrapBase64(der)}-----END ${label}-----\n`
}

/** Base64 in lines of 64 characters, each ended by a newline. */
export function wrapBase64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('base64')
  let lines = ''
  for (let at = 0; at < text.length; at += LINE_LENGTH) lines += `${text.slice(at, at + LINE_LENGTH)}\n`
  return lines
}

/** The bytes of a text that is exactly one block with this label, apart from white space around it. Otherwise undefined. */
export function findOnlyPemBlock(text: string, label: string): Buffer | undefined {
  const trimmed = trimWhiteSpace(text)
  const begin = `-----BEGIN ${label}-----`
  const end = `-----END ${label}-----`
  if (!trimmed.startsWith(begin) || !trimmed.endsWith(end) || trimmed.length < begin.length + end.length)
    return undefined
  const body = trimmed.slice(begin.length, -end.length)
  const isOnOwnLines = (body.startsWith('\n') || body.startsWith('\r\n')) && body.endsWith('\n')
  return isOnOwnLines ? decodeBase64(body.replaceAll('\r\n', '').replaceAll('\n', '')) : undefined
}

/**
 * Every block with this label. Comments and other blocks are ignored, because operators keep them in the same file.
 * Undefined when a block is malformed.
 */
export function findPemBlocks(text: string, label: string): Buffer[] | undefined {
  const begin = `-----BEGIN ${label}-----`
  const end = `-----END ${label}-----`
  const blocks: Buffer[] = []
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at)) {
    const stop = text.indexOf(end, at)
    const block = stop < 0 ? undefined : findOnlyPemBlock(text.slice(at, stop + end.length), label)
    if (!block) return undefined
    blocks.push(block)
    at = stop + end.length
  }
  return blocks
}

/** Strict base64: canonical encodings only. */
function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined
}

/** Unlike `trim`, keeps a byte order mark and other Unicode spaces, so that they are refused. */
function trimWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && WHITE_SPACE.includes(text.charAt(start))) start += 1
  while (end > start && WHITE_SPACE.includes(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
