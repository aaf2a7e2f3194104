import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { KeyMaterialOptions } from '../../../src/platform/keys/load-key-material.ts'

export const START = new Date('2026-03-01T12:00:00Z')
export const DAY_MS = 86_400_000

/** A clock that stands still until it is moved. */
export interface MovableClock {
  now(): Date
  moveDays(days: number): void
}

export function createMovableClock(start = START): MovableClock {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    moveDays: (days) => {
      time += days * DAY_MS
    },
  }
}

/** An empty directory that is removed after the test. */
export async function createDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-keys-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** Options of a first start in a new directory. */
export async function createKeyOptions(t: TestContext, clock = createMovableClock()): Promise<KeyMaterialOptions> {
  return { dir: join(await createDataDir(t), 'keys'), hosts: ['ctrl.example.test', '0.0.0.0'], now: clock.now }
}
