import { X509Certificate } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, findPemBlocks } from '@countersign/core'
import { ensureSetting } from '../operations/start/ensure-setting.ts'
import { createAuthority } from '../platform/keys/certificate-authority.ts'
import { createKeyDirectory, isKeyDirectoryEmpty, KEY_FILES } from '../platform/keys/key-directory.ts'
import { isPresent, loadCertificates, readPrivateFile } from '../platform/keys/load-pem-file.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { OWNER_ONLY, WORLD_READABLE, writeFileAtomically } from '../platform/keys/write-file-atomically.ts'
import { StartupError } from '../platform/startup-error.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { findSetting } from '../store/reads/setting-reads.ts'
import type { Store } from '../store/store.ts'

interface SharedAuthorityOptions {
  readonly store: Store
  /** From the settings, so that all nodes use the same key. */
  readonly sealing: Sealing
  readonly dir: string
  readonly now: number
}

/** The CA in the store, without the root's private key, which stays on the node that created it, or offline. */
export interface StoredAuthority {
  readonly caPem: string
  readonly intermediatePem: string
  readonly sealedKey: string
}

/** The use that the key is sealed for. */
export const AUTHORITY_USE = 'certificate authority'

/**
 * Gives all nodes on one store the same CA: the first node creates it, later nodes copy it from the store into their key directory. While one
 * CA replaces another, with each listed in the other's `further-cas.pem`, the newer one is written to the store. Throws StartupError when the
 * directory contains another CA, or when the CA's key was sealed with another sealing key.
 */
export async function shareAuthority(options: SharedAuthorityOptions): Promise<void> {
  const { store, dir, now } = options
  const stored = await findAuthority(store)
  if (await isKeyDirectoryEmpty(dir)) {
    if (stored) return unpack(stored, options)
    await createAuthority(dir, new Date(now))
    const shared = await storeAuthority(options)
    if (shared.caPem === (await readCa(dir))) return
    // Another node stored its CA first.
    await rm(dir, { recursive: true })
    return unpack(shared, options)
  }
  if (!(await isPresent(join(dir, KEY_FILES.ca)))) return
  const own = await readCa(dir)
  const isKeyHere = await isPresent(join(dir, KEY_FILES.intermediateKey))
  const shared = stored ?? (isKeyHere ? await storeAuthority(options) : undefined)
  if (shared === undefined || shared.caPem === own) return
  if (await isAnnounced(shared.caPem, dir)) {
    const isNewer = isKeyHere && validFromOf(own) > validFromOf(shared.caPem)
    if (!isNewer || (await storeAuthority(options, shared)).caPem === own) return
  }
  throw new StartupError(
    `the CA in ${dir} is not the one that the nodes on this database share`,
    'to use the shared CA, move that directory away; to replace the shared CA, add its ca.pem there as further-cas.pem',
  )
}

/** Whether the directory's `further-cas.pem` contains all certificates of that CA. */
async function isAnnounced(caPem: string, dir: string): Promise<boolean> {
  const file = join(dir, KEY_FILES.furtherCas)
  if (!(await isPresent(file))) return false
  const further = new Set((await loadCertificates(file)).map(({ fingerprint256 }) => fingerprint256))
  return certificatesOf(caPem).every(({ fingerprint256 }) => further.has(fingerprint256))
}

function validFromOf(caPem: string): number {
  return Math.max(...certificatesOf(caPem).map(({ validFromDate }) => validFromDate.getTime()))
}

function certificatesOf(pem: string): X509Certificate[] {
  return (findPemBlocks(pem, 'CERTIFICATE') ?? []).map((der) => new X509Certificate(der))
}

/** The CA that the nodes with a configured sealing key share. */
export async function findAuthority({ db }: Store): Promise<StoredAuthority | undefined> {
  const value = await findSetting(db, AUTHORITY_SETTING)
  return value === undefined ? undefined : JSON.parse(value)
}

/** The name of the setting in the store. */
export const AUTHORITY_SETTING = 'certificateAuthority'

/** Stores the directory's CA if the store has none, or has `replaced`. Returns the CA that is stored now. */
async function storeAuthority(
  { store, sealing, dir, now }: SharedAuthorityOptions,
  replaced?: StoredAuthority,
): Promise<StoredAuthority> {
  const key = await readPrivateFile(join(dir, KEY_FILES.intermediateKey), 'private key')
  const own: StoredAuthority = {
    caPem: await readCa(dir),
    intermediatePem: await readFile(join(dir, KEY_FILES.intermediateCertificate), 'utf8'),
    sealedKey: sealing.seal(key, AUTHORITY_USE),
  }
  const replaces = replaced && { replaces: JSON.stringify(replaced) }
  const setting = { name: AUTHORITY_SETTING, value: JSON.stringify(own), ...replaces }
  const value = await store.run(ensureSetting, setting, { actorId: SYSTEM_ACTOR.id, now })
  return JSON.parse(value)
}

async function unpack(
  { caPem, intermediatePem, sealedKey }: StoredAuthority,
  { dir, sealing }: SharedAuthorityOptions,
) {
  const key = openKey(sealedKey, sealing)
  await createKeyDirectory(dir, async (staging) => {
    await writeFileAtomically(join(staging, KEY_FILES.intermediateKey), key, OWNER_ONLY)
    await writeFileAtomically(join(staging, KEY_FILES.intermediateCertificate), intermediatePem, WORLD_READABLE)
    await writeFileAtomically(join(staging, KEY_FILES.ca), caPem, WORLD_READABLE)
  })
}

function openKey(sealedKey: string, sealing: Sealing): string {
  try {
    return sealing.open(sealedKey, AUTHORITY_USE)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new StartupError(
      "the CA's key in the database is sealed with another sealingKey than this node's",
      'give every node the same sealingKey',
      { cause: error },
    )
  }
}

function readCa(dir: string): Promise<string> {
  return readFile(join(dir, KEY_FILES.ca), 'utf8')
}
