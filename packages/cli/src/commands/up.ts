import type { RunningController } from '@countersign/server'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { buildSettingFlags, loadCallSettings } from '../load-call-settings.ts'
import { waitForNpmGone } from '../npm-gone.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { buildReadyLine, buildReadyObject, buildReadySummary } from '../ready-summary.ts'
import { waitForStopSignal } from '../stop-signals.ts'
import { withProgress } from '../with-progress.ts'

const STOP_LIMIT_MS = 10_000

export const up: Command = {
  args: [],
  flags: [{ name: 'json', description: 'Print one line of JSON when ready, as -o json does' }, ...buildSettingFlags()],
  details: [
    "Settings are also read from the environment (COUNTERSIGN_…) and from the file of --config; the administrator's",
    'password only from there. See docs/configuration.md.',
    'SIGTERM or Ctrl-C stops gracefully, after requests in flight; a second one stops at once.',
  ],
  examples: [
    { command: 'countersign up', description: 'Start on https://127.0.0.1:1280 with the embedded database' },
    {
      command: 'countersign up --host 0.0.0.0 --advertise controller.example.com:1280',
      description: 'Listen on all interfaces, under a host name',
    },
    {
      command: 'countersign up --port 0 --json --data-dir "$(mktemp -d)"',
      description: 'Start for a test, on free ports',
    },
    { command: 'COUNTERSIGN_DATABASE=postgres://… countersign up', description: 'Use PostgreSQL' },
  ],
  run: async (call) => {
    const { limitPoolThreads, startController } = await import('@countersign/server')
    const { explainStartupErrors } = await import('../explain-startup-errors.ts')
    limitPoolThreads()
    const { settings } = loadCallSettings(call)
    const stopRequested = Promise.race([waitForStopSignal(), waitForNpmGone()])
    const stopOverdue = stopRequested.then(() => failWhenOverdue())
    const running = await Promise.race([
      withProgress(call.terminal, 'starting…', explainStartupErrors(startController(settings))),
      stopOverdue,
    ])
    await announce(call, running, settings.adminPassword !== null)
    running.startEventOutput()
    restartOnHangUp(running)
    const stoppedItself = running.stopped.then(() => {
      throw new CliError('the controller stopped unexpectedly', { hint: 'the log above has the reason' })
    })
    await Promise.race([stopRequested, stoppedItself])
    await Promise.race([withProgress(call.terminal, 'stopping…', running.stop()), stopOverdue])
    return EXIT.ok
  },
}

async function announce(call: Call, { ready }: RunningController, isPasswordSet: boolean): Promise<void> {
  const format = getFormat(call)
  // One line, as with --json: programs read it while the controller runs.
  if (call.flags.json === true || format === 'json') return call.terminal.out(buildReadyLine(ready))
  if (format !== 'table') return printData(call, buildReadyObject(ready), () => ready.baseUrl)
  for (const line of buildReadySummary(ready, isPasswordSet)) call.terminal.out(line)
}

/** Without workers no handler is installed, because it would override `nohup`. */
function restartOnHangUp({ restartWorkers }: RunningController): void {
  if (!restartWorkers) return
  process.on('SIGHUP', () => {
    restartWorkers().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      process.stderr.write(`warning: the workers were not all restarted: ${message}\n`)
    })
  })
}

function failWhenOverdue(): Promise<never> {
  return new Promise((_, reject) => {
    const error = new CliError(`did not stop within ${STOP_LIMIT_MS / 1000} seconds`, {})
    setTimeout(() => reject(error), STOP_LIMIT_MS).unref()
  })
}
