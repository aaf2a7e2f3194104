/** Resolves when the reader of stdout has closed the pipe, which is noticed at the next write. */
export function waitForClosedOutput(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') resolve()
    })
  })
}
