import { closeSync, constants, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { CliError } from '../cli-error.ts'

const POLL_MS = 40
const PATIENCE_MS = 60_000
/** Nobody holds a lock that long; its holder was killed on a machine that has forgotten its process id. */
const STALE_MS = 120_000

/**
 * Does the work while no other process of this user does work under the same lock file. A lock that cannot be had fails the
 * call, unless `onNoLock` takes note of it: then the work is done without.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  onNoLock: (error: unknown) => void = fail,
): Promise<T> {
  try {
    await takeLock(path)
  } catch (error) {
    onNoLock(error)
    return work()
  }
  try {
    return await work()
  } finally {
    release(path)
  }
}

function fail(error: unknown): never {
  throw error
}

async function takeLock(path: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!tryLock(path)) {
    if (isAbandoned(path)) clearAbandoned(path)
    else if (Date.now() > deadline) {
      throw new CliError(`another countersign has held ${path} for a minute`, { hint: `if none runs, remove ${path}` })
    } else await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function tryLock(path: string): boolean {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isAbandoned(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, 'utf8'))
    if (Date.now() - statSync(path).mtimeMs > STALE_MS) return true
    // Just made, and its holder has not written yet who he is.
    if (!Number.isInteger(pid) || pid <= 0) return false
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Of several who find the same abandoned lock one takes it away, so that nobody takes away the next holder's. */
function clearAbandoned(path: string): void {
  const guard = `${path}.clearing`
  if (!tryLock(guard)) {
    if (isAbandoned(guard)) release(guard)
    return
  }
  if (isAbandoned(path)) release(path)
  release(guard)
}

function release(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is gone already.
  }
}
