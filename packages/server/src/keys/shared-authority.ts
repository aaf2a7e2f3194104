import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@countersign/core'
import { StartupError } from '../startup-error.ts'
import type { Store } from '../store/store.ts'
import { createAuthority, isPresent } from './certificate-authority.ts'
import { createKeyDirectory, isKeyDirectoryEmpty, KEY_FILES } from './key-directory.ts'
import { readPrivateFile } from './load-pem-file.ts'
import type { Sealing } from './sealing.ts'
import { OWNER_ONLY, WORLD_READABLE, writeFileAtomically } from './write-file-atomically.ts'

interface SharedAuthorityOptions {
  readonly store: Store
  /** Made from the settings, so that every node has the same. */
  readonly sealing: Sealing
  readonly dir: string
  readonly now: number
}

/** The CA as the store has it. The root's key is not there: it stays with the node that has made it, or offline. */
interface StoredAuthority {
  readonly caPem: string
  readonly intermediatePem: string
  readonly sealedKey: string
}

const USE = 'certificate authority'

/**
 * Gives all nodes on one store the same CA: the first one makes it, later ones take it from the store into their key directory. Throws
 * StartupError when the directory holds another CA, or when the sealing key is not the one that the CA's key was sealed with.
 */
export async function shareAuthority(options: SharedAuthorityOptions): Promise<void> {
  const { store, dir, now } = options
  const stored = await findAuthority(store)
  if (await isKeyDirectoryEmpty(dir)) {
    if (stored) return unpack(stored, options)
    await createAuthority(dir, new Date(now))
    const kept = await keep(options)
    if (kept.caPem === (await readCa(dir))) return
    // Another node was first.
    await rm(dir, { recursive: true })
    return unpack(kept, options)
  }
  if (!(await isPresent(join(dir, KEY_FILES.ca)))) return
  const isKeyHere = await isPresent(join(dir, KEY_FILES.intermediateKey))
  const shared = stored ?? (isKeyHere ? await keep(options) : undefined)
  if (shared === undefined || shared.caPem === (await readCa(dir))) return
  throw new StartupError(
    `the CA in ${dir} is not the one that the nodes on this database share`,
    'move that directory away to take the shared one; clients that trust the other CA must then trust this one',
  )
}

async function findAuthority({ db }: Store): Promise<StoredAuthority | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', SETTING).executeTakeFirst()
  return row && JSON.parse(row.value)
}

const SETTING = 'certificateAuthority'

/** Puts the CA of the directory into the store; answers the one that is there now. */
async function keep({ store, sealing, dir, now }: SharedAuthorityOptions): Promise<StoredAuthority> {
  const key = await readPrivateFile(join(dir, KEY_FILES.intermediateKey), 'private key')
  const own: StoredAuthority = {
    caPem: await readCa(dir),
    intermediatePem: await readFile(join(dir, KEY_FILES.intermediateCertificate), 'utf8'),
    sealedKey: sealing.seal(key, USE),
  }
  const setting = { name: SETTING, value: JSON.stringify(own) }
  const value = await store.write('start.keepSetting', setting, { actorId: 'system', now })
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
    return sealing.open(sealedKey, USE)
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
