import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const MIN_FREE_BYTES = 4 * 1024 ** 3

/**
 * A folder in memory for the data of the tests, which write thousands of small databases: on a disk they wait for it at each commit. Undefined where
 * there is none, where it is small, and where programs cannot be run in it.
 */
export function findMemoryFolder(folder = MEMORY, minFreeBytes = MIN_FREE_BYTES): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= minFreeBytes && canRunPrograms(folder) ? folder : undefined
  } catch {
    return undefined
  }
}

function canRunPrograms(folder: string): boolean {
  const own = mkdtempSync(join(folder, 'countersign-try-'))
  try {
    const program = join(own, 'program')
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 })
    execFileSync(program)
    return true
  } finally {
    rmSync(own, { recursive: true })
  }
}
