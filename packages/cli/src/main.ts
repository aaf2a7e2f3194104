import { CliError, EXIT } from './cli-error.ts'
import type { Call } from './command.ts'
import { COMMANDS } from './commands.ts'
import { findCommand } from './find-command.ts'
import { buildCommandHelp, buildOverview } from './help.ts'
import { createInput, type Input, NO_INPUT } from './input.ts'
import { parseFlags } from './parse-flags.ts'
import { findSystemErrorWords } from './system-error.ts'
import { createTerminal, type Terminal, withVerbosity } from './terminal.ts'
import { toExplained } from './to-explained.ts'
import { unknownCommand } from './unknown-command.ts'

type Environment = { readonly [name: string]: string | undefined }

/** Runs one command line of this process and gives the exit status. */
export async function run(words: readonly string[]): Promise<number> {
  // A reader that has seen enough closes the pipe: no reason for a controller to fall over, nor to leave a change half done.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  const terminal = createTerminal(process.stdout, process.stderr, process.env)
  return main(words, terminal, process.env, createInput(process.stdin, process.stderr))
}

/** Runs one command line. Never throws: what goes wrong is told on the terminal and in the exit status. */
export async function main(
  words: readonly string[],
  terminal: Terminal,
  env: Environment,
  input: Input = NO_INPUT,
): Promise<number> {
  try {
    return await dispatch(words, { terminal, env, input })
  } catch (error) {
    return explain(toExplained(error), terminal, env)
  }
}

async function dispatch(words: readonly string[], surroundings: Omit<Call, 'args' | 'flags'>): Promise<number> {
  const { terminal } = surroundings
  const [first] = words
  if (first === '--version') return dispatch(['version', ...words.slice(1)], surroundings)
  if (first === '--help' || first === '-h') return dispatch(['help', ...words.slice(1)], surroundings)
  const found = findCommand(COMMANDS, words)
  if (!found) {
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
  return command.run({ args, flags, ...surroundings, terminal: withVerbosity(terminal, verbosity) })
}

function explain(error: unknown, terminal: Terminal, env: Environment): number {
  if (error instanceof CliError) {
    error.messages.forEach((message, index) => {
      terminal.error(message, index === error.messages.length - 1 ? error.hint : undefined)
    })
    if (env.COUNTERSIGN_DEBUG && error.cause) printStack(error.cause, terminal)
    return error.exitCode
  }
  const refused = findSystemErrorWords(error)
  if (refused !== undefined) {
    terminal.error(refused)
    return EXIT.failure
  }
  const message = error instanceof Error ? error.message : String(error)
  terminal.error(
    `unexpected: ${message}`,
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
