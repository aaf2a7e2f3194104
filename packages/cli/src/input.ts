import type { ReadStream } from 'node:tty'
import { CliError, EXIT } from './cli-error.ts'
import { printable } from './printable.ts'

/** Input from stdin and from the user. */
export interface Input {
  /** Whether stdin and stderr are a terminal. */
  readonly isInteractive: boolean
  /** Everything on stdin, up to a megabyte. */
  readAll(): Promise<string>
  /** Prompts for one line; with `secret` without echo. Call it only when `isInteractive`. */
  ask(question: string, options?: { readonly secret?: boolean }): Promise<string>
}

const MAX_BYTES = 1_048_576
const CTRL_C = '\x03'
const CTRL_D = '\x04'
const BACKSPACES = ['\x7f', '\b']

type Stdin = NodeJS.ReadStream | ReadStream

type Stderr = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

/** Prompts go to stderr, since stdout is for results. Control characters are removed from questions here, so that commands need not do it. */
export function createInput(stdin: Stdin, stderr: Stderr): Input {
  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    readAll: () => readAll(stdin),
    async ask(question, { secret = false } = {}) {
      stderr.write(printable(question))
      const line = await readLine(stdin, secret)
      if (secret) stderr.write('\n')
      return line
    },
  }
}

/** No terminal and an empty stdin. */
export const NO_INPUT: Input = {
  isInteractive: false,
  readAll: async () => '',
  ask: () => Promise.reject(new TypeError('there is no terminal')),
}

async function readAll(stdin: Stdin): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array)
    size += bytes.length
    if (size > MAX_BYTES) throw new CliError('stdin is too long', { hint: 'send at most one megabyte' })
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function readLine(stdin: Stdin, secret: boolean): Promise<string> {
  if (secret) stdin.setRawMode?.(true)
  stdin.resume()
  try {
    let line = ''
    for (;;) {
      const text = await new Promise<string>((resolve) => stdin.once('data', (chunk) => resolve(chunk.toString())))
      for (const character of text) {
        if (character === '\r' || character === '\n') return line
        if (character === CTRL_C || character === CTRL_D) {
          throw new CliError('cancelled at the prompt', { exitCode: EXIT.failure })
        }
        line = BACKSPACES.includes(character) ? line.slice(0, -1) : line + character
        if (line.length > MAX_BYTES) throw new CliError('the line is too long', {})
      }
    }
  } finally {
    if (secret) stdin.setRawMode?.(false)
    stdin.pause()
  }
}
