/** `npm run bench [-- parts] [--options]`: measures, beside a bare server and beside the aims; see bench/README.md. */
import { runBench } from '../bench/run-bench.ts'
import { limitPoolThreads } from '../packages/server/src/platform/thread-pool.ts'

// What is measured in this process has the threads that it has in the controller.
limitPoolThreads()

// Ended early, it takes what it has started and written with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

try {
  await runBench(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
