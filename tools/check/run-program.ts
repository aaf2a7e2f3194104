import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../paths.ts'

export type ProgramEnd = { code: number | null; output: string }

/** Runs a program of an installed package under this Node and gives its end and its whole output. */
export function runProgram(script: string, args: string[], cwd: string): Promise<ProgramEnd> {
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
