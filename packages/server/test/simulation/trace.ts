import type { Scheduler } from '../../src/platform/scheduler.ts'

/** What happened in a simulation, in order, and which rules were violated. */
export class Trace {
  readonly #scheduler: Scheduler
  readonly #lines: string[] = []
  readonly violations: string[] = []

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  note(event: string): void {
    this.#lines.push(`${this.#scheduler.elapsedMs().toFixed(1).padStart(8)} ms  ${event}`)
  }

  violate(rule: string): void {
    this.violations.push(rule)
    this.note(`VIOLATION: ${rule}`)
  }

  toString(): string {
    return this.#lines.join('\n')
  }
}
