import assert from 'node:assert/strict'
import { generateKeyPairSync, hash, sign } from 'node:crypto'
import { test } from 'node:test'
import { type AuditContent, NO_ENTRY_HASH, nextAuditLink } from './audit-entry.ts'
import { AUDIT_SIGNATURES, type AuditHead, type AuditSignatureKind, isSignedHead } from './audit-head.ts'
import { canonicalJson } from './canonical-json.ts'
import { type AuditProblem, type ExportedAudit, type ExportedEntry, verifyAudit } from './verify-audit.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEYS = [{ ...publicKey.export({ format: 'jwk' }), kid: 'key' }]

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

function signHead(place: Omit<AuditHead, 'signature'>, kind: AuditSignatureKind = 'head', header = {}): AuditHead {
  const { node, sequence, hash } = place
  const signed = `${encode({ alg: 'ES256', typ: AUDIT_SIGNATURES[kind], kid: 'key', ...header })}.${encode({ node, sequence, hash })}`
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return { node, sequence, hash, signature: `${signed}.${signature.toString('base64url')}` }
}

const placeOf = (node: string, sequence: number) => ({
  id: `${node}-${sequence}`,
  at: new Date(sequence * 1000).toISOString(),
})

const contentOf = (sequence: number): AuditContent => ({
  actorId: 'admin',
  actorName: 'Administrator',
  action: 'identity.patch',
  change: 'updated',
  objectKind: 'identity',
  objectId: `identity-${sequence % 5}`,
  objectName: null,
  requestId: null,
  address: '192.0.2.1',
  before: { name: `a${sequence}`, tags: {} },
  after: { name: `b${sequence}`, tags: { z: 1, a: [null, 'ü'] } },
})

/** Chains of two nodes, whose entries alternate. Each fifth entry is of another organization, and has no content. */
function makeAudit(length: number): ExportedAudit & { readonly entries: ExportedEntry[] } {
  const entries: ExportedEntry[] = []
  const last = new Map<string, ExportedEntry>()
  for (let at = 0; at < length; at++) {
    const node = at % 2 === 0 ? 'one' : 'two'
    const before = last.get(node) ?? { node, sequence: 0, hash: NO_ENTRY_HASH }
    const content = contentOf(before.sequence + 1)
    const scope = at % 5 === 4 ? 'organization' : 'controller'
    const link = nextAuditLink(before, { ...placeOf(node, before.sequence + 1), scope, content })
    const entry = link.scope === 'organization' ? link : { ...content, ...link }
    last.set(node, entry)
    entries.push(entry)
  }
  return { entries, heads: [...last.values()].map((entry) => signHead(entry)), anchors: [] }
}

const problems = (audit: ExportedAudit): AuditProblem[] =>
  verifyAudit(audit, KEYS).findings.map(({ problem }) => problem)

test('an unchanged record has no findings', () => {
  const verdict = verifyAudit(makeAudit(20), KEYS)
  assert.deepEqual(verdict, { findings: [], checked: 20, unsigned: 0, nodes: ['one', 'two'] })
  assert.deepEqual(verifyAudit({ entries: [], heads: [], anchors: [] }, KEYS).findings, [])
})

test('Z-05 says which entry was changed, removed, reordered or cut off', () => {
  const findings = (change: (entries: ExportedEntry[]) => ExportedEntry[]) => {
    const audit = makeAudit(20)
    return verifyAudit({ ...audit, entries: change(audit.entries) }, KEYS).findings.map(
      ({ text: _text, ...finding }) => finding,
    )
  }
  const node = 'one'
  const at = (sequence: number) => (sequence - 1) * 2
  assert.deepEqual(
    findings((entries) => entries.map((entry, index) => (index === at(4) ? { ...entry, actorId: 'other' } : entry))),
    [{ problem: 'changed', node, sequence: 4 }],
  )
  assert.deepEqual(
    findings((entries) => entries.toSpliced(at(4), 1)),
    [{ problem: 'removed', node, sequence: 4 }],
  )
  assert.deepEqual(
    findings((entries) => entries.filter((entry) => entry.node !== node || entry.sequence < 4 || entry.sequence > 6)),
    [{ problem: 'removed', node, sequence: 4, until: 6 }],
  )
  assert.deepEqual(
    findings((entries) => entries.toSpliced(at(4), 1).toSpliced(at(6), 0, entries[at(4)] as ExportedEntry)),
    [{ problem: 'reordered', node, sequence: 4 }],
  )
  assert.deepEqual(
    findings((entries) => [...entries, entries[at(4)] as ExportedEntry]),
    [{ problem: 'reordered', node, sequence: 4 }],
  )
  assert.deepEqual(
    findings((entries) => entries.filter((entry) => entry.node !== node || entry.sequence < 9)),
    [{ problem: 'cut-off', node, sequence: 9, until: 10 }],
  )
  assert.deepEqual(
    findings((entries) => entries.filter((entry) => entry.node !== node)),
    [{ problem: 'cut-off', node, sequence: 1, until: 10 }],
  )
})

