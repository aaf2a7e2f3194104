import { CliError, EXIT } from './cli-error.ts'
import type { CallContext } from './command.ts'
import { COMMANDS } from './commands.ts'
import { COMPLETE_WORD } from './completion/complete-word.ts'
import { describeSystemError } from './describe-system-error.ts'
import { runEndTasks } from './end-tasks.ts'
import { findCommand } from './find-command.ts'
import { buildCommandHelp, buildOverview } from './help.ts'
import { createInput, type Input, NO_INPUT } from './input.ts'
import { parseFlags } from './parse-flags.ts'
import { createTerminal, type Terminal, withVerbosity } from './terminal.ts'
import { toCliError } from './to-cli-error.ts'
import { unknownCommand } from './unknown-command.ts'
import { waitUntilWritten } from './wait-until-written.ts'

type Environment = { readonly [name: string]: string | undefined }

/** Runs a command line with the streams and environment of this process. Returns the exit status. */
export async function run(words: readonly string[]): Promise<number> {
  // A closed pipe must not crash a controller or interrupt a change half way.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  const terminal = createTerminal(process.stdout, process.stderr, process.env)
  const status = await main(words, terminal, process.env, createInput(process.stdin, process.stderr))
  // A controller that stops does not wait for a reader of its log.
  if (words[0] !== 'up') await Promise.all([process.stdout, process.stderr].map(waitUntilWritten))
  return status
}

/** Runs a command line. Never throws: errors are printed, and the exit status returned. */
export async function main(
  words: readonly string[],
  terminal: Terminal,
  env: Environment,
  input: Input = NO_INPUT,
): Promise<number> {
  try {
    return await dispatch(words, { terminal, env, input })
  } catch (error) {
    return reportError(toCliError(error), terminal, env)
  }
}

async function dispatch(words: readonly string[], context: CallContext): Promise<number> {
  const { terminal } = context
  const [first, second] = words
  if (first === '--version') return dispatch(['version', ...words.slice(1)], context)
  if (isHelpFlag(first)) return dispatch(['help', ...words.slice(1)], context)
  if (first === COMPLETE_WORD) {
    const { printCandidates } = await import('./completion/print-candidates.ts')
    return printCandidates(COMMANDS, words.slice(1), context)
  }
  const found = findCommand(COMMANDS, words)
  if (!found) {
    if (first !== undefined && isHelpFlag(second)) return dispatch(['help', first], context)
    if (first !== undefined) throw unknownCommand(COMMANDS, words)
    for (const line of buildOverview(COMMANDS)) terminal.note(line)
    return EXIT.usage
  }
  const command = await found.row.load()
  const { args, flags } = parseFlags(found.row.name, command, found.rest)
  if (flags.help === true) {
    for (const line of buildCommandHelp(found.row, command)) terminal.out(line)
    return EXIT.ok
  }
  const verbosity = { quiet: flags.quiet === true, verbose: flags.verbose === true }
  const call = { args, flags, ...context, terminal: withVerbosity(terminal, verbosity) }
  try {
    return await command.run(call)
  } finally {
    await runEndTasks(call)
  }
}

function isHelpFlag(word: string | undefined): boolean {
  return word === '--help' || word === '-h'
}

function reportError(error: unknown, terminal: Terminal, env: Environment): number {
  if (error instanceof CliError) {
    error.messages.forEach((message, index) => {
      terminal.error(message, index === error.messages.length - 1 ? error.hint : undefined)
    })
    if (env.COUNTERSIGN_DEBUG && error.cause) printStack(error.cause, terminal)
    return error.exitCode
  }
  const description = describeSystemError(error)
  if (description !== undefined) {
    terminal.error(description)
    return EXIT.failure
  }
  const message = error instanceof Error ? error.message : String(error)
  terminal.error(
    `unexpected error: ${message}`,
    env.COUNTERSIGN_DEBUG
      ? 'please report this with the lines below'
      : 'please report this; COUNTERSIGN_DEBUG=1 shows where it happened',
  )
  if (env.COUNTERSIGN_DEBUG) printStack(error, terminal)
  return EXIT.failure
}

function printStack(error: unknown, terminal: Terminal): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  for (const line of stack.split('\n')) terminal.note(line)
}
