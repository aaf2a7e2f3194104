import { root } from '../paths.ts'
import type { Check } from './check.ts'
import { deadCode } from './dead-code.ts'
import { dependencies } from './dependencies.ts'
import { folderSentences } from './folder-sentences.ts'
import { httpRooms } from './imports/http-rooms.ts'
import { importCircles } from './imports/import-circles.ts'
import { packageDirection } from './imports/package-direction.ts'
import { serverRooms } from './imports/server-rooms.ts'
import { sqlInStore } from './imports/sql-in-store.ts'
import { lint } from './lint.ts'
import { lockfile } from './lockfile.ts'
import { machineTraces } from './machine-traces.ts'
import { types } from './types.ts'
import { versions } from './versions.ts'

/** Whether the folders of packages/server/src are those of the table in imports/server-rooms.ts. */
const SERVER_HAS_MOVED: boolean = false

/** Every check of `npm run check`, the quick ones first. */
export const checks: Check[] = [
  versions,
  dependencies,
  lockfile,
  machineTraces,
  folderSentences,
  packageDirection,
  onceServerHasMoved(importCircles),
  onceServerHasMoved(serverRooms),
  onceServerHasMoved(httpRooms),
  onceServerHasMoved(sqlInStore),
  lint,
  types,
  deadCode,
]

/** Until then, passes over what a check finds in the server's sources; planted mistakes are judged all the same. */
function onceServerHasMoved(check: Check): Check {
  if (SERVER_HAS_MOVED) return check
  return {
    ...check,
    async look(base) {
      const { looked, problems } = await check.look(base)
      return { looked, problems: problems.filter((text) => base !== root || !text.includes('packages/server/src')) }
    },
  }
}
