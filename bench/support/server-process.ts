import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export interface ServerProcess<Ready> {
  readonly ready: Ready
  readonly pid: number
  /** From the start of the process to its ready line. */
  readonly startSeconds: number
  stop(): Promise<void>
}

/** Starts a server process and waits for the JSON line that it prints when it is ready. */
export async function startServerProcess<Ready>(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess<Ready>> {
  const started = performance.now()
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const ready = await firstJsonLine<Ready>(child)
  const startSeconds = (performance.now() - started) / 1000
  return {
    ready,
    pid: child.pid ?? 0,
    startSeconds,
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

function firstJsonLine<Ready>(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) return reject(new TypeError('no stdout'))
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line))
    })
    child.once('exit', (code) => reject(new Error(`the server exited with ${code} before it was ready`)))
  })
}

const TICKS_PER_SECOND = 100

/** Returns the CPU time of a process with all its threads, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

/** Returns the CPU time of the processes that a process has started and that still run, in milliseconds. */
export function childrenCpuMsOf(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuMsOf(child), 0)
}

/** Returns the resident memory of a process in MiB. */
export function memoryMibOf(pid: number): number {
  const [kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.slice(1) ?? ['0']
  return Number(kib) / 1024
}

/** Returns the resident memory of a process and of all that it has started, in MiB. */
export function treeMemoryMibOf(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + treeMemoryMibOf(child), memoryMibOf(pid))
}

function childrenOf(pid: number): number[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return names.map(Number)
}

/** Undefined for a process that has ended. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
