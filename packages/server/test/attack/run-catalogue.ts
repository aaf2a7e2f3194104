import assert from 'node:assert/strict'
import { openRawHttps, rawRequest } from '@countersign/testkit'
import { createRandom } from '../simulation/random.ts'
import { type ControllerProcess, startControllerProcess } from './controller-process.ts'
import { HOSTILE_BEHAVIOURS } from './hostile-behaviours.ts'
import { type Credentials, HOSTILE_REQUESTS, http } from './hostile-requests.ts'

interface Attack {
  readonly name: string
  run(port: number, credentials: Credentials): Promise<void>
}

const ATTACKS: readonly Attack[] = [
  ...HOSTILE_BEHAVIOURS.map(({ row, title, run }) => ({ name: `${row} ${title}`, run })),
  ...HOSTILE_REQUESTS.map(({ row, title, bytes, status, code }) => ({
    name: `${row} ${title}`,
    run: async (port: number, credentials: Credentials) => {
      const connection = await openRawHttps({ port })
      connection.send(bytes(credentials))
      const response = await connection.readResponse()
      connection.close()
      assert.deepEqual([response.status, response.json?.error.code], [status, code])
    },
  })),
]

const AT_ONCE = 8
/** Allocator fragmentation beyond the tenth that the catalogue allows. */
const HEAP_SLACK_BYTES = 16 * 1_048_576
const SETTLE_WITHIN_MS = 15_000

/**
 * Sends every attack in random order, several at a time, for `rounds` rounds, to a controller in a separate process. Asserts that
 * the process is the same, no table has changed, and files and memory are as after the first round.
 */
export async function runCatalogue({ rounds, seed, log }: { rounds: number; seed: number; log(line: string): void }) {
  const random = createRandom(seed)
  log(`${rounds} rounds of ${ATTACKS.length} attacks, seed ${seed}`)
  const controller = await startControllerProcess()
  try {
    const files = controller.openFiles()
    const state = await controller.state()
    await runRound(controller, random)
    await settle(controller, files)
    const memory = await controller.keptBytes()
    for (let round = 1; round <= rounds; round += 1) {
      await runRound(controller, random)
      controller.checkAlive()
      if (round % 10 === 0) log(`round ${round}: ${mebibytes(await controller.keptBytes())} MiB`)
    }
    await settle(controller, files)
    assert.deepEqual(await controller.state(), state, `seed ${seed}: nothing has changed`)
    const grown = await controller.keptBytes()
    log(`memory ${mebibytes(memory)} -> ${mebibytes(grown)} MiB, files ${files} -> ${controller.openFiles()}`)
    assert.ok(grown < memory * 1.1 + HEAP_SLACK_BYTES, `seed ${seed}: from ${memory} to ${grown} bytes`)
    controller.checkAlive()
  } finally {
    await controller.stop()
  }
}

async function runRound({ port, credentials }: ControllerProcess, random: () => number): Promise<void> {
  const waiting = shuffled(ATTACKS, random)
  const attackers = Array.from({ length: AT_ONCE }, async () => {
    for (let attack = waiting.pop(); attack; attack = waiting.pop()) {
      try {
        await attack.run(port, credentials)
      } catch (error) {
        throw new Error(`${attack.name} failed`, { cause: error })
      }
    }
  })
  await Promise.all(attackers)
  const path = '/edge/management/v1/external-jwt-signers'
  const { status } = await rawRequest(port, http(`GET ${path}`, [`zt-session: ${credentials.session}`]))
  assert.equal(status, 200, 'the next legitimate call works')
}

/** Waits until the server has closed the connections of the last round too. */
async function settle(controller: ControllerProcess, files: number): Promise<void> {
  const deadline = performance.now() + SETTLE_WITHIN_MS
  while (controller.openFiles() > files && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.ok(controller.openFiles() <= files, `${controller.openFiles()} files are open, ${files} were before`)
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1_048_576)
