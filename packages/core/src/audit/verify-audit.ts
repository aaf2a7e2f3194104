import {
  AUDIT_CONTENT,
  type AuditContent,
  type AuditLink,
  auditContentHash,
  auditEntryHash,
  NO_ENTRY_HASH,
} from './audit-entry.ts'
import { type AuditHead, type AuditKeys, type AuditSignatureKind, isSignedHead } from './audit-head.ts'

/** An entry as the API returns it. One of another organization has no content. */
export type ExportedEntry = AuditLink & Partial<AuditContent>

/** The entries of all nodes in the order of the export, with what vouches for their beginnings and ends. */
export interface ExportedAudit {
  /** Read once, one after the other: an export can be larger than the memory. */
  readonly entries: Iterable<ExportedEntry>
  readonly heads: readonly AuditHead[]
  /** Of each node whose oldest entries retention has deleted. */
  readonly anchors: readonly AuditHead[]
}

/**
 * `changed`: an entry, or one before it, differs from what was recorded. `removed`: entries are missing between others. `reordered`: an entry stands
 * after one that followed it, or twice. `cut-off`: entries are missing at the end. `unsigned`: no valid signature vouches for the end, for the
 * beginning, or for entries beyond them.
 */
export type AuditProblem = 'changed' | 'removed' | 'reordered' | 'cut-off' | 'unsigned'

export interface AuditFinding {
  readonly problem: AuditProblem
  readonly node: string
  /** The first entry that is concerned. */
  readonly sequence: number
  /** The last one, when there are several. */
  readonly until?: number
  readonly text: string
}

/** What a check has found. The record is complete and unchanged when `findings` is empty. */
export interface AuditVerdict {
  readonly findings: readonly AuditFinding[]
  /** The number of entries that were checked. */
  readonly checked: number
  /** Entries after the newest head, which nothing vouches for. */
  readonly unsigned: number
  readonly nodes: readonly string[]
}

/** Checks an export against the public keys of the controller. */
export function verifyAudit({ entries, heads, anchors }: ExportedAudit, keys: AuditKeys): AuditVerdict {
  const byNode = new Map<string, ChainedEntry[]>()
  let checked = 0
  for (const entry of entries) {
    checked++
    const chain = byNode.get(entry.node)
    if (chain) chain.push(chained(entry))
    else byNode.set(entry.node, [chained(entry)])
  }
  const nodes = [...new Set([...byNode.keys(), ...heads.map(({ node }) => node)])].toSorted()
  const findings: AuditFinding[] = []
  let unsigned = 0
  for (const node of nodes) {
    const chain = new ChainCheck(node, byNode.get(node) ?? [])
    const signed = (given: readonly AuditHead[], kind: AuditSignatureKind) => {
      return chain.signedOf(
        given.filter((head) => head.node === node),
        kind,
        keys,
      )
    }
    chain.check(signed(anchors, 'anchor'), signed(heads, 'head'))
    findings.push(...chain.findings)
    unsigned += chain.unsigned
  }
  return { findings, checked, unsigned, nodes }
}

type Place = Pick<AuditHead, 'sequence' | 'hash'>

/** What the check of a chain needs of an entry. */
interface ChainedEntry extends Place, Pick<AuditLink, 'previousHash'> {
  readonly isUnchanged: boolean
}

function chained(entry: ExportedEntry): ChainedEntry {
  const { sequence, hash, previousHash } = entry
  return { sequence, hash, previousHash, isUnchanged: isUnchanged(entry) }
}

/** The check of one node's entries. */
class ChainCheck {
  readonly findings: AuditFinding[] = []
  readonly #node: string
  readonly #given: readonly ChainedEntry[]
  unsigned = 0

  constructor(node: string, given: readonly ChainedEntry[]) {
    this.#node = node
    this.#given = given
  }

  /** The heads with a valid signature. Others are reported. */
  signedOf(given: readonly AuditHead[], kind: AuditSignatureKind, keys: AuditKeys): AuditHead[] {
    return given.filter((head) => {
      if (isSignedHead(head, kind, keys)) return true
      this.#report('unsigned', head.sequence, `the signature of the ${kind} at entry ${head.sequence} is not valid`)
      return false
    })
  }

