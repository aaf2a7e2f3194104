/** Kills a controller repeatedly during writes, and checks after every start that acknowledged writes are stored. */
import { parseArgs } from 'node:util'
import { createControllerStage } from '@countersign/testkit'
import { createCrashRecord, runCrashRound, startAndCheck } from '../start/crash-round.ts'

const REPORT_EVERY = 10

/** `npm run soak -- crash [--rounds=100]`. Throws at the first acknowledged write that is missing. */
export async function run(flags: string[]): Promise<void> {
  const { values } = parseArgs({ args: flags, options: { rounds: { type: 'string', default: '100' } }, strict: false })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new TypeError(`--rounds must be a whole number, got ${values.rounds}`)
  const cleanUp: (() => Promise<void>)[] = []
  const stage = createControllerStage({ after: (hook) => void cleanUp.push(hook) })
  const record = createCrashRecord()
  try {
    for (let round = 1; round <= rounds; round++) {
      await runCrashRound(stage, record)
      if (round % REPORT_EVERY === 0 || round === rounds) console.log(`${round} rounds: ${describe(record)}`)
    }
    await (await startAndCheck(stage, record)).stop()
    console.log(`no acknowledged write is missing`)
  } finally {
    for (const hook of cleanUp) await hook()
  }
}

function describe({ created, replaced, interrupted }: ReturnType<typeof createCrashRecord>): string {
  const versions = [...replaced.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  return `${created.size} creates and ${versions} replacements acknowledged, ${interrupted.size} creates interrupted`
}
