import { type FileHandle, open, rename, rm } from 'node:fs/promises'

const PRIVATE_FILE_MODE = 0o600

interface RotatedFileOptions {
  readonly path: string
  readonly maxBytes: number
  /** How many older files are kept, as `path.1` and so on. */
  readonly keepFiles: number
}

/** A file for appending that is rotated before it exceeds its size limit. Only its owner can read it. */
export class RotatedFile {
  readonly #options: RotatedFileOptions
  #handle: FileHandle | undefined
  #size = 0
  /** False for a device, which is neither rotated nor given a file mode. */
  #isFile = true

  constructor(options: RotatedFileOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    if (this.#handle) return
    const handle = await open(this.#options.path, 'a', PRIVATE_FILE_MODE)
    try {
      const stats = await handle.stat()
      this.#isFile = stats.isFile()
      this.#size = stats.size
      if (this.#isFile) await handle.chmod(PRIVATE_FILE_MODE)
    } catch (error) {
      await handle.close()
      throw error
    }
    this.#handle = handle
  }

  /** Rotates if the file would exceed its limit with `bytes` more. An empty file accepts any length. */
  async makeRoom(bytes: number): Promise<void> {
    await this.open()
    if (!this.#isFile || this.#size === 0 || this.#size + bytes <= this.#options.maxBytes) return
    await this.close()
    const { path, keepFiles } = this.#options
    await rm(keepFiles === 0 ? path : `${path}.${keepFiles}`, { force: true })
    for (let age = keepFiles - 1; age >= 0; age -= 1) {
      await renameIfExists(age === 0 ? path : `${path}.${age}`, `${path}.${age + 1}`)
    }
    await this.open()
  }

  /** Appends as many bytes as the disk accepts. Returns their number. */
  async append(bytes: Buffer): Promise<number> {
    await this.open()
    const { bytesWritten = 0 } = (await this.#handle?.write(bytes)) ?? {}
    this.#size += bytesWritten
    return bytesWritten
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

async function renameIfExists(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
