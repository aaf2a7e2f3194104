import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { access, type FileHandle, open } from 'node:fs/promises'
import { findPemBlocks } from '@countersign/core'
import { StartupError } from '../startup-error.ts'

const MAX_FILE_BYTES = 1024 * 1024
const GROUP_AND_OTHERS = 0o077

/** Loads a private key that only its owner can read. Otherwise throws a StartupError that names the file. */
export async function loadPrivateKey(path: string): Promise<KeyObject> {
  return readPrivateKey(await readPrivateFile(path, 'private key'), path)
}

/** Throws a StartupError that names the file with the text. */
export function readPrivateKey(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    // OpenSSL's message is dropped: it does not help and may quote the file.
    throw new StartupError(`${path} holds no private key in PEM form without a passphrase`)
  }
}

/** PKCS#8 PEM. */
export function formatPrivateKey(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString()
}

export async function isPresent(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** The certificates of a file in order, at least one. Throws a StartupError that names the file. */
export async function loadCertificates(path: string): Promise<X509Certificate[]> {
  const blocks = findPemBlocks(await readPemFile(path, 'certificate file'), 'CERTIFICATE') ?? []
  try {
    const certificates = blocks.map((der) => new X509Certificate(der))
    if (certificates.length > 0) return certificates
  } catch {
    // The same error as for a file without any certificate.
  }
  throw new StartupError(`${path} holds no readable certificate in PEM form`)
}

/** The text of a file that only its owner can read. Otherwise throws a StartupError that names the file. */
export async function readPrivateFile(path: string, what: string): Promise<string> {
  return readPemFile(path, what, async (file) => {
    const { mode } = await file.stat()
    if ((mode & GROUP_AND_OTHERS) === 0) return
    throw new StartupError(`the ${what} ${path} can be read by others than its owner`, `chmod 600 ${path}`)
  })
}

async function readPemFile(path: string, what: string, check?: (file: FileHandle) => Promise<void>): Promise<string> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    await check?.(file)
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    if (bytesRead > MAX_FILE_BYTES) throw new StartupError(`${path} is larger than 1 MiB`)
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (error instanceof StartupError) throw error
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    throw new StartupError(`the ${what} ${path} ${reason}`, undefined, { cause: error })
  } finally {
    await file?.close()
  }
}
