import { type KeySet, readKeySet } from '@countersign/sdk'
import { usageError } from '../cli-error.ts'
import { loadTextFile } from '../files/load-text-file.ts'

/** The key set of the public keys in these files, each in PEM or as JSON. `kid` is for a single key. */
export async function loadPublicKeys(paths: readonly string[], kid: string | undefined): Promise<KeySet> {
  const keys = (await Promise.all(paths.map(loadKeys))).flat()
  if (kid === undefined) return { keys }
  if (keys.length === 1) return { keys: keys.map((key) => ({ ...key, kid })) }
  throw usageError(
    `--kid names one key, and ${keys.length} are given`,
    'leave it out, or write each kid into a key set',
  )
}

async function loadKeys(path: string): Promise<KeySet['keys']> {
  const text = loadTextFile(path)
  try {
    return (await readKeySet(text)).keys
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(
      `${path}: ${error.message}`,
      'give a file that begins with -----BEGIN PUBLIC KEY-----, or a key set: {"keys": […]}',
    )
  }
}
