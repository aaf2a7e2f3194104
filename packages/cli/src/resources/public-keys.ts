import { publicKeyToJwk } from '@countersign/sdk'
import { usageError } from '../cli-error.ts'
import { loadTextFile } from '../files/load-text-file.ts'

/** The key set of public keys in PEM files. `kid` is for a single key; several have their thumbprints. */
export async function loadPublicKeys(paths: readonly string[], kid: string | undefined): Promise<{ keys: object[] }> {
  if (kid !== undefined && paths.length > 1) {
    throw usageError('--kid names one key, and several are given', 'leave it out, or write the key set with --jwks')
  }
  return { keys: await Promise.all(paths.map((path) => loadPublicKey(path, kid))) }
}

async function loadPublicKey(path: string, kid: string | undefined): Promise<object> {
  const pem = loadTextFile(path)
  try {
    return await publicKeyToJwk(pem, kid)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(`${path}: ${error.message}`, 'give a file that begins with -----BEGIN PUBLIC KEY-----')
  }
}
