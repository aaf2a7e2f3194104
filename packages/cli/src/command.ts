import type { Input } from './input.ts'
import type { Terminal } from './terminal.ts'

/** One flag of a command. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string
  /** The one-letter form: `o` for `-o`. */
  readonly short?: string
  /** The placeholder of its value in help; a flag without one is a switch. */
  readonly value?: string
  /** Can be given several times. */
  readonly repeatable?: boolean
  /** `--no-name` exists too. */
  readonly negatable?: boolean
  /** The only values that it takes. */
  readonly choices?: readonly string[]
  readonly description: string
}

export type FlagValues = { readonly [name: string]: string | boolean | readonly (string | boolean)[] | undefined }

/** What a command reads from and writes to. */
export interface CallContext {
  readonly terminal: Terminal
  readonly input: Input
  readonly env: { readonly [name: string]: string | undefined }
}

/** One invocation of a command. */
export interface Call extends CallContext {
  readonly args: readonly string[]
  readonly flags: FlagValues
}

export interface Command {
  /** Names of the arguments, required unless in brackets: `FILE`, `[COMMAND]`. */
  readonly args: readonly string[]
  readonly flags: readonly Flag[]
  /** False for a command whose result has one format only, so that it takes no `--output`. Default: true. */
  readonly hasOutput?: boolean
  /** More lines of help. */
  readonly details?: readonly string[]
  readonly examples: readonly { readonly command: string; readonly description: string }[]
  /** Runs the command and returns the exit status. Throws CliError for expected failures. */
  run(call: Call): Promise<number>
}

/** A row of the table of commands. The command is loaded when it runs. */
export interface CommandRow {
  /** `config show` */
  readonly name: string
  readonly summary: string
  /** The heading under which the overview lists it. */
  readonly group: string
  load(): Promise<Command>
}