/** Rewrites an entry, with hashes that fit, as far as `until`. */
function rewrite(audit: ReturnType<typeof makeAudit>, sequence: number, until: number): ExportedAudit {
  let before: ExportedEntry | undefined
  const entries = audit.entries.map((entry) => {
    if (entry.node !== 'one' || entry.sequence < sequence || entry.sequence > until) {
      if (entry.node === 'one') before = entry
      return entry
    }
    const content = { ...contentOf(entry.sequence), actorName: 'rewritten' }
    const last = before ?? { node: 'one', sequence: 0, hash: NO_ENTRY_HASH }
    before = { ...content, ...nextAuditLink(last, { ...placeOf('one', entry.sequence), scope: 'controller', content }) }
    return before
  })
  return { ...audit, entries }
}

test('Z-05 a rewritten entry is found by the one after it, a rewritten end by the head', () => {
  const one = verifyAudit(rewrite(makeAudit(20), 4, 4), KEYS).findings
  assert.deepEqual(
    one.map(({ problem, sequence }) => [problem, sequence]),
    [['changed', 4]],
  )
  const all = verifyAudit(rewrite(makeAudit(20), 4, 10), KEYS).findings
  assert.deepEqual(
    all.map(({ problem, sequence }) => [problem, sequence]),
    [['changed', 10]],
  )
  const audit = makeAudit(20)
  const early = audit.entries.find((entry) => entry.node === 'one' && entry.sequence === 6)
  const heads = [...audit.heads, signHead(early ?? assert.fail())]
  const narrowed = verifyAudit(rewrite({ ...audit, heads }, 4, 10), KEYS).findings
  assert.deepEqual(
    narrowed.map(({ problem, sequence }) => [problem, sequence]),
    [['changed', 6]],
  )
})

test('Z-05 heads count only with a signature of the controller, of their kind', () => {
  const audit = makeAudit(4)
  const [head, other] = audit.heads as [AuditHead, AuditHead]
  assert.equal(isSignedHead(head, 'head', KEYS), true)
  assert.equal(isSignedHead(head, 'anchor', KEYS), false)
  assert.equal(isSignedHead(head, 'head', []), false)
  assert.equal(isSignedHead(head, 'head', [{ ...KEYS[0], kid: 'other' }]), false)
  assert.equal(isSignedHead(head, 'head', [publicKey.export({ format: 'jwk' })]), true, 'a key without a kid')
  const { publicKey: p384 } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const { publicKey: stranger } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  for (const key of [p384, stranger]) assert.equal(isSignedHead(head, 'head', [key.export({ format: 'jwk' })]), false)
  assert.equal(isSignedHead(head, 'head', [{ kty: 'unknown' }]), false)
  assert.equal(isSignedHead({ ...head, sequence: 1 }, 'head', KEYS), false)
  assert.equal(isSignedHead({ ...head, hash: NO_ENTRY_HASH }, 'head', KEYS), false)
  assert.equal(isSignedHead({ ...head, node: 'two' }, 'head', KEYS), false)
  assert.equal(isSignedHead(signHead(head, 'head', { alg: 'none' }), 'head', KEYS), false)
  for (const signature of ['', 'a.b.c', `${encode({ alg: 'ES256' })}.bnVsbA.`, head.signature.slice(0, -4)]) {
    assert.equal(isSignedHead({ ...head, signature }, 'head', KEYS), false, signature)
  }
  assert.deepEqual(problems({ ...audit, heads: [{ ...head, sequence: 1 }, other] }), ['unsigned', 'unsigned'])
  assert.deepEqual(problems({ ...audit, heads: [other] }), ['unsigned'])
  assert.deepEqual(problems({ ...audit, heads: audit.heads.map((each) => signHead(each, 'anchor')) }).toSorted(), [
    'unsigned',
    'unsigned',
    'unsigned',
    'unsigned',
  ])
})