  check(anchors: readonly AuditHead[], heads: readonly AuditHead[]): void {
    this.#checkOrder()
    const anchor = newest(anchors)
    const start: Place = anchor ?? { sequence: 0, hash: NO_ENTRY_HASH }
    const bySequence = new Map(this.#given.map((entry) => [entry.sequence, entry]))
    const entries = [...bySequence.values()].toSorted((a, b) => a.sequence - b.sequence)
    const kept = entries.filter(({ sequence }) => sequence > start.sequence)
    const earlier = entries.filter(({ sequence }) => sequence <= start.sequence)
    this.#checkEarlier(start, earlier)
    this.#checkLinks(start, kept)
    this.#checkEnds(bySequence, { last: kept.at(-1) ?? start, start, heads })
  }

  /** Entries that retention was about to delete lead up to the anchor. Others that stand before it were inserted: nothing vouches for them. */
  #checkEarlier(start: Place, entries: readonly ChainedEntry[]): void {
    const [first, last] = [entries[0], entries.at(-1)]
    if (!first || !last) return
    if (last.sequence === start.sequence && last.hash === start.hash) {
      this.#checkLinks({ sequence: first.sequence - 1, hash: first.previousHash }, entries)
      return
    }
    const text = `nothing vouches for ${numbered(first.sequence, last.sequence)}: the record begins at ${start.sequence + 1}`
    this.#report('unsigned', first.sequence, text, last.sequence)
  }

  #checkOrder(): void {
    let highest = 0
    const seen = new Set<number>()
    for (const { sequence } of this.#given) {
      if (seen.has(sequence)) this.#report('reordered', sequence, `entry ${sequence} occurs twice`)
      else if (sequence < highest)
        this.#report('reordered', sequence, `entry ${sequence} stands after entry ${highest}`)
      seen.add(sequence)
      highest = Math.max(highest, sequence)
    }
  }

  #checkLinks(start: Place, entries: readonly ChainedEntry[]): void {
    let before: Place = start
    let wasChanged = false
    for (const entry of entries) {
      const { sequence } = entry
      const [first, last] = [before.sequence + 1, sequence - 1]
      const isNext = sequence === first
      if (!isNext) this.#report('removed', first, `${named(first, last)} missing`, last)
      const isChanged = !entry.isUnchanged
      if (isChanged) this.#report('changed', sequence, `entry ${sequence} was changed: its hash does not match`)
      else if (isNext && entry.previousHash !== before.hash && !wasChanged) {
        // Who rewrites an entry with a hash that fits cannot change the hash that the next one holds.
        const changed = Math.max(1, before.sequence)
        this.#report('changed', changed, `entry ${changed} was changed: entry ${sequence} does not follow it`)
      }
      before = entry
      wasChanged = isChanged
    }
  }

  #checkEnds(
    bySequence: ReadonlyMap<number, ChainedEntry>,
    { last, start, heads }: { readonly last: Place; readonly start: Place; readonly heads: readonly AuditHead[] },
  ): void {
    const head = newest(heads)
    if (!head) {
      const text = 'no signed head vouches for the end of its entries'
      if (this.#given.length > 0) this.#report('unsigned', last.sequence, text)
      return
    }
    this.unsigned = Math.max(0, last.sequence - head.sequence)
    if (this.unsigned > 0) {
      const first = head.sequence + 1
      const text = `nothing vouches for ${numbered(first, last.sequence)}: the signed head is at ${head.sequence}`
      this.#report('unsigned', first, text, last.sequence)
    }
    if (head.sequence > last.sequence) {
      const first = last.sequence + 1
      this.#report('cut-off', first, `${named(first, head.sequence)} missing at the end`, head.sequence)
    }
    for (const { sequence, hash } of heads.toSorted((a, b) => a.sequence - b.sequence)) {
      const entry = sequence === start.sequence ? start : bySequence.get(sequence)
      if (!entry || entry.hash === hash || sequence < start.sequence) continue
      if (this.findings.some(({ problem }) => problem === 'changed')) return
      const text = `entry ${sequence} or one before it was rewritten: the signed head has another hash`
      this.#report('changed', sequence, text)
      return
    }
  }

  #report(problem: AuditProblem, sequence: number, text: string, until = sequence): void {
    const range = until > sequence ? { until } : {}
    this.findings.push({ problem, node: this.#node, sequence, ...range, text })
  }
}

function newest<Head extends Place>(heads: readonly Head[]): Head | undefined {
  return heads.toSorted((a, b) => b.sequence - a.sequence)[0]
}

function named(first: number, last: number): string {
  return `${numbered(first, last)} ${first === last ? 'is' : 'are'}`
}

function numbered(first: number, last: number): string {
  return first === last ? `entry ${first}` : `the entries ${first} to ${last}`
}

/** Whether the hashes of an entry match what it says. One of another organization says nothing. */
function isUnchanged(entry: ExportedEntry): boolean {
  if (auditEntryHash(entry) !== entry.hash) return false
  const given = Object.keys(entry).filter((name) => !CHAIN_MEMBERS.has(name))
  if (entry.scope === 'organization' && given.length === 0) return true
  const content = Object.fromEntries(given.map((name) => [name, entry[name as keyof ExportedEntry]]))
  const isComplete = AUDIT_CONTENT.every((name) => name in content) && given.length === AUDIT_CONTENT.length
  return isComplete && auditContentHash(content as unknown as AuditContent) === entry.contentHash
}

const CHAIN_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'at',
  'node',
  'sequence',
  'previousHash',
  'scope',
  'contentHash',
  'hash',
] satisfies (keyof AuditLink)[])
