import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { CliError, usageError } from '../cli-error.ts'
import { findSystemErrorWords } from '../system-error.ts'

const OTHERS = 0o077

/** Makes a folder that only its owner can enter. Throws when the one that is there lets others in, or is a link. */
export function ensurePrivateFolder(path: string): void {
  const found = findStats(path)
  if (!found) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return
  }
  if (found.isSymbolicLink()) throw refuse(path, 'is a symbolic link', `remove the link ${path}`)
  if (!found.isDirectory()) throw refuse(path, 'is not a folder', `remove ${path}`)
  checkOwner(path, found)
  if ((found.mode & OTHERS) !== 0) throw refuse(path, 'lets others in', `run: chmod 700 ${path}`)
}

/** A place for a private file, of which nothing is seen before it is written. */
export interface ReservedFile {
  readonly path: string
  /** Writes the file, whole or not at all. */
  write(text: string): void
  /** Gives the place back; a file that was written stays. */
  release(): void
}

/**
 * Reserves the place of a file that only its owner can read, under any umask. Throws when it cannot be written there, when
 * there is a file that must not be replaced, and when that is a link or lets others read it, so that nothing secret goes
 * where somebody has laid a trap.
 */
export function reservePrivateFile(path: string, { replace }: { readonly replace: boolean }): ReservedFile {
  checkPlace(path, replace)
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const file = openDraft(draft)
  return {
    path,
    write(text) {
      writeFileSync(file, text)
      fsyncSync(file)
      checkPlace(path, replace)
      renameSync(draft, path)
    },
    release() {
      closeSync(file)
      rmSync(draft, { force: true })
    },
  }
}

/** Writes a file that only its owner can read: whole or not at all, and where `reservePrivateFile` would. */
export function writePrivateFile(path: string, text: string): void {
  const file = reservePrivateFile(path, { replace: true })
  try {
    file.write(text)
  } finally {
    file.release()
  }
}

function checkPlace(path: string, replace: boolean): void {
  if (path.endsWith('/')) throw usageError(`"${path}" is not the name of a file`, 'name a file')
  const found = findStats(path)
  if (!found) return
  if (!replace) throw new CliError(`${path} exists already`, { hint: 'choose another name' })
  checkPrivateFile(path, found)
}

function openDraft(path: string): number {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
    fchmodSync(file, 0o600)
    return file
  } catch (cause) {
    const folder = dirname(path)
    const words = findSystemErrorWords(cause, folder)
    if (words === undefined) throw cause
    throw new CliError(words, { hint: `make ${folder} a folder that you can write to, or name another`, cause })
  }
}

/** Reads a file that only its owner can read; undefined when there is none. Throws for a link, and when others can. */
export function readPrivateFile(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw refuse(path, 'is a symbolic link', `remove the link ${path}`)
    throw error
  }
  try {
    checkPrivateFile(path, fstatSync(file))
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** Writes a private file into a private folder. */
export function writePrivateFileIn(path: string, text: string): void {
  ensurePrivateFolder(dirname(path))
  writePrivateFile(path, text)
}

function checkPrivateFile(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw refuse(path, 'is a symbolic link', `remove the link ${path}`)
  if (!stats.isFile()) throw refuse(path, 'is not a file', `remove ${path}`)
  checkOwner(path, stats)
  if ((stats.mode & OTHERS) !== 0) throw refuse(path, 'can be read by others', `run: chmod 600 ${path}`)
}

function checkOwner(path: string, { uid }: Stats): void {
  const own = process.getuid?.()
  if (own !== undefined && uid !== own) throw refuse(path, 'belongs to somebody else', `remove ${path}`)
}

function refuse(path: string, what: string, hint: string): CliError {
  return new CliError(`${path} ${what}: secrets are not kept there`, { hint })
}

function findStats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
