import type { FlatTable } from './flatten-section.ts'

/** For terminals: the names to the left, the numbers to the right. */
export function buildTextTable({ heads, rows }: FlatTable): string {
  const lines = [heads, ...rows]
  const widths = heads.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  const pad = (text: string, at: number) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}
