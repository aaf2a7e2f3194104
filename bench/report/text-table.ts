import type { FlatTable } from './flatten-section.ts'

/** Formats a plain text table: names left-aligned, numbers right-aligned. */
export function buildTextTable({ header, rows }: FlatTable): string {
  const lines = [header, ...rows]
  const widths = header.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  const pad = (text: string, at: number) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}
