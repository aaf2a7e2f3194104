import type { FuzzInput, FuzzTarget } from './fuzz-target.ts'
import { createRandom } from './random.ts'
import { shrinkInput } from './shrink-input.ts'

export interface FuzzOptions {
  readonly runs: number
  readonly seed: number
  readonly progressEveryMs?: number
  readonly onProgress?: (progress: { readonly done: number; readonly perSecond: number }) => void
}

export interface FuzzFinding {
  /** The error that was thrown, or the time that it took. */
  readonly fault: string
  readonly input: FuzzInput
}

export interface FuzzReport {
  readonly runs: number
  readonly accepted: number
  readonly perSecond: number
  readonly slowestMs: number
  readonly findings: readonly FuzzFinding[]
}

export const SLOW_MS = 100
const MAX_FINDINGS = 10
const RERUNS = 3

/** Feeds generated inputs to a target. Each fault is reported once. Stops early after ten faults. */
export function runTarget(target: FuzzTarget, options: FuzzOptions): FuzzReport {
  const { runs, seed, progressEveryMs = 1000, onProgress } = options
  const nextInput = target.createInputs(createRandom(seed))
  const findings = new Map<string, FuzzFinding>()
  const started = performance.now()
  let reported = started
  let accepted = 0
  let slowestMs = 0
  let done = 0
  while (done < runs && findings.size < MAX_FINDINGS) {
    const input = nextInput()
    const before = performance.now()
    const result = run(target, input)
    const now = performance.now()
    done += 1
    if (result.accepted) accepted += 1
    if (result.fault !== undefined && !findings.has(result.fault)) {
      const { fault } = result
      const small = shrinkInput(input, (smaller) => run(target, smaller).fault === fault)
      findings.set(fault, { fault, input: small })
    }
    if (now - before > slowestMs) slowestMs = confirmedMs(target, input, now - before, slowestMs)
    if (slowestMs > SLOW_MS && !findings.has('slow')) findings.set('slow', { fault: `took ${slowestMs} ms`, input })
    if (onProgress && now - reported > progressEveryMs) {
      reported = now
      onProgress({ done, perSecond: perSecond(done, now - started) })
    }
  }
  const elapsedMs = performance.now() - started
  return { runs: done, accepted, perSecond: perSecond(done, elapsedMs), slowestMs, findings: [...findings.values()] }
}

interface RunResult {
  readonly accepted: boolean
  readonly fault?: string
}

function run(target: FuzzTarget, input: FuzzInput): RunResult {
  try {
    return { accepted: target.accepts(input) }
  } catch (error) {
    return { accepted: false, fault: describe(error) }
  }
}

/** Repeats a slow run and returns the shortest time, because the machine may have been busy. */
function confirmedMs(target: FuzzTarget, input: FuzzInput, firstMs: number, knownMs: number): number {
  let bestMs = firstMs
  for (let left = RERUNS; left > 0 && bestMs > knownMs; left -= 1) {
    const before = performance.now()
    run(target, input)
    bestMs = Math.min(bestMs, performance.now() - before)
  }
  return Math.max(bestMs, knownMs)
}

/** Identifies a fault by error class, message and source location. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)}`
  const location = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return `${error.name}: ${error.message.slice(0, 200)} ${location?.trim() ?? ''}`
}

function perSecond(done: number, elapsedMs: number): number {
  return Math.round((done / Math.max(elapsedMs, 1)) * 1000)
}
