/** Races a thousand enrollments with the same token, repeatedly; then kills controllers during enrollments. */
import { Agent } from 'node:https'
import { parseArgs } from 'node:util'
import { createControllerStage } from '@countersign/testkit'
import { raceOneToken, startAndCheckEnrolled } from '../start/enroll-check.ts'
import { createEnrollmentRecord, ENROLLMENT_KINDS, startEnrolling } from '../start/enroll-client.ts'
import { runEnrollmentRound } from '../start/enroll-round.ts'

const REPORT_EVERY = 10

/** `npm run soak -- enroll [--races=20] [--times=1000] [--kills=200]`. Throws at the first violation. */
export async function run(flags: string[]): Promise<void> {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const
  const options = { races: text('20'), times: text('1000'), kills: text('200') }
  const { values } = parseArgs({ args: flags, options, strict: false })
  await race(Number(values.races), Number(values.times))
  await killRepeatedly(Number(values.kills))
}

async function race(races: number, times: number): Promise<void> {
  await onStage(async (stage) => {
    const record = createEnrollmentRecord()
    const controller = await startEnrolling(stage, record)
    const agent = new Agent({ keepAlive: true })
    for (const kind of ENROLLMENT_KINDS) {
      for (let round = 1; round <= races; round++) {
        await raceOneToken(controller, record, { sub: `${kind} ${round}`, kind, times, agent })
      }
      console.log(`${races} times ${times} enrollments at once to ${kind}: one enrolled each time, all others 409`)
    }
    agent.destroy()
    await controller.stop()
  })
}

async function killRepeatedly(kills: number): Promise<void> {
  await onStage(async (stage) => {
    const record = createEnrollmentRecord()
    for (let round = 1; round <= kills; round++) {
      await runEnrollmentRound(stage, record)
      const { enrolled, interrupted } = record
      const counts = `${enrolled.size} acknowledged, ${interrupted.size} interrupted`
      if (round % REPORT_EVERY === 0 || round === kills) console.log(`${round} kills: ${counts}`)
    }
    await (await startAndCheckEnrolled(stage, record)).stop()
    console.log('no acknowledged enrollment is missing, and none is incomplete')
  })
}

async function onStage(work: (stage: ReturnType<typeof createControllerStage>) => Promise<void>): Promise<void> {
  const cleanUp: (() => Promise<void>)[] = []
  try {
    await work(createControllerStage({ after: (hook) => void cleanUp.push(hook) }))
  } finally {
    for (const hook of cleanUp) await hook()
  }
}
