import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findMissingOptionals, type Lockfile } from '../complete-lock.ts'
import type { Check } from './check.ts'

/** `npm ci` accepts package-lock.json on every platform, and no entry names a registry. */
export const lockfile: Check = {
  name: 'lockfile',
  planted: { folder: 'lockfile', expect: ['binary-linux-arm64', 'names a registry'] },
  look(base) {
    const lock: Lockfile = JSON.parse(readFileSync(join(base, 'package-lock.json'), 'utf8'))
    const missing = findMissingOptionals(lock).map(({ name }) => `${name} is missing: run node tools/complete-lock.ts`)
    const withRegistry = Object.entries(lock.packages)
      .filter(([, { resolved }]) => resolved?.includes('://'))
      .map(([path]) => `${path} names a registry: remove "resolved"`)
    return { looked: Object.keys(lock.packages).length, problems: [...missing, ...withRegistry] }
  },
}
