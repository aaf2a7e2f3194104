import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, findPemBlocks } from '@countersign/core'
import { KEY_FILES } from '../platform/keys/key-directory.ts'
import { createSealing, type Sealing } from '../platform/keys/sealing.ts'
import { isSealingKey } from '../platform/settings/sealing-key.ts'
import { SCHEMA_VERSION } from '../store/migrations/migrate.ts'
import { AUTHORITY_SETTING, AUTHORITY_USE, type StoredAuthority } from './shared-authority.ts'

/** The result of one check of a backup. */
export interface BackupFinding {
  readonly check: string
  readonly ok: boolean
  readonly says: string
  readonly hint?: string
}

/** The files of a backup of a controller on PostgreSQL: a plain dump, the sealing key in hex, and the key directory of a node. */
export const BACKUP_FILES = { dump: 'database.sql', sealingKey: 'sealing.key', keys: 'keys' } as const

/** Checks that a backup of a controller on PostgreSQL is complete, and that its parts belong together. */
export async function checkPostgresBackup(folder: string): Promise<BackupFinding[]> {
  const read = (name: string) => readFile(join(folder, name), 'utf8').catch(() => undefined)
  const dump = await read(BACKUP_FILES.dump)
  if (dump === undefined) {
    const hint = `pg_dump --format=plain --file=${join(folder, BACKUP_FILES.dump)}`
    return [{ check: 'dump', ok: false, says: `there is no ${BACKUP_FILES.dump}`, hint }]
  }
  const settings = rowsOf(dump, 'settings')
  const stored = settings?.find(([name]) => name === AUTHORITY_SETTING)?.[1]
  const authority: StoredAuthority | undefined = stored === undefined ? undefined : JSON.parse(stored)
  const keyText =
    (await read(BACKUP_FILES.sealingKey))?.trim() ?? (await read(join('keys', KEY_FILES.sealingKey)))?.trim()
  const caPem = await read(join(BACKUP_FILES.keys, KEY_FILES.ca))
  const rootKeyPem = await read(join(BACKUP_FILES.keys, KEY_FILES.rootKey))
  return [
    checkDump(dump),
    checkSealingKey(keyText, authority),
    checkAuthority(caPem, authority),
    checkRootKey(rootKeyPem, caPem ?? authority?.caPem),
  ]
}

function checkDump(dump: string): BackupFinding {
  const check = 'dump'
  if (!/^-- PostgreSQL database dump complete$/m.test(dump)) {
    return { check, ok: false, says: 'the dump does not end: pg_dump was interrupted, or wrote another format' }
  }
  const versions = rowsOf(dump, 'schema_migrations')?.map(([version]) => Number(version)) ?? []
  const version = Math.max(0, ...versions)
  if (version === 0) return { check, ok: false, says: 'the dump has no tables of a controller' }
  const says = `complete, schema version ${version}`
  if (version <= SCHEMA_VERSION) return { check, ok: true, says }
  return { check, ok: false, says: `${says}, which this release does not know`, hint: 'use the release that wrote it' }
}

function checkSealingKey(text: string | undefined, authority: StoredAuthority | undefined): BackupFinding {
  const check = 'sealing key'
  if (text === undefined) {
    const hint = `write the setting sealingKey into ${BACKUP_FILES.sealingKey}, or copy ${KEY_FILES.sealingKey} of the key directory`
    return { check, ok: false, says: 'missing: secrets in the dump could not be read', hint }
  }
  if (!isSealingKey(text)) return { check, ok: false, says: 'not 64 hexadecimal digits' }
  const sealing = createSealing(Buffer.from(text, 'hex'))
  if (!authority) return { check, ok: true, says: `present, key ${sealing.keyId}` }
  return opens(authority, sealing)
    ? { check, ok: true, says: `opens the CA in the dump, key ${sealing.keyId}` }
    : { check, ok: false, says: `the key ${sealing.keyId} does not open the CA in the dump` }
}

function opens({ sealedKey }: StoredAuthority, sealing: Sealing): boolean {
  try {
    return sealing.open(sealedKey, AUTHORITY_USE).length > 0
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

function checkAuthority(caPem: string | undefined, authority: StoredAuthority | undefined): BackupFinding {
  const check = 'CA'
  if (authority && caPem !== undefined && authority.caPem !== caPem) {
    return {
      check,
      ok: false,
      says: `${KEY_FILES.ca} is not the CA in the dump`,
      hint: 'copy the keys of a node on this database',
    }
  }
  if (authority) return { check, ok: true, says: 'in the dump, sealed' }
  if (caPem !== undefined) return { check, ok: true, says: `in ${BACKUP_FILES.keys}/` }
  const hint = `copy the directory keys of a node to ${BACKUP_FILES.keys}/`
  return { check, ok: false, says: 'missing: every client would have to enroll again', hint }
}

function checkRootKey(keyPem: string | undefined, caPem: string | undefined): BackupFinding {
  const check = 'root key'
  if (keyPem === undefined)
    return { check, ok: true, says: 'not in the backup: keep it elsewhere, new intermediates need it' }
  const [root] = findPemBlocks(caPem ?? '', 'CERTIFICATE') ?? []
  const isOwn = root !== undefined && new X509Certificate(root).checkPrivateKey(createPrivateKey(keyPem))
  return isOwn
    ? { check, ok: true, says: 'belongs to the CA' }
    : { check, ok: false, says: 'does not belong to the CA' }
}

/** The rows of a table in a plain dump; undefined when the table is not in it. */
function rowsOf(dump: string, table: string): string[][] | undefined {
  const copied = new RegExp(`^COPY (?:\\w+\\.)?${table} \\([^)]*\\) FROM stdin;\\n([\\s\\S]*?)^\\\\\\.$`, 'm').exec(
    dump,
  )
  return copied?.[1]
    ?.split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').map(unescapeCell))
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' }

function unescapeCell(cell: string): string {
  return cell.replace(/\\(.)/g, (whole, escaped: string) => ESCAPES[escaped] ?? whole)
}
