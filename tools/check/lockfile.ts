import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findMissingOptionals, type Lockfile } from '../complete-lock.ts'
import type { Check } from './check.ts'

/** `npm ci` accepts package-lock.json on every platform, and it is tied to no registry. */
export const lockfile: Check = {
  name: 'lockfile',
  planted: { folder: 'lockfile', expect: ['binary-linux-arm64', 'is tied to'] },
  look(base) {
    const lock: Lockfile = JSON.parse(readFileSync(join(base, 'package-lock.json'), 'utf8'))
    const missing = findMissingOptionals(lock).map(({ name }) => `lacks ${name}: run node tools/complete-lock.ts`)
    const tied = Object.entries(lock.packages)
      .filter(([, { resolved }]) => resolved?.includes('://'))
      .map(([path]) => `${path} is tied to one registry`)
    return { looked: Object.keys(lock.packages).length, problems: [...missing, ...tied] }
  },
}
