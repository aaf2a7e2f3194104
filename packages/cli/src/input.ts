import type { ReadStream } from 'node:tty'
import { CliError, EXIT } from './cli-error.ts'

/** What a command can ask of whoever called it. */
export interface Input {
  /** Whether a person sits there to answer. */
  readonly isInteractive: boolean
  /** Everything on stdin, up to a megabyte. */
  readAll(): Promise<string>
  /** One line; with `secret` it is not shown while it is typed. Only where somebody answers. */
  ask(question: string, options?: { readonly secret?: boolean }): Promise<string>
}

const MAX_BYTES = 1_048_576
const CTRL_C = '\x03'
const CTRL_D = '\x04'
const ERASERS = ['\x7f', '\b']

type Stdin = NodeJS.ReadStream | ReadStream

/** Creates the input over stdin; questions go to stderr, since stdout is for results. */
export function createInput(stdin: Stdin, stderr: NodeJS.WriteStream): Input {
  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    readAll: () => readAll(stdin),
    async ask(question, { secret = false } = {}) {
      stderr.write(question)
      const answer = await readLine(stdin, secret)
      if (secret) stderr.write('\n')
      return answer
    },
  }
}

/** Nobody there, nothing to read. */
export const NO_INPUT: Input = {
  isInteractive: false,
  readAll: async () => '',
  ask: () => Promise.reject(new TypeError('nobody is there to ask')),
}

async function readAll(stdin: Stdin): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array)
    size += bytes.length
    if (size > MAX_BYTES) throw new CliError('what comes on stdin is too long', { hint: 'send at most a megabyte' })
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
          throw new CliError('stopped at the prompt', { exitCode: EXIT.failure })
        }
        line = ERASERS.includes(character) ? line.slice(0, -1) : line + character
        if (line.length > MAX_BYTES) throw new CliError('the answer is too long', {})
      }
    }
  } finally {
    if (secret) stdin.setRawMode?.(false)
    stdin.pause()
  }
}
