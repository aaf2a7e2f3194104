/** Not SIGHUP: a handler would override `nohup`. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** Ctrl-C reaches every process of the group, and npm forwards it too: signals within this time are one request. */
const SAME_REQUEST_MS = 500

/** Resolves at the first signal. A later one exits the process at once. */
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
