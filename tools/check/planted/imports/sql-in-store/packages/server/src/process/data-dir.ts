import { DatabaseSync } from 'node:sqlite'

export const lock = (db: DatabaseSync) => db.selectFrom('rows')
