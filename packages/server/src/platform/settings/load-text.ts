import { readFileSync, statSync } from 'node:fs'

const MAX_BYTES = 1_048_576

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a directory',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
}

/** Loads a text file of up to 1 MiB, or returns the reason why it cannot. */
export function loadText(path: string): { readonly text: string } | { readonly error: string } {
  try {
    if (statSync(path).size > MAX_BYTES) return { error: `is larger than ${MAX_BYTES} bytes` }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return { error: REASONS[code] ?? `cannot be read (${code})` }
  }
}
