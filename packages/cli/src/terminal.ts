import { printable } from './printable.ts'

/** A stream to write to, and whether a person looks at it. */
interface TextStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/**
 * What a command prints with. Results go to stdout, everything about the work itself to stderr. Every line is stripped of
 * control characters here, so that no command has to remember.
 */
export interface Terminal {
  /** A line of the result. */
  out(line: string): void
  /** A line about the work. */
  note(line: string): void
  /** `error: …`, and `hint: …` when there is something to do about it. */
  error(message: string, hint?: string): void
}

const RED = '\x1b[1;31m'
const CYAN = '\x1b[36m'
const PLAIN = '\x1b[0m'

/** Creates the terminal over two streams. Colours only for a person, and never with NO_COLOR. */
export function createTerminal(stdout: TextStream, stderr: TextStream, env: { readonly NO_COLOR?: string }): Terminal {
  const isColoured = stderr.isTTY === true && !env.NO_COLOR
  const paint = (colour: string, word: string) => (isColoured ? `${colour}${word}${PLAIN}` : word)
  return {
    out: (line) => void stdout.write(`${printable(line)}\n`),
    note: (line) => void stderr.write(`${printable(line)}\n`),
    error: (message, hint) => {
      stderr.write(`${paint(RED, 'error:')} ${printable(message)}\n`)
      if (hint !== undefined) stderr.write(`${paint(CYAN, 'hint:')} ${printable(hint)}\n`)
    },
  }
}
