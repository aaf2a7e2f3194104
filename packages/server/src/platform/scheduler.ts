/** Time for waiting: it never jumps when somebody sets the wall clock. Tests move it by hand. */
export interface Scheduler {
  /** Milliseconds since some moment. */
  elapsedMs(): number
  /** Runs it once after so long; calling what is answered prevents that. */
  after(ms: number, run: () => void): () => void
}

/** Real time. It never keeps the process alive. */
export const systemScheduler: Scheduler = {
  elapsedMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
