import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const longestMs = 30 * 60_000

/** Runs `work` while no other process holds the lock directory `folder`; takes over from a holder that died. `what` says what it does. */
export async function withLock(folder, what, work) {
  let isReported = false
  while (!take(folder)) {
    if (isAbandoned(folder)) discard(folder)
    if (!isReported) process.stderr.write(`Waiting for another run that ${what} ...\n`)
    isReported = true
    await sleep(200)
  }
  const release = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    release()
    process.off('exit', release)
  }
}

/** Made aside and moved into place, which fails on a folder that is not empty: the lock never lacks its holder. */
function take(folder) {
  const aside = `${folder}-${process.pid}`
  mkdirSync(aside, { recursive: true })
  writeFileSync(join(aside, 'pid'), String(process.pid))
  try {
    renameSync(aside, folder)
    return true
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false
    throw error
  }
}

function isAbandoned(folder) {
  try {
    if (Date.now() - statSync(folder).mtimeMs > longestMs) return true
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/** Moved away before it is removed: of two that find it abandoned only one succeeds. */
function discard(folder) {
  const aside = `${folder}-${process.pid}`
  try {
    renameSync(folder, aside)
    rmSync(aside, { recursive: true, force: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}
