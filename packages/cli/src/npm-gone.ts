const CHECK_MS = 500

/** Resolves when this process was started by `npm start` and npm is gone: killed outright, it cannot pass that on. */
export function waitForNpmGone(): Promise<void> {
  return new Promise((resolve) => {
    if (process.env.npm_lifecycle_event !== 'start') return
    const parent = process.ppid
    const timer = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(timer)
      resolve()
    }, CHECK_MS)
    timer.unref()
  })
}
