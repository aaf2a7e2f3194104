import { spawn } from 'node:child_process'
import { COMMAND } from '@countersign/testkit'

export interface CommandRun {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** Called with all of stderr so far, after each write. */
  readonly onStderr?: (text: string) => void
  /** Closes stdout after the first line, like `head -1`. */
  readonly closesAfterOneLine?: boolean
}

/** Runs the command in a new process, with `home` as home and working directory and without the environment of the tests. */
export function runCountersign(
  home: string,
  args: readonly string[],
  { stdin = '', env = {}, onStderr = () => {}, closesAfterOneLine = false }: RunOptions = {},
): Promise<CommandRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...env },
    })
    const written = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        written[name] += text
        if (name === 'stderr') onStderr(written.stderr)
        if (name === 'stdout' && closesAfterOneLine && text.includes('\n')) child.stdout.destroy()
      })
    }
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, ...written }))
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
  })
}
