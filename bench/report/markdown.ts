import { type FlatTable, flattenSection } from './flatten-section.ts'
import type { BenchResult } from './result.ts'

/** A table of Markdown, numbers to the right. */
export function buildMarkdownTable({ heads, rows }: FlatTable): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = `|${heads.map((_, at) => (at === 0 ? '---' : '--:')).join('|')}|`
  return [line(heads), rule, ...rows.map(line)].join('\n')
}

/** All tables, as they stand in bench/README.md. */
export function buildMarkdown({ startedAt, machine, isQuick, parts }: BenchResult): string {
  const about = `${startedAt.slice(0, 10)}: ${machine.join(', ')}.`
  const warning = isQuick ? ['Taken with `--quick`: too short to rely on.'] : []
  const sections = parts.flatMap(({ part, sections: found, failure }) => [
    ...found.flatMap((section) => [
      `### ${section.title}`,
      ...(section.text ? [section.text] : []),
      buildMarkdownTable(flattenSection(section)),
    ]),
    ...(failure ? [`\`${part}\` ended early: ${failure}`] : []),
  ])
  return `${[about, ...warning, ...sections].join('\n\n')}\n`
}
