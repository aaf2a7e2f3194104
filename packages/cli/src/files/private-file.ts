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
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from '../cli-error.ts'

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

/**
 * Writes a file that only its owner can read, under any umask: whole or not at all. Throws when a file of that name is a
 * link or lets others read it, so that nothing secret goes where somebody has laid a trap.
 */
export function writePrivateFile(path: string, text: string): void {
  const found = findStats(path)
  if (found) checkPrivateFile(path, found)
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const file = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    fchmodSync(file, 0o600)
    writeSync(file, text)
    fsyncSync(file)
  } catch (error) {
    unlinkSync(draft)
    throw error
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}

/** Reads a file that only its owner can read; undefined when there is none. Throws for a link, and when others can. */
export function readPrivateFile(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
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

/** Throws when there is something of this name: secrets that are shown once overwrite nothing. */
export function ensureAbsent(path: string): void {
  if (findStats(path)) throw new CliError(`${path} exists already`, { hint: 'choose another name' })
}
