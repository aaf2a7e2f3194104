import { closeSync, constants, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { CliError } from '../cli-error.ts'

const POLL_MS = 40
const TIMEOUT_MS = 60_000
/** Longer than any lock is held. Needed when the holder was killed and its process id is in use again. */
const STALE_MS = 120_000

/**
 * Runs `work` while holding the lock file, which excludes other processes. When the lock cannot be acquired, `onNoLock` decides: if it
 * returns, `work` runs without the lock. By default it throws.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  onNoLock: (error: unknown) => void = fail,
): Promise<T> {
  try {
    await acquireLock(path)
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

async function acquireLock(path: string): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS
  while (!tryLock(path)) {
    if (isAbandoned(path)) clearAbandoned(path)
    else if (Date.now() > deadline) {
      throw new CliError(`another countersign process has held ${path} for a minute`, {
        hint: `if no other process is running, remove ${path}`,
      })
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
    // Just created: its holder has not written its process id yet.
    if (!Number.isInteger(pid) || pid <= 0) return false
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Removes an abandoned lock under a second lock, so that concurrent processes do not remove the next holder's lock. */
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
    // Removed already.
  }
}
