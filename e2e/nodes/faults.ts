import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer } from '@countersign/testkit'
import { until } from '../workers/worker-clients.ts'
import type { History } from './history.ts'
import type { Nodes } from './two-nodes.ts'

/** Writes must succeed again within this time after a fault. */
const RECOVERED_WITHIN_MS = 5_000

/** Causes the faults one after another while the history runs. Returns the recovery time of each, in milliseconds. */
export async function runFaults(
  nodes: Nodes,
  postgres: PostgresServer,
  history: History,
  { stoppedMs, limitMs = RECOVERED_WITHIN_MS }: { stoppedMs: number; limitMs?: number },
): Promise<Readonly<Record<string, number>>> {
  const recoveryMs: Record<string, number> = {}
  const recover = async (fault: string): Promise<void> => {
    const from = performance.now()
    await until(() => history.lastWriteAt() > from, `a write after ${fault}`)
    recoveryMs[fault] = Math.round(performance.now() - from)
    assert.ok(recoveryMs[fault] <= limitMs, `${fault}: recovered after ${recoveryMs[fault]} ms`)
  }
  await until(() => history.counts.revoked > 0, 'the history')

  await postgres.run(`select pg_terminate_backend(pid) from pg_stat_activity where ${OURS}`)
  await recover('connections cut')

  await postgres.restart()
  await recover('restarted')

  await whileReadOnly(postgres, async () => {
    await sleep(Math.min(1_000, stoppedMs))
  })
  await recover('read-only')

  await postgres.kill()
  await sleep(stoppedMs)
  await postgres.restart()
  await recover(`database down for ${stoppedMs / 1000} s`)

  await nodes.two.kill9()
  await recover('a node killed')
  history.replaceTwo(await nodes.startTwo())
  const revoked = history.counts.revoked
  await until(() => history.counts.revoked > revoked + 1, 'revocations after all faults')
  return recoveryMs
}

const OURS = `application_name like 'countersign%'`

/** Makes the database read-only during `during`, as an old primary is after a failover. */
async function whileReadOnly({ run }: PostgresServer, during: () => Promise<void>): Promise<void> {
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
