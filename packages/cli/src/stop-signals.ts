/** Not SIGHUP: a handler of ours would undo `nohup`. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** A terminal's Ctrl-C reaches every process of the group, and npm passes it on as well: that is still one request. */
const SAME_REQUEST_MS = 500

/** Resolves at the first request to stop. A later one ends the process at once. */
export function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    for (const [signal, exitCode] of Object.entries(SIGNALS)) {
      process.on(signal, () => {
        const now = performance.now()
        firstAt ??= now
        if (now - firstAt > SAME_REQUEST_MS) process.exit(exitCode)
        resolve()
      })
    }
  })
}
