/** Monotonic time and timers, which do not jump with the wall clock. Tests advance it themselves. */
export interface Scheduler {
  /** Milliseconds since an arbitrary start. */
  elapsedMs(): number
  /** Runs `task` once after `ms`. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
}

/** Real time. Its timers do not keep the process alive. */
export const systemScheduler: Scheduler = {
  elapsedMs: () => performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
