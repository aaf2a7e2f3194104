import { createHash } from 'node:crypto'

/** The tables of a database. */
export interface ReadableTables {
  listTables(): Promise<readonly string[]>
  readTable(name: string): Promise<readonly object[]>
}

/** Digests every table regardless of row order: equal digests mean that nothing has changed. */
export async function stateDigest({ listTables, readTable }: ReadableTables): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const name of (await listTables()).toSorted()) {
    const rows = (await readTable(name)).map((row) => JSON.stringify(Object.entries(row).sort()))
    const hash = createHash('sha256').update(rows.sort().join('\n')).digest('base64url')
    digests[name] = `${rows.length} rows, ${hash}`
  }
  return digests
}
