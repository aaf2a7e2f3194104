import type { AuditHead, AuditKey } from './audit-head.ts'
import type { ExportedAudit, ExportedEntry } from './verify-audit.ts'

/** The first line of an export. The heads stand here, so that a file that ends early still says what is missing. */
export interface AuditFileHeader {
  readonly format: typeof AUDIT_FILE_FORMAT
  readonly exportedAt: string
  readonly keys: readonly AuditKey[]
  readonly heads: readonly AuditHead[]
  readonly anchors: readonly AuditHead[]
}

export const AUDIT_FILE_FORMAT = 'countersign-audit-1'

/** A file that is not an export, or a line of one that is not an entry. */
export class AuditFileError extends Error {
  override readonly name = 'AuditFileError'
}

/** Reads the lines of an export: a header, and an entry on each further line. Entries are read when they are needed. Both throw `AuditFileError`. */
export function readAuditFile(lines: Iterable<string>): ExportedAudit & { readonly header: AuditFileHeader } {
  const rest = lines[Symbol.iterator]()
  const header = readLine(String(rest.next().value ?? ''), 1) as unknown as AuditFileHeader
  const { format, keys, heads, anchors } = header
  const isHeader =
    format === AUDIT_FILE_FORMAT && isListOf(isObject, keys) && isListOf(isPlace, heads) && isListOf(isPlace, anchors)
  if (!isHeader) throw new AuditFileError(`line 1 is not the header of a file of the format ${AUDIT_FILE_FORMAT}`)
  return { header, heads, anchors, entries: readEntries(rest) }
}

function* readEntries(lines: Iterator<string>): Generator<ExportedEntry> {
  let number = 1
  for (let next = lines.next(); !next.done; next = lines.next()) {
    number++
    if (next.value.trim() === '') continue
    const entry = readLine(next.value, number)
    if (!isPlace(entry)) throw new AuditFileError(`line ${number} is not an entry`)
    yield entry as unknown as ExportedEntry
  }
}

/** The heads among the events that a sink has received, one JSON object on each line, in either format. Other lines are passed over. */
export function readSinkHeads(lines: Iterable<string>): AuditHead[] {
  const found: AuditHead[] = []
  for (const line of lines) {
    const head = line.includes('"auditHead"') ? findHead(line) : undefined
    if (head) found.push(head)
  }
  return found
}

function findHead(line: string): AuditHead | undefined {
  try {
    const event = readLine(line, 0)
    const { namespace, node, sequence, hash, signature } = (event.data ?? event) as Readonly<Record<string, unknown>>
    const head = { node, sequence, hash, signature }
    return namespace === 'auditHead' && isPlace(head) ? (head as AuditHead) : undefined
  } catch {
    return undefined
  }
}

function isListOf(isItem: (value: unknown) => boolean, list: unknown): boolean {
  return Array.isArray(list) && list.every(isItem)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPlace(value: unknown): boolean {
  return isObject(value) && typeof value.node === 'string' && Number.isSafeInteger(value.sequence)
}

function readLine(line: string, number: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    if (isObject(value)) return { ...value }
  } catch {
    // Reported below.
  }
  throw new AuditFileError(`line ${number} is not a JSON object`)
}
