import type { Check } from './check.ts'
import { commits } from './commits/commits.ts'
import { deadCode } from './dead-code.ts'
import { dependencies } from './dependencies.ts'
import { folderSentences } from './folder-sentences.ts'
import { httpRooms } from './imports/http-rooms.ts'
import { importCircles } from './imports/import-circles.ts'
import { packageDirection } from './imports/package-direction.ts'
import { serverRooms } from './imports/server-rooms.ts'
import { sqlInStore } from './imports/sql-in-store.ts'
import { walks } from './imports/walks.ts'
import { lint } from './lint.ts'
import { lockfile } from './lockfile.ts'
import { machineTraces } from './machine-traces.ts'
import { types } from './types.ts'
import { versions } from './versions.ts'
import { words } from './words/words.ts'

/** Every check of `npm run check`, the quick ones first. */
export const checks: Check[] = [
  versions,
  dependencies,
  lockfile,
  machineTraces,
  folderSentences,
  words,
  commits,
  packageDirection,
  importCircles,
  serverRooms,
  httpRooms,
  sqlInStore,
  walks,
  lint,
  types,
  deadCode,
]
