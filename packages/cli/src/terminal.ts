import { printable } from './printable.ts'

interface TextStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const COLOURS = {
  red: '\x1b[31m',
  green: '\x1b[32m',
  yellow: '\x1b[33m',
  cyan: '\x1b[36m',
  bold: '\x1b[1m',
  boldRed: '\x1b[1;31m',
} as const
const PLAIN = '\x1b[0m'

type Colour = keyof typeof COLOURS

/** A part of a line, plain or in a colour. */
export type Piece = string | readonly [Colour, string]

/**
 * The output of a command. Results go to stdout, everything else to stderr. Control characters are removed from every line here, so that
 * commands need not do it.
 */
export interface Terminal {
  /** A line of the result. */
  out(line: string | readonly Piece[]): void
  /** A progress line; suppressed by `--quiet`. */
  note(line: string): void
  /** A line that the user has to act on; printed with `--quiet` too. */
  notice(line: string): void
  /** A diagnostic line; only with `--verbose`. */
  debug(line: string): void
  /** `error: …`, and `hint: …` if given. */
  error(message: string, hint?: string): void
  /** The maximum width of a result line; undefined when stdout is not a terminal. */
  readonly columns: number | undefined
}

interface TerminalEnvironment {
  readonly NO_COLOR?: string | undefined
  readonly COLUMNS?: string | undefined
}

/** Uses colours only on a TTY, and never with NO_COLOR. */
export function createTerminal(stdout: TextStream, stderr: TextStream, env: TerminalEnvironment): Terminal {
  const painter =
    (stream: TextStream) =>
    (piece: Piece): string => {
      if (typeof piece === 'string') return printable(piece)
      const [colour, text] = piece
      return stream.isTTY === true && !env.NO_COLOR ? `${COLOURS[colour]}${printable(text)}${PLAIN}` : printable(text)
    }
  const [paintOut, paintError] = [painter(stdout), painter(stderr)]
  return {
    out: (line) => void stdout.write(`${typeof line === 'string' ? printable(line) : line.map(paintOut).join('')}\n`),
    note: (line) => void stderr.write(`${printable(line)}\n`),
    notice: (line) => void stderr.write(`${printable(line)}\n`),
    debug: () => {},
    error: (message, hint) => {
      stderr.write(`${paintError(['boldRed', 'error:'])} ${printable(message)}\n`)
      if (hint !== undefined) stderr.write(`${paintError(['cyan', 'hint:'])} ${printable(hint)}\n`)
    },
    columns: readColumns(env.COLUMNS) ?? (stdout.isTTY === true ? stdout.columns : undefined),
  }
}

/** Applies `--quiet` and `--verbose`. */
export function withVerbosity(terminal: Terminal, { quiet = false, verbose = false }): Terminal {
  return {
    ...terminal,
    ...(quiet && { note: () => {} }),
    ...(verbose && { debug: terminal.note }),
  }
}

function readColumns(text: string | undefined): number | undefined {
  const columns = Number(text)
  return Number.isInteger(columns) && columns > 0 ? columns : undefined
}
