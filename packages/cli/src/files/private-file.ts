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
import { describeSystemError } from '../describe-system-error.ts'

const GROUP_AND_OTHERS = 0o077

/** Creates a folder with mode 0700. Throws when an existing one is accessible to others or is a symbolic link. */
export function ensurePrivateFolder(path: string): void {
  const found = findStats(path)
  if (!found) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return
  }
  if (found.isSymbolicLink()) throw refuse(path, 'is a symbolic link', `remove the link ${path}`)
  if (!found.isDirectory()) throw refuse(path, 'is not a folder', `remove ${path}`)
  checkOwner(path, found)
  if ((found.mode & GROUP_AND_OTHERS) !== 0) throw refuse(path, 'is accessible to others', `run: chmod 700 ${path}`)
}

/** A reserved path for a private file, which appears only when it is written. */
export interface ReservedFile {
  readonly path: string
  /** Writes a part of a long text ahead of `write`. */
  begin(part: string): void
  /** Writes the rest of the text; the file appears with all of it. */
  write(text: string): void
  /** Ends the reservation. A file that was written stays. */
  release(): void
}

/**
 * Reserves the path of a file with mode 0600, under any umask. Throws when it cannot be written there, when a file exists and `replace` is
 * false, and when the existing file is a symbolic link or readable by others: an attacker may have prepared it.
 */
export function reservePrivateFile(path: string, { replace }: { readonly replace: boolean }): ReservedFile {
  checkTarget(path, replace)
  const { draft, file } = createDraft(path)
  return {
    path,
    begin: (part) => writeFileSync(file, part),
    write(text) {
      writeFileSync(file, text)
      fsyncSync(file)
      checkTarget(path, replace)
      renameSync(draft, path)
    },
    release() {
      closeSync(file)
      rmSync(draft, { force: true })
    },
  }
}

/** Writes a file with mode 0600 atomically. Throws like `reservePrivateFile`. */
export function writePrivateFile(path: string, text: string): void {
  const file = reservePrivateFile(path, { replace: true })
  try {
    file.write(text)
  } finally {
    file.release()
  }
}

function checkTarget(path: string, replace: boolean): void {
  if (path.endsWith('/')) throw usageError(`"${path}" is not a file name`, 'name a file')
  const found = findStats(path)
  if (!found) return
  if (!replace) throw new CliError(`${path} exists already`, { hint: 'choose another name' })
  checkPrivateFile(path, found)
}

/** Creates an empty file with mode 0600 beside `path`, for contents that another program writes. Returns its path, which others cannot guess. */
export function createPrivateDraft(path: string): string {
  const { draft, file } = createDraft(path)
  closeSync(file)
  return draft
}

function createDraft(path: string): { readonly draft: string; readonly file: number } {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  return { draft, file: openDraft(draft) }
}

function openDraft(path: string): number {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
    fchmodSync(file, 0o600)
    return file
  } catch (cause) {
    const folder = dirname(path)
    const description = describeSystemError(cause, folder)
    if (description === undefined) throw cause
    throw new CliError(description, { hint: `make ${folder} a writable folder, or name another`, cause })
  }
}

/** Reads a private file; undefined when it does not exist. Throws for a symbolic link and for a file that others can read. */
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

/** Writes a private file, and creates its private folder if needed. */
export function writePrivateFileIn(path: string, text: string): void {
  ensurePrivateFolder(dirname(path))
  writePrivateFile(path, text)
}

function checkPrivateFile(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw refuse(path, 'is a symbolic link', `remove the link ${path}`)
  if (!stats.isFile()) throw refuse(path, 'is not a file', `remove ${path}`)
  checkOwner(path, stats)
  if ((stats.mode & GROUP_AND_OTHERS) !== 0) throw refuse(path, 'can be read by others', `run: chmod 600 ${path}`)
}

function checkOwner(path: string, { uid }: Stats): void {
  const own = process.getuid?.()
  if (own !== undefined && uid !== own) throw refuse(path, 'belongs to another user', `remove ${path}`)
}

function refuse(path: string, what: string, hint: string): CliError {
  return new CliError(`${path} ${what}: secrets are not kept there`, { hint })
}

function findStats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
