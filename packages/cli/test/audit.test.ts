import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  AUDIT_FILE_FORMAT,
  type AuditContent,
  type ExportedEntry,
  NO_ENTRY_HASH,
  nextAuditLink,
} from '@countersign/core/audit'
import { runCaptured as run } from './captured-run.ts'

let dir = ''
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-audit-'))
})
after(() => rmSync(dir, { recursive: true }))

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEY = { ...publicKey.export({ format: 'jwk' }), kid: 'key' }

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

function headOf({ node, sequence, hash }: ExportedEntry) {
  const signed = `${encode({ alg: 'ES256', typ: 'audit-head+jwt', kid: 'key' })}.${encode({ node, sequence, hash })}`
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return { node, sequence, hash, signature: `${signed}.${signature.toString('base64url')}` }
}

function makeEntries(): ExportedEntry[] {
  const entries: ExportedEntry[] = []
  for (let sequence = 1; sequence <= 5; sequence++) {
    const object = { objectKind: 'identity', objectId: 'id', objectName: 'name' }
    const actor = { actorId: 'admin', actorName: 'admin', requestId: null, address: null }
    const content: AuditContent = {
      ...actor,
      ...object,
      action: 'identity.patch',
      change: 'updated',
      before: null,
      after: { sequence },
    }
    const last = entries.at(-1) ?? { node: 'one', sequence: 0, hash: NO_ENTRY_HASH }
    const link = nextAuditLink(last, {
      id: `e${sequence}`,
      at: '2026-01-01T00:00:00.000Z',
      scope: 'controller',
      content,
    })
    entries.push({ ...content, ...link })
  }
  return entries
}

function write(name: string, lines: readonly object[]): string {
  const path = join(dir, name)
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}

const entries = makeEntries()
const last = entries.at(-1) ?? assert.fail()
const header = { format: AUDIT_FILE_FORMAT, exportedAt: '', keys: [KEY], heads: [headOf(last)], anchors: [] }

test('Z-05 audit verify accepts a complete export, with the keys of the file or given ones', async () => {
  const path = write('good.jsonl', [header, ...entries])
  const key = write('key.json', [KEY])
  const { exitCode: status, stdout, stderr } = await run(['audit', 'verify', path])
  assert.deepEqual([status, stdout], [0, '✔ 5 entries of 1 node: complete and unchanged\n'])
  assert.match(stderr, /keys of the file itself/)
  assert.equal((await run(['audit', 'verify', path, '--key', key])).stderr, '')
  assert.equal((await run(['audit', 'verify', path, '--key', write('set.json', [{ keys: [KEY] }])])).exitCode, 0)
})

test('Z-05 audit verify says which entry was changed, removed, reordered or cut off', async () => {
  const verify = async (lines: readonly object[], ...flags: string[]) => {
    const { exitCode: status, stdout } = await run(['audit', 'verify', write('bad.jsonl', lines), ...flags])
    return { status, stdout }
  }
  const changed = await verify([header, ...entries.with(2, { ...(entries[2] as ExportedEntry), actorName: 'other' })])
  assert.equal(changed.status, 1)
  assert.match(changed.stdout, /changed {2}node one: entry 3 was changed/)
  assert.match((await verify([header, ...entries.toSpliced(2, 1)])).stdout, /removed {2}node one: entry 3 is missing/)
  const swapped = entries.with(1, entries[3] as ExportedEntry).with(3, entries[1] as ExportedEntry)
  assert.match((await verify([header, ...swapped])).stdout, /reordered/)
  assert.match(
    (await verify([header, ...entries.slice(0, 3)])).stdout,
    /cut-off {2}node one: the entries 4 to 5 are missing/,
  )
  const { publicKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const stranger = write('other.json', [other.export({ format: 'jwk' })])
  assert.match((await verify([header, ...entries], '--key', stranger)).stdout, /unsigned/)
  const early = { ...header, heads: [headOf(entries[2] as ExportedEntry)] }
  const appended = await verify([early, ...entries])
  assert.deepEqual([appended.status, /nothing vouches for the entries 4 to 5/.test(appended.stdout)], [1, true])
  const cut = [early, ...entries.slice(0, 3)]
  assert.equal((await verify(cut)).status, 0)
  const received = write('siem.jsonl', [{ event_id: 'x', namespace: 'auditHead', ...headOf(last) }])
  assert.match((await verify(cut, '--heads', received)).stdout, /cut-off/)
})

test('audit verify refuses what is not an export or a key', async () => {
  const good = write('good.jsonl', [header, ...entries])
  const notExport = await run(['audit', 'verify', write('key.json', [KEY])])
  assert.deepEqual([notExport.exitCode, /line 1 is not the header/.test(notExport.stderr)], [1, true])
  assert.equal((await run(['audit', 'verify', good, '--key', write('nokey.json', [{ a: 1 }])])).exitCode, 2)
  assert.equal((await run(['audit', 'verify', join(dir, 'missing')])).exitCode, 2)
})
