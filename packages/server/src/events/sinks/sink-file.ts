import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { RotatedFile } from '../rotated-file.ts'

const PRIVATE_DIR_MODE = 0o700
const PRIVATE_FILE_MODE = 0o600
const READ_BYTES = 65_536

/** Where sinks of the kind file write. */
export const sinkFolder = (dataDir: string): string => join(dataDir, 'events')

interface SinkFileOptions {
  readonly folder: string
  readonly name: string
  readonly maxBytes: number
  readonly keepFiles: number
}

/**
 * Appends lines to `<folder>/<name>.jsonl`; they are on the disk when this resolves. After a failure the file has what it had before: a full disk, or
 * a process that ended in the middle, leaves no part of a line.
 */
export async function appendLines(
  { folder, name, maxBytes, keepFiles }: SinkFileOptions,
  lines: readonly string[],
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_DIR_MODE })
  const path = join(folder, `${name}.jsonl`)
  const content = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const rotated = new RotatedFile({ path, maxBytes, keepFiles })
  try {
    await rotated.makeRoom(content.length)
  } finally {
    await rotated.close()
  }
  const file = await open(path, 'r+', PRIVATE_FILE_MODE)
  try {
    const { size } = await file.stat()
    const length = await endOfLastLine(file, size)
    if (length < size) await file.truncate(length)
    try {
      for (let written = 0; written < content.length; ) {
        written += (await file.write(content, written, content.length - written, length + written)).bytesWritten
      }
      await file.sync()
    } catch (error) {
      // Where this fails too, the next call removes what is left of a line.
      await file.truncate(length).catch(() => {})
      throw error
    }
  } finally {
    await file.close()
  }
}

/** The length of the file without an incomplete last line. */
async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - READ_BYTES)
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    const newline = buffer.lastIndexOf('\n')
    if (newline !== -1) return start + newline + 1
    end = start
  }
  return 0
}
