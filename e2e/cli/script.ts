/** One step of a script and its expected results. */
export interface Step {
  readonly line: number
  /** `run` waits for the command, `start` for the ready line of a controller, `stop` ends that controller. */
  readonly kind: 'run' | 'start' | 'stop'
  readonly command: string
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
  readonly exitCode: number
}

type Draft = { -readonly [K in keyof Step]: Step[K] extends readonly string[] ? string[] : Step[K] }

/**
 * Parses a script:
 *
 *     # a comment
 *     $ a shell command
 *     a line of its stdout
 *     ! a line of its stderr
 *     ? its exit status, 0 if omitted
 *     & countersign up …      starts a controller and waits until it is ready
 *     & stop                  asks it to stop
 *
 * In an expected line `[..]` matches any text and `$NAME` is a variable; the line `...` matches any lines. Empty lines are ignored on both
 * sides.
 */
export function parseScript(text: string): Step[] {
  const steps: Draft[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const mark = line.slice(0, 2)
    const rest = line.slice(2)
    const step = steps.at(-1)
    if (line === '' || line.startsWith('#')) continue
    if (mark === '$ ' || mark === '& ') {
      const kind = mark === '$ ' ? 'run' : rest === 'stop' ? 'stop' : 'start'
      steps.push({ line: index + 1, kind, command: rest, stdout: [], stderr: [], exitCode: 0 })
    } else if (!step) throw new TypeError(`line ${index + 1}: an expectation without a command`)
    else if (mark === '? ') step.exitCode = Number(rest)
    else if (mark === '! ') step.stderr.push(rest)
    else step.stdout.push(line)
  }
  return steps
}

/** Whether `lines` match `expected`, by the rules of parseScript. */
export function matchesLines(expected: readonly string[], lines: readonly string[]): boolean {
  const [first, ...rest] = expected
  if (first === undefined) return lines.length === 0
  if (first === '...') return lines.some((_, index) => matchesLines(rest, lines.slice(index))) || matchesLines(rest, [])
  const [line, ...after] = lines
  return line !== undefined && matchesLine(first, line) && matchesLines(rest, after)
}

function matchesLine(expected: string, line: string): boolean {
  const parts = expected.split('[..]')
  const [head = '', ...middle] = parts
  const tail = middle.pop()
  if (tail === undefined) return line === expected
  if (!line.startsWith(head) || !line.endsWith(tail) || line.length < head.length + tail.length) return false
  let from = head.length
  for (const part of middle) {
    const found = line.slice(0, line.length - tail.length).indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return from <= line.length - tail.length
}

/** Replaces `$NAME`; leaves unknown variables. */
export function expandVariables(text: string, variables: { readonly [name: string]: string }): string {
  return text.replace(/\$([A-Z_]+)/g, (whole, name: string) => variables[name] ?? whole)
}
