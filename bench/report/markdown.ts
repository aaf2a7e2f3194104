import { type FlatTable, flattenSection } from './flatten-section.ts'
import type { BenchResult } from './result.ts'

/** Formats a Markdown table with right-aligned numbers. */
export function buildMarkdownTable({ header, rows }: FlatTable): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = `|${header.map((_, at) => (at === 0 ? '---' : '--:')).join('|')}|`
  return [line(header), rule, ...rows.map(line)].join('\n')
}

/** Formats all tables for bench/README.md. */
export function buildMarkdown({ startedAt, machine, isQuick, parts }: BenchResult): string {
  const machineLine = `${startedAt.slice(0, 10)}: ${machine.join(', ')}.`
  const warning = isQuick ? ['Measured with `--quick`: not reliable.'] : []
  const blocks = parts.flatMap(({ part, sections, failure }) => [
    ...sections.flatMap((section) => [
      `### ${section.title}`,
      ...(section.text ? [section.text] : []),
      buildMarkdownTable(flattenSection(section)),
    ]),
    ...(failure ? [`\`${part}\` failed: ${failure}`] : []),
  ])
  return `${[machineLine, ...warning, ...blocks].join('\n\n')}\n`
}
