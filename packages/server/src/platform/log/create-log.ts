import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type Logger, pino } from 'pino'
import type { Settings } from '../settings/index.ts'
import { LogOutput } from './log-output.ts'

let stderr: LogOutput | undefined

/** The log of this process, on stderr. A log that is not read or cannot be written does not stop the controller. */
export function createLog({ logLevel }: Pick<Settings, 'logLevel'>): Logger {
  return pino({ level: logLevel }, findStderr())
}

/** Writes the lines of a worker's stderr to the log of this process. */
export function forwardToLog(lines: Readable): void {
  const output = findStderr()
  createInterface({ input: lines }).on('line', (line) => output.write(`${line}\n`))
}

/** One per process, since stderr has one reader. */
function findStderr(): LogOutput {
  if (stderr) return stderr
  // Using the stream makes Node set a pipe or socket to non-blocking. Writes to the descriptor then throw EAGAIN instead of waiting.
  process.stderr.on('error', () => {})
  const output = new LogOutput({
    onDropped: (dropped) => log.warn({ dropped }, 'log lines were dropped because stderr was not read or not writable'),
  })
  const log = pino({ level: 'warn' }, output)
  process.once('exit', () => output.flush())
  stderr = output
  return output
}