test('retention keeps the record checkable: a signed anchor stands for what it deleted', () => {
  const audit = makeAudit(20)
  const isOld = ({ sequence }: ExportedEntry) => sequence <= 4
  const old = audit.entries.filter((entry) => isOld(entry) && entry.sequence === 4)
  const anchors = old.map((entry) => signHead(entry, 'anchor'))
  const entries = audit.entries.filter((entry) => !isOld(entry))
  assert.deepEqual(problems({ ...audit, entries, anchors }), [])
  assert.deepEqual(problems({ ...audit, entries }), ['removed', 'removed'])
  const published = old.map((entry) => signHead(entry))
  assert.deepEqual(problems({ ...audit, entries, anchors: published }).toSorted(), [
    'removed',
    'removed',
    'unsigned',
    'unsigned',
  ])
  assert.deepEqual(problems({ ...audit, anchors }), [], 'entries that were kept nevertheless')
  const all = audit.heads.map((head) => signHead(head, 'anchor'))
  assert.deepEqual(problems({ entries: [], heads: audit.heads, anchors: all }), [])
  const first = audit.entries.filter(({ sequence }) => sequence === 5)
  const rewritten = first.map((entry) => ({ ...entry, previousHash: NO_ENTRY_HASH }))
  assert.deepEqual(problems({ ...audit, anchors, entries: [...rewritten, ...entries.slice(2)] }), [
    'changed',
    'changed',
  ])
})

test('Z-05 entries that are appended after the newest head are found: their hashes need no key', () => {
  const { entries, anchors } = makeAudit(20)
  const heads = entries.filter(({ sequence }) => sequence === 8).map((entry) => signHead(entry))
  const { findings, unsigned } = verifyAudit({ entries, anchors, heads }, KEYS)
  assert.deepEqual(
    findings.map(({ problem, node, sequence, until }) => [problem, node, sequence, until]),
    [
      ['unsigned', 'one', 9, 10],
      ['unsigned', 'two', 9, 10],
    ],
  )
  assert.equal(unsigned, 4)
  assert.deepEqual(problems({ entries: entries.filter(({ sequence }) => sequence <= 8), anchors, heads }), [])
})

test('Z-05 entries that are inserted before an anchor, or before the first entry, are found', () => {
  const audit = makeAudit(20)
  const anchors = audit.entries.filter(({ sequence }) => sequence === 4).map((entry) => signHead(entry, 'anchor'))
  const kept = audit.entries.filter(({ sequence }) => sequence > 4)
  const forgedAt = (sequence: number): ExportedEntry => {
    const content = { ...contentOf(sequence), action: 'forged' }
    const before = { node: 'one', sequence: sequence - 1, hash: NO_ENTRY_HASH }
    return { ...content, ...nextAuditLink(before, { ...placeOf('one', sequence), scope: 'controller', content }) }
  }
  for (const sequence of [0, 1, 4]) {
    const entries = [forgedAt(sequence), ...kept]
    assert.deepEqual(problems({ ...audit, anchors, entries }), ['unsigned'], String(sequence))
  }
  assert.deepEqual(problems({ ...audit, entries: [forgedAt(0), ...audit.entries] }), ['unsigned'])
  const late = audit.entries.filter(({ sequence }) => sequence >= 3)
  assert.deepEqual(problems({ ...audit, anchors, entries: late }), [], 'retention has not deleted all of them yet')
  const [third, ...others] = late
  assert.ok(third)
  assert.deepEqual(problems({ ...audit, anchors, entries: [{ ...third, action: 'forged' }, ...others] }), ['changed'])
})

const OTHER_VALUES: readonly unknown[] = [null, '', 'x', 0, true, [], {}]

let drawn = 0

/** From `low`, or 0, below `high`. The same numbers in every run. */
function randomInt(high: number): number
function randomInt(low: number, high: number): number
function randomInt(first: number, second?: number): number {
  const [low, high] = second === undefined ? [0, first] : [first, second]
  return low + (Number.parseInt(hash('sha256', `seed ${drawn++}`).slice(0, 8), 16) % (high - low))
}

