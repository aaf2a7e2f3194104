import { after } from 'node:test'
import { startPostgres } from '@countersign/testkit'

let postgres: ReturnType<typeof startPostgres> | undefined

/** Returns the URL of a new database on this test file's PostgreSQL server, which stops after the last test. */
export async function newPostgresDatabase(): Promise<`postgres${string}:${string}`> {
  postgres ??= startPostgres()
  return (await (await postgres).createDatabase()) as `postgres${string}:${string}`
}

after(async () => {
  await (await postgres)?.stop()
})
