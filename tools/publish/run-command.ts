import { spawn } from 'node:child_process'
import { basename } from 'node:path'

/** Runs a command and gives its standard output; throws with everything it said when it fails. */
export async function runCommand(command: string, args: string[], cwd: string): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let all = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    all += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    all += text
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${all}`)
  return out
}

/** Runs npm: the one that started us, else the one on the PATH. */
export function runNpm(args: string[], cwd: string): Promise<string> {
  const cli = process.env.npm_execpath
  const ours = cli !== undefined && basename(cli) === 'npm-cli.js'
  return ours ? runCommand('node', [cli, ...args], cwd) : runCommand('npm', args, cwd)
}