/** One random manipulation of an export, which changes what it says. */
const MANIPULATIONS: readonly ((entries: ExportedEntry[], at: number) => ExportedEntry[])[] = [
  function changeMember(entries, at) {
    const entry = entries[at] as ExportedEntry
    const names = Object.keys(entry) as (keyof ExportedEntry)[]
    const name = names[randomInt(names.length)] as keyof ExportedEntry
    const others = OTHER_VALUES.filter((value) => canonicalJson(value) !== canonicalJson(entry[name]))
    const value = name === 'sequence' ? entry.sequence + randomInt(1, 5) : others[randomInt(others.length)]
    return entries.with(at, { ...entry, [name]: value })
  },
  function removeMember(entries, at) {
    const { ...entry } = entries[at] as ExportedEntry & Record<string, unknown>
    const names = Object.keys(entry).filter((name) => name !== 'node' && name !== 'sequence')
    delete entry[names[randomInt(names.length)] ?? '']
    return entries.with(at, entry)
  },
  function addMember(entries, at) {
    return entries.with(at, { ...(entries[at] as ExportedEntry), note: 'added' } as ExportedEntry)
  },
  function hideContent(entries, at) {
    const { id, at: time, node, sequence, previousHash, contentHash, hash } = entries[at] as ExportedEntry
    // The scope is part of the hash.
    const isHidden = entries[at]?.scope === 'organization'
    return isHidden
      ? entries.toSpliced(at, 1)
      : entries.with(at, { id, at: time, node, sequence, previousHash, contentHash, hash, scope: 'organization' })
  },
  function remove(entries, at) {
    return entries.toSpliced(at, 1)
  },
  function removeSeveral(entries, at) {
    return entries.toSpliced(at, randomInt(1, 5))
  },
  function cutOff(entries, at) {
    return entries.slice(0, at)
  },
  function swap(entries, at) {
    const entry = entries[at] as ExportedEntry
    const other = entries.findLastIndex(({ node, sequence }) => node === entry.node && sequence !== entry.sequence)
    return entries.with(at, entries[other] as ExportedEntry).with(other, entry)
  },
  function move(entries, at) {
    const entry = entries[at] as ExportedEntry
    const rest = entries.toSpliced(at, 1)
    const isLast = entries.findLastIndex(({ node }) => node === entry.node) === at
    return isLast ? [entry, ...rest] : [...rest, entry]
  },
  function repeat(entries, at) {
    return entries.toSpliced(at, 0, entries[at] as ExportedEntry)
  },
  function insert(entries, at) {
    const entry = entries[at] as ExportedEntry
    return entries.toSpliced(at, 0, { ...entry, sequence: entry.sequence + 0.5 })
  },
  function moveToOtherNode(entries, at) {
    return entries.with(at, { ...(entries[at] as ExportedEntry), node: 'other' })
  },
  function append(entries, at) {
    const { node } = entries[at] as ExportedEntry
    const last = entries.findLast((entry) => entry.node === node) as ExportedEntry
    const content = contentOf(last.sequence + 1)
    const place = { ...placeOf(node, last.sequence + 1), scope: 'controller', content } as const
    return [...entries, { ...content, ...nextAuditLink(last, place) }]
  },
  function forge(entries, at) {
    const entry = entries[at] as ExportedEntry
    const before = { node: entry.node, sequence: entry.sequence - 1, hash: entry.previousHash }
    const content = { ...contentOf(entry.sequence), action: 'forged' }
    const place = placeOf(entry.node, entry.sequence)
    return entries.with(at, { ...content, ...nextAuditLink(before, { ...place, scope: 'controller', content }) })
  },
]

test('Z-05 the check finds each of 1,000 random manipulations', () => {
  const { entries, heads, anchors } = makeAudit(60)
  for (let round = 0; round < 1_000; round++) {
    const manipulate = MANIPULATIONS[round % MANIPULATIONS.length] ?? assert.fail()
    const at = randomInt(entries.length)
    const manipulated = manipulate([...entries], at)
    const { findings } = verifyAudit({ entries: manipulated, heads, anchors }, KEYS)
    assert.ok(findings.length > 0, `${manipulate.name} at ${at} was not found`)
  }
})
