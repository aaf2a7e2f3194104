import { open } from 'node:fs/promises'
import { type RefusedKeys, readKeyBlocklist, readRefusedKeyLines } from '@countersign/core'
import { StartupError } from '../startup-error.ts'

const MIB = 1024 * 1024
/** About ten times the size of the badkeys blocklist, and room for a million lines of text. */
const MAX_BLOCKLIST_BYTES = 512 * MIB
const MAX_TEXT_BYTES = 64 * MIB

/**
 * Reads the file of `keys.refusedKeysFile`: a `.dat` file is a badkeys blocklist, any other has one digest per line. Throws a StartupError
 * with one sentence that names the file.
 */
export async function loadRefusedKeys(path: string): Promise<RefusedKeys> {
  const isBlocklist = path.endsWith('.dat')
  try {
    const bytes = await readWhole(path, isBlocklist ? MAX_BLOCKLIST_BYTES : MAX_TEXT_BYTES)
    return isBlocklist ? readKeyBlocklist(bytes) : readRefusedKeyLines(bytes.toString('utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === undefined ? message : `it cannot be read (${code})`
    throw new StartupError(`the list of refused keys ${path} is not usable: ${reason}`, undefined, { cause: error })
  }
}

async function readWhole(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes / MIB} MiB`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}
