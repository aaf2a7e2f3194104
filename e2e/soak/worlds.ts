/** Compares previews of changes with what happens, over generated configurations. */
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { parseArgs } from 'node:util'
import { compareWorlds } from '../../packages/server/test/http/what-if-worlds.fixture.ts'

/** `npm run soak -- worlds [--worlds=10000] [--seed=N]`. Throws at the first wrong prediction, with its seed. */
export async function run(flags: string[]): Promise<void> {
  const options = { worlds: { type: 'string', default: '10000' }, seed: { type: 'string' } } as const
  const { values } = parseArgs({ args: flags, options, strict: false })
  const [count, seed] = [Number(values.worlds), Number(values.seed ?? randomInt(2 ** 31))]
  if (!(Number.isInteger(count) && count > 0 && Number.isInteger(seed)))
    throw new TypeError('--worlds and --seed must be whole numbers')
  const cleanups: (() => unknown)[] = []
  const context = { after: (cleanup: () => unknown) => void cleanups.unshift(cleanup) } as unknown as TestContext
  try {
    const found = await compareWorlds(context, { count, seed })
    console.log(`${count} worlds of the seed ${seed}, ${JSON.stringify(found)}: each prediction came true`)
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}
