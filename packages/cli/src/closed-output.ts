/** Resolves when nobody reads the results any more; a pipe tells so when something is written to it. */
export function waitForClosedOutput(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') resolve()
    })
  })
}
