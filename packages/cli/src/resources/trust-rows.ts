import { X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { printableLine, shortLine } from '../printable.ts'
import { isEmpty } from './pick-writable.ts'
import type { Item } from './resource-kind.ts'
import type { TrustMember } from './trust-members.ts'

export type TrustRow = readonly [title: string, text: string]

/** The members of an item that differ from their defaults. Their texts can be written by a caller who is not trusted. */
export function buildTrustRows(members: readonly TrustMember[], item: Item): TrustRow[] {
  return members.flatMap((member): TrustRow[] => {
    const value = readPath(item, member.path)
    // An older controller does not know every member.
    if (value === undefined) return []
    const isDefault = isDeepStrictEqual(value, member.default) || (isEmpty(value) && isEmpty(member.default))
    return isDefault ? [] : [[member.path, printableLine(member.isPem ? describePem(String(value)) : toText(value))]]
  })
}

/** The lines of rows, with aligned texts. */
export function alignRows(rows: readonly TrustRow[]): string[] {
  const width = Math.max(0, ...rows.map(([title]) => title.length))
  return rows.map(([title, text]) => `${title.padEnd(width)}  ${text}`)
}

function readPath(item: Item, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], item)
}

function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs

/** The fingerprints, which can be compared, and the subjects. The text itself when it has no readable certificate. */
function describePem(pem: string): string {
  try {
    const found = (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one))
    return (
      found.map(({ fingerprint256, subject }) => `SHA-256 ${fingerprint256} ${shortLine(subject)}`).join('; ') || pem
    )
  } catch {
    return pem
  }
}
