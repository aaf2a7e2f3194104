import type { Check } from './check.ts'
import { commits } from './commits/commits.ts'
import { deadCode } from './dead-code.ts'
import { dependencies } from './dependencies.ts'
import { folderMap } from './folder-map.ts'
import { folderSentences } from './folder-sentences.ts'
import { httpLayers } from './imports/http-layers.ts'
import { importCycles } from './imports/import-cycles.ts'
import { packageDirection } from './imports/package-direction.ts'
import { serverLayers } from './imports/server-layers.ts'
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
  folderMap,
  words,
  commits,
  packageDirection,
  importCycles,
  serverLayers,
  httpLayers,
  sqlInStore,
  walks,
  lint,
  types,
  deadCode,
]
