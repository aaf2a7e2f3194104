/** Shows on stderr that something goes on: a line that counts seconds on a terminal, else one at the start and one at the end. */
export function showProgress(what) {
  const started = performance.now()
  const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`
  const terminal = process.stderr.isTTY
  const draw = () => process.stderr.write(`\r${what} (first time and after updates) ... ${seconds()} `)
  if (!terminal) process.stderr.write(`${what} ...\n`)
  else draw()
  const timer = terminal ? setInterval(draw, 1000) : undefined
  return {
    end(ok) {
      clearInterval(timer)
      const word = ok ? 'done' : 'failed'
      process.stderr.write(
        terminal ? `\r\x1b[K${what}: ${word} in ${seconds()}\n` : `${what}: ${word} in ${seconds()}\n`,
      )
    },
  }
}
