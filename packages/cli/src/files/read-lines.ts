import { closeSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { missingFile } from './load-text-file.ts'

const READ_BYTES = 1 << 20

/** The lines of a file of any size, read as they are needed. Throws CliError when there is no such file. */
export function* readLines(path: string): Generator<string> {
  const file = open(path)
  try {
    const decoder = new StringDecoder('utf8')
    const bytes = Buffer.alloc(READ_BYTES)
    let rest = ''
    for (let size = read(file, bytes, path); size > 0; size = read(file, bytes, path)) {
      const [first = '', ...others] = decoder.write(bytes.subarray(0, size)).split('\n')
      rest += first
      for (const next of others) {
        yield rest
        rest = next
      }
    }
    yield rest + decoder.end()
  } finally {
    closeSync(file)
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw missingFile(path, cause)
  }
}

/** A folder can be opened, but not read. */
function read(file: number, bytes: Buffer, path: string): number {
  try {
    return readSync(file, bytes)
  } catch (cause) {
    throw missingFile(path, cause)
  }
}
