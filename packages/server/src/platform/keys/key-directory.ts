import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartupError } from '../startup-error.ts'
import { syncDirectory } from './write-file-atomically.ts'

const OWNER_ONLY_DIRECTORY = 0o700

/**
 * The files in a key directory. `ca.pem` is what clients trust: the root and the intermediate. `further-cas.pem` is there while a CA
 * takes over from another: the certificates of the other one.
 */
export const KEY_FILES = {
  ca: 'ca.pem',
  furtherCas: 'further-cas.pem',
  rootKey: 'root.key',
  intermediateCertificate: 'intermediate.crt',
  intermediateKey: 'intermediate.key',
  serverCertificate: 'server.crt',
  serverKey: 'server.key',
  sealingKey: 'sealing.key',
} as const

/** Whether there is nothing yet, as on the first start. */
export async function isKeyDirectoryEmpty(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw directoryError(dir, error)
  }
}

/** Throws StartupError when anybody but the owner may look into the directory or change it. */
export async function checkKeyDirectory(dir: string): Promise<void> {
  const { mode } = await stat(dir).catch((error) => {
    throw directoryError(dir, error)
  })
  if ((mode & 0o077) === 0) return
  throw new StartupError(`the key directory ${dir} is open to others than its owner`, `chmod 700 ${dir}`)
}

/**
 * Makes the directory with everything that `fill` writes into it, or not at all: it is filled under another name and
 * then renamed, so that a crash on the first start never leaves half a CA.
 */
export async function createKeyDirectory(dir: string, fill: (staging: string) => Promise<void>): Promise<void> {
  const staging = `${dir}.new`
  try {
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
    await fill(staging)
    await rename(staging, dir)
    await syncDirectory(dirname(dir))
  } catch (error) {
    throw directoryError(dir, error)
  }
}

function directoryError(dir: string, error: unknown): StartupError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
  return new StartupError(`the key directory ${dir} cannot be used (${code})`, undefined, { cause: error })
}
