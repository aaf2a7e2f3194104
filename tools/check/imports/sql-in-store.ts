import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from '../../paths.ts'
import type { Check } from '../check.ts'
import { readImports } from './read-imports.ts'

const SERVER = 'packages/server/src'
const STORE = `${SERVER}/store/`

/** Modules with access to a database. */
const DATABASE_MODULES = /^(?:kysely|pg|node:sqlite)(?:\/|$)/

const QUERIES = /\.(?:selectFrom|insertInto|replaceInto|mergeInto|updateTable|deleteFrom)\(|\bsql(?:<[^`]*>)?`/g

/** Uses outside `store` that are allowed, with the reason. */
const EXEMPT: readonly { file: string; use: string; reason: string }[] = [
  {
    file: `${SERVER}/process/data-dir.ts`,
    use: 'node:sqlite',
    reason: 'locks the data directory with a database file that holds no data',
  },
]

/** All SQL of the server is in `store`. Type imports count. */
export const sqlInStore: Check = {
  name: 'SQL in store',
  planted: {
    folder: 'imports/sql-in-store',
    expect: [
      'login/find.ts uses kysely: move the query to store/',
      'login/find.ts uses .selectFrom(',
      'login/find.ts uses .insertInto(',
      'login/find.ts uses .updateTable(',
      'login/find.ts uses .deleteFrom(',
      'login/find.ts uses sql`',
      'login/find.ts uses sql<number>`',
      'login/lock.ts uses node:sqlite',
      'process/data-dir.ts uses .selectFrom(',
    ],
  },
  look(base) {
    const files = listFiles([`${SERVER}/**/*.ts`], base)
    const uses = files.filter((file) => !file.startsWith(STORE)).flatMap((file) => findUses(base, file))
    const isExempt = (use: Use) => EXEMPT.some((row) => row.file === use.file && row.use === use.use)
    return { looked: files.length, problems: uses.filter((use) => !isExempt(use)).map(explain) }
  },
}

type Use = { file: string; use: string }

function findUses(base: string, file: string): Use[] {
  const path = join(base, file)
  const modules = readImports(path).filter((specifier) => DATABASE_MODULES.test(specifier))
  const queries = readFileSync(path, 'utf8').match(QUERIES) ?? []
  return [...new Set([...modules, ...queries])].map((use) => ({ file, use }))
}

function explain({ file, use }: Use): string {
  return `${file} uses ${use}: move the query to store/ and call it there (exempt list in tools/check/imports/sql-in-store.ts)`
}
