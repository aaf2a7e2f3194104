import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../paths.ts'

export type ProgramResult = { code: number | null; output: string }

/** Runs a script of an installed package with this Node. Returns its exit code and output (stdout and stderr). */
export function runProgram(script: string, args: string[], cwd: string): Promise<ProgramResult> {
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
