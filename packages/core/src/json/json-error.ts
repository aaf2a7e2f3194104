/** Why `readJson` refused a text, and where: offset from 0 in characters, line and column from 1. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly reason: string
  readonly position: number
  readonly line: number
  readonly column: number

  constructor(reason: string, text: string, position: number) {
    let line = 1
    let lineStart = 0
    for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) {
      line += 1
      lineStart = at + 1
    }
    const column = position - lineStart + 1
    super(`${reason} at line ${line}, column ${column}`)
    this.reason = reason
    this.position = position
    this.line = line
    this.column = column
  }
}
