import { spawn } from 'node:child_process'
import { basename } from 'node:path'

/** Runs a command and returns its stdout. Throws with all its output when it fails. */
export async function runCommand(command: string, args: string[], cwd: string): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}\n${output}`)
  return stdout
}

/** Runs the npm that started this process, else the one on the PATH. */
export function runNpm(args: string[], cwd: string): Promise<string> {
  const cli = process.env.npm_execpath
  const isNpm = cli !== undefined && basename(cli) === 'npm-cli.js'
  return isNpm ? runCommand('node', [cli, ...args], cwd) : runCommand('npm', args, cwd)
}
