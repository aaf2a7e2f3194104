import { spawn } from 'node:child_process'
import { COMMAND } from '@countersign/testkit'

/** What a run of the command printed and how it ended. */
export interface CommandRun {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** Told everything on stderr so far, whenever there is more. */
  readonly onStderr?: (text: string) => void
  /** Whoever reads its results has seen enough after a line, as `head -1` has. */
  readonly readsOneLine?: boolean
}

/** Runs the command in a process of its own, at home in a folder, with nothing of the tests' own environment. */
export function runCountersign(
  home: string,
  args: readonly string[],
  { stdin = '', env = {}, onStderr = () => {}, readsOneLine = false }: RunOptions = {},
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
        if (name === 'stdout' && readsOneLine && text.includes('\n')) child.stdout.destroy()
      })
    }
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, ...written }))
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
  })
}
