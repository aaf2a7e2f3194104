/** The line of a rule with a mistake, and a mark below its column. */
export interface MarkedLine {
  readonly line: string
  readonly mark: string
}

/** Finds the position that an error of the server has, in the text of the rule. */
export function findMarkedLine(rule: string, error: string): MarkedLine | undefined {
  const [, line, column] = /line (\d+), column (\d+)/.exec(error) ?? []
  const text = rule.split('\n')[Number(line) - 1]
  if (text === undefined || column === undefined) return undefined
  return { line: text, mark: `${' '.repeat(Number(column) - 1)}^` }
}
