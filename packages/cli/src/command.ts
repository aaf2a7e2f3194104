import type { Input } from './input.ts'
import type { Terminal } from './terminal.ts'

/** One flag of a command. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string
  /** One letter that stands for it: `o` for `-o`. */
  readonly short?: string
  /** What help calls its value; without one the flag is on or off. */
  readonly value?: string
  /** May be given several times. */
  readonly repeatable?: boolean
  /** `--no-name` exists too. */
  readonly negatable?: boolean
  readonly description: string
}

export type FlagValues = { readonly [name: string]: string | boolean | readonly (string | boolean)[] | undefined }

/** How a command was called. */
export interface Call {
  readonly args: readonly string[]
  readonly flags: FlagValues
  readonly terminal: Terminal
  readonly input: Input
  readonly env: { readonly [name: string]: string | undefined }
}

/** What one command takes and does. */
export interface Command {
  /** Names of the arguments, all required unless in brackets: `FILE`, `[COMMAND]`. */
  readonly args: readonly string[]
  readonly flags: readonly Flag[]
  /** Further lines of help. */
  readonly details?: readonly string[]
  readonly examples: readonly { readonly command: string; readonly says: string }[]
  /** Does the work and gives the exit status. Throws CliError for what a person can understand. */
  run(call: Call): Promise<number>
}

/** A row of the table of commands. The command itself is loaded when it is called. */
export interface CommandRow {
  /** `config show` */
  readonly name: string
  readonly summary: string
  /** The heading under which the overview lists it. */
  readonly group: string
  load(): Promise<Command>
}
