import { randomBytes, type X509Certificate } from 'node:crypto'
import { ensureSetting } from '../operations/start/ensure-setting.ts'
import { loadAuthority } from '../platform/keys/certificate-authority.ts'
import {
  createIntermediate,
  formatIntermediate,
  type Intermediate,
  isRolloverDue,
  loadIntermediates,
  parseIntermediates,
  type RolloverPlan,
  writeIntermediates,
} from '../platform/keys/intermediates.ts'
import { isKeyDirectoryEmpty } from '../platform/keys/key-directory.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { findSetting } from '../store/reads/setting-reads.ts'
import type { Store } from '../store/store.ts'

export interface RollOverOptions {
  readonly dir: string
  readonly plan: RolloverPlan
  readonly now: Date
  /** Where nodes with a common sealing key share their intermediates. */
  readonly shared?: { readonly store: Store; readonly sealing: Sealing } | undefined
}

/** What an operator should know: the root's key is needed and is not here. */
export interface RollOverResult {
  readonly isRootKeyMissing: boolean
}

const SETTING = 'intermediateAuthorities'
const USE = 'intermediate authorities'
const ORGANIZATION = 'Countersign'

/**
 * Brings the intermediates of this node up to date: takes those of the other nodes, and creates the next one when it is due and the root's key is on
 * this machine. Of two nodes that create one at the same time, the first to store it wins. Throws StartupError.
 */
export async function rollOverCa(options: RollOverOptions): Promise<RollOverResult> {
  const { dir, plan, now, shared } = options
  if (await isKeyDirectoryEmpty(dir)) return { isRootKeyMissing: false }
  const own = await loadIntermediates(dir)
  const stored = shared && (await findSetting(shared.store.db, SETTING))
  const known = withoutExpired(merge(own, shared && stored !== undefined ? unseal(stored, shared.sealing) : []), now)
  const { root, rootKey, trustDomain, intermediates } = await loadAuthority(dir, now, plan)
  const newest = newestOf([...intermediates, ...known.map(({ certificate }) => certificate)])
  const isDue = newest !== undefined && isRolloverDue(newest, plan, now)
  const next: Intermediate[] = []
  if (isDue && rootKey) {
    const commonName = `Countersign Intermediate CA ${randomBytes(8).toString('hex')}`
    const subject = { commonName, organization: ORGANIZATION }
    next.push(await createIntermediate({ certificate: root, key: rootKey, trustDomain }, subject, plan, now))
  }
  const wanted = [...known, ...next]
  const agreed = shared ? await share(wanted, stored, { ...shared, now }) : wanted
  if (!isSameList(agreed, own)) await writeIntermediates(dir, agreed)
  return { isRootKeyMissing: isDue && !rootKey }
}

/** Stores the list unless it is stored already. Returns the stored one. */
async function share(
  wanted: readonly Intermediate[],
  stored: string | undefined,
  { store, sealing, now }: { readonly store: Store; readonly sealing: Sealing; readonly now: Date },
): Promise<readonly Intermediate[]> {
  const before = stored === undefined ? [] : unseal(stored, sealing)
  if (isSameList(wanted, before)) return wanted
  const value = sealing.seal(wanted.map(formatIntermediate).join(''), USE)
  const setting = { name: SETTING, value, ...(stored !== undefined && { replaces: stored }) }
  const agreed = await store.run(ensureSetting, setting, { actorId: SYSTEM_ACTOR.id, now: now.getTime() })
  return unseal(agreed, sealing)
}

function unseal(sealed: string, sealing: Sealing): Intermediate[] {
  return parseIntermediates(sealing.open(sealed, USE), 'the database')
}

function merge(one: readonly Intermediate[], other: readonly Intermediate[]): Intermediate[] {
  const all = new Map([...one, ...other].map((intermediate) => [intermediate.certificate.fingerprint256, intermediate]))
  return [...all.values()].toSorted((left, right) => startOf(left.certificate) - startOf(right.certificate))
}

const startOf = ({ validFromDate }: X509Certificate): number => validFromDate.getTime()

function withoutExpired(intermediates: readonly Intermediate[], now: Date): Intermediate[] {
  return intermediates.filter(({ certificate }) => certificate.validToDate > now)
}

function newestOf(certificates: readonly X509Certificate[]): X509Certificate | undefined {
  return certificates.toSorted((one, other) => startOf(other) - startOf(one))[0]
}

function isSameList(one: readonly Intermediate[], other: readonly Intermediate[]): boolean {
  const namesOf = (list: readonly Intermediate[]) => list.map(({ certificate }) => certificate.fingerprint256).join()
  return namesOf(one) === namesOf(other)
}
