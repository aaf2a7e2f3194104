import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartupError } from '../startup-error.ts'
import { syncDirectory } from './write-file-atomically.ts'

const OWNER_ONLY_DIRECTORY = 0o700

/**
 * The files in a key directory. `ca.pem` holds the root and the intermediate, which clients trust. `further-cas.pem` exists only during a CA
 * rollover and holds the certificates of the other CA. `intermediates.pem` holds the intermediates that have followed the first one, with their keys.
 */
export const KEY_FILES = {
  ca: 'ca.pem',
  furtherCas: 'further-cas.pem',
  rootKey: 'root.key',
  intermediateCertificate: 'intermediate.crt',
  intermediateKey: 'intermediate.key',
  intermediates: 'intermediates.pem',
  serverCertificate: 'server.crt',
  serverKey: 'server.key',
  sealingKey: 'sealing.key',
} as const

/** Whether the directory is missing or empty, as on the first start. */
export async function isKeyDirectoryEmpty(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw directoryError(dir, error)
  }
}

/** Throws a StartupError when users other than the owner have access to the directory. */
export async function checkKeyDirectory(dir: string): Promise<void> {
  const { mode } = await stat(dir).catch((error) => {
    throw directoryError(dir, error)
  })
  if ((mode & 0o077) === 0) return
  throw new StartupError(`the key directory ${dir} is accessible to users other than its owner`, `chmod 700 ${dir}`)
}

/**
 * Creates the directory with everything that `fill` writes, or not at all: it is filled under another name and then renamed, so that a
 * crash on the first start never leaves half a CA.
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
