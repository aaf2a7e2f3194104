import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer } from '@countersign/testkit'
import { until } from '../workers/worker-clients.ts'
import type { History } from './history.ts'
import type { Nodes } from './two-nodes.ts'

/** After a fault writes are acknowledged again within this time. */
const RECOVERED_WITHIN_MS = 5_000

/** What goes wrong, one after the other, while a history goes on. Answers how long each took to be over, in milliseconds. */
export async function runFaults(
  nodes: Nodes,
  postgres: PostgresServer,
  history: History,
  { stoppedMs, limitMs = RECOVERED_WITHIN_MS }: { stoppedMs: number; limitMs?: number },
): Promise<Readonly<Record<string, number>>> {
  const took: Record<string, number> = {}
  const recover = async (what: string): Promise<void> => {
    const from = performance.now()
    await until(() => history.lastWriteAt() > from, `a write after ${what}`)
    took[what] = Math.round(performance.now() - from)
    assert.ok(took[what] <= limitMs, `${what}: recovered after ${took[what]} ms`)
  }
  await until(() => history.counts.revoked > 0, 'the history')

  await postgres.run(`select pg_terminate_backend(pid) from pg_stat_activity where ${OURS}`)
  await recover('connections cut')

  await postgres.restart()
  await recover('restarted')

  await readOnly(postgres, async () => {
    await sleep(Math.min(1_000, stoppedMs))
  })
  await recover('read-only')

  await postgres.kill()
  await sleep(stoppedMs)
  await postgres.restart()
  await recover(`database away for ${stoppedMs / 1000} s`)

  await nodes.two.kill9()
  await recover('a node killed')
  history.replaceTwo(await nodes.startTwo())
  const revoked = history.counts.revoked
  await until(() => history.counts.revoked > revoked + 1, 'revocations after all faults')
  return took
}

const OURS = `application_name like 'countersign%'`

/** As after a failover, where the old primary takes no writes any more: on this one, for that long. */
async function readOnly({ run }: PostgresServer, during: () => Promise<void>): Promise<void> {
  await run('alter system set default_transaction_read_only = on', 'select pg_reload_conf()')
  try {
    await during()
  } finally {
    await run(
      'set default_transaction_read_only = off',
      'alter system reset default_transaction_read_only',
      'select pg_reload_conf()',
    )
  }
}
