import { type Input, NO_INPUT } from '../src/input.ts'
import { main } from '../src/main.ts'
import { createTerminal } from '../src/terminal.ts'

interface CapturedRun {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command line in this process. */
export async function runCaptured(
  words: readonly string[],
  options: {
    readonly env?: { readonly [name: string]: string }
    readonly isTTY?: boolean
    readonly input?: Partial<Input>
    /** Called with all of stderr so far, after each write. */
    readonly onStderr?: (text: string) => void
  } = {},
): Promise<CapturedRun> {
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written) => ({
    isTTY: options.isTTY ?? false,
    write: (text: string) => {
      written[name] += text
      if (name === 'stderr') options.onStderr?.(written.stderr)
    },
  })
  const env = options.env ?? {}
  const exitCode = await main(words, createTerminal(stream('stdout'), stream('stderr'), env), env, {
    ...NO_INPUT,
    ...options.input,
  })
  return { exitCode, ...written }
}
