/** Two nodes on one PostgreSQL, with faults of the database and the nodes: no wrong response, nothing lost, recovery within five seconds. */
import { parseArgs } from 'node:util'
import { createControllerStage, startPostgres } from '@countersign/testkit'
import { runFaults } from '../nodes/faults.ts'
import { startHistory } from '../nodes/history.ts'
import { startNodes } from '../nodes/two-nodes.ts'

/** `npm run soak -- faults [--seconds=60]`: how long the database is down. */
export async function run(flags: string[]): Promise<void> {
  const { values } = parseArgs({ args: flags, options: { seconds: { type: 'string', default: '60' } }, strict: false })
  const stoppedMs = Number(values.seconds) * 1000
  if (!(stoppedMs > 0)) throw new TypeError(`--seconds must be a number, got ${values.seconds}`)
  const cleanUp: (() => Promise<void>)[] = []
  const postgres = await startPostgres({ durable: true })
  try {
    const nodes = await startNodes(createControllerStage({ after: (hook) => void cleanUp.push(hook) }), postgres)
    const history = startHistory(nodes)
    const recoveryMs = await runFaults(nodes, postgres, history, { stoppedMs }).finally(() => history.finish())
    for (const [fault, ms] of Object.entries(recoveryMs))
      console.log(`${fault}: a write was acknowledged ${ms} ms after its end`)
    console.log(`${JSON.stringify(history.counts)}: no wrong response, nothing lost`)
  } finally {
    for (const hook of cleanUp) await hook()
    await postgres.stop()
  }
}
