import { printable } from './printable.ts'

/** A stream to write to, and whether a person looks at it. */
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
 * What a command prints with. Results go to stdout, everything about the work itself to stderr. Every line is stripped of
 * control characters here, so that no command has to remember.
 */
export interface Terminal {
  /** A line of the result. */
  out(line: string | readonly Piece[]): void
  /** A line about the work; none with `--quiet`. */
  note(line: string): void
  /** A line that somebody has to act on: also with `--quiet`. */
  tell(line: string): void
  /** A line for those who want to know how it works: only with `--verbose`. */
  debug(line: string): void
  /** `error: …`, and `hint: …` when there is something to do about it. */
  error(message: string, hint?: string): void
  /** How many characters a line of the result may have; undefined when nobody counts. */
  readonly columns: number | undefined
}

interface TerminalEnvironment {
  readonly NO_COLOR?: string | undefined
  readonly COLUMNS?: string | undefined
}

/** Creates the terminal over two streams. Colours only for a person, and never with NO_COLOR. */
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
    tell: (line) => void stderr.write(`${printable(line)}\n`),
    debug: () => {},
    error: (message, hint) => {
      stderr.write(`${paintError(['boldRed', 'error:'])} ${printable(message)}\n`)
      if (hint !== undefined) stderr.write(`${paintError(['cyan', 'hint:'])} ${printable(hint)}\n`)
    },
    columns: readColumns(env.COLUMNS) ?? (stdout.isTTY === true ? stdout.columns : undefined),
  }
}

/** The same terminal, which tells less or more about the work. */
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
