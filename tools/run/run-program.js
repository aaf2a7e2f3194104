import { spawn } from 'node:child_process'

const keptOutput = 20_000
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Runs a program, and passes this process's signals on to it. Returns its exit code, signal and the end of its output. */
export async function runProgram(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-keptOutput)
    })
  }
  const passOn = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, passOn)
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: -1, signal: null, output: error.message }))
      child.once('close', (code, signal) => resolve({ code, signal, output: output.trim() }))
    })
  } finally {
    for (const signal of signals) process.off(signal, passOn)
  }
}

/** Runs a Node program. Throws with the end of its output when it fails. */
export async function runNode(node, args, { cwd, env = {} }) {
  const { code, signal, output } = await runProgram(node, args, { cwd, env: { ...process.env, NO_COLOR: '1', ...env } })
  if (code !== 0) throw new Error(output || `${args[0]} ended with ${signal ?? code}`)
}
