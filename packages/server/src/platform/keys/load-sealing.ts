import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { isSealingKey } from '../settings/sealing-key.ts'
import { StartupError } from '../startup-error.ts'
import { KEY_FILES } from './key-directory.ts'
import { isPresent, readPrivateFile } from './load-pem-file.ts'
import { createSealing, SEALING_KEY_BYTES, type Sealing } from './sealing.ts'
import { OWNER_ONLY, writeFileAtomically } from './write-file-atomically.ts'

export interface SealingOptions {
  /** The key directory. It must exist with its CA: an empty directory counts as a first start. */
  readonly dir: string
  /** The setting `sealingKey`; when set, no file is read or created. */
  readonly configured: string | null
}

/** Loads the sealing key: the configured one, or that of the key directory, which is created if missing. */
export async function loadSealing({ dir, configured }: SealingOptions): Promise<Sealing> {
  if (configured !== null) return createSealing(Buffer.from(configured, 'hex'))
  const path = join(dir, KEY_FILES.sealingKey)
  if (!(await isPresent(path))) {
    const text = `${randomBytes(SEALING_KEY_BYTES).toString('hex')}\n`
    await writeFileAtomically(path, text, OWNER_ONLY).catch((error) => {
      throw new StartupError(`the sealing key ${path} cannot be written (${error.code})`, undefined, { cause: error })
    })
  }
  const text = (await readPrivateFile(path, 'sealing key')).trim()
  if (!isSealingKey(text)) {
    throw new StartupError(
      `${path} holds no sealing key: it must have 64 hexadecimal digits`,
      'restore it from a backup',
    )
  }
  return createSealing(Buffer.from(text, 'hex'))
}
