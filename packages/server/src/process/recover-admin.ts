import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { AppError, digestPassword, newId, PASSWORD_COST } from '@countersign/core'
import { type RecoveredAdmin, recoverAdmin as recover } from '../operations/start/recover-admin.ts'
import { startWriter } from '../operations/start-writer.ts'
import { systemClock } from '../platform/clock.ts'
import type { Settings } from '../platform/settings/index.ts'
import { StartupError } from '../platform/startup-error.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { openStore } from '../store/open-store.ts'
import { databaseFileIn, lockDataDir } from './data-dir.ts'

const PASSWORD_BYTES = 18

export interface RecoveredLogin extends RecoveredAdmin {
  readonly password: string
}

/**
 * Gives the default administrator a new password on the data directory of a stopped controller, or in a PostgreSQL database, whose nodes can keep running.
 * Throws a StartupError when there is no controller, when it runs, or when its files belong to another user.
 */
export async function recoverAdmin({
  dataDir,
  database,
}: Pick<Settings, 'dataDir' | 'database'>): Promise<RecoveredLogin> {
  if (database === 'sqlite') checkDatabaseFile(databaseFileIn(dataDir))
  const locked = database === 'sqlite' ? lockDataDir(dataDir) : undefined
  try {
    const now = systemClock.now()
    const store = await openStore({
      database,
      sqliteFile: databaseFileIn(dataDir),
      startWriter,
      nodeId: newId(),
      now,
      onWarning: () => undefined,
      onFatal: () => undefined,
    })
    try {
      const password = randomBytes(PASSWORD_BYTES).toString('base64url')
      const passwordDigest = await digestPassword(password, PASSWORD_COST)
      return { ...(await store.run(recover, { passwordDigest }, { actorId: SYSTEM_ACTOR.id, now })), password }
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND')
        throw noController('the database has no administrator')
      throw error
    } finally {
      await store.close()
    }
  } finally {
    locked?.release()
  }
}

function checkDatabaseFile(file: string): void {
  if (!existsSync(file)) throw noController(`there is no database ${file}`)
  const { uid } = statSync(file)
  if (process.getuid && process.getuid() !== uid) {
    // Files that another user creates beside the database would stop the controller at its next start.
    throw new StartupError(`the database ${file} belongs to another user`, `run this as its owner: sudo -u '#${uid}' …`)
  }
}

function noController(message: string): StartupError {
  return new StartupError(message, 'name the directory with --data-dir, or the database with --database')
}
