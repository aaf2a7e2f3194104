/** `npm run bench [-- parts] [--options]`: the benchmarks; see bench/README.md. */
import { runBench } from '../bench/run-bench.ts'
import { limitPoolThreads } from '../packages/server/src/platform/thread-pool.ts'

// Functions measured in this process get as many pool threads as in the controller.
limitPoolThreads()

// Exits normally on a signal, so that `exit` handlers stop the servers and remove temporary files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

try {
  await runBench(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
