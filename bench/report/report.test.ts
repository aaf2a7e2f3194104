import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { flattenSection } from './flatten-section.ts'
import { buildMarkdown, buildMarkdownTable } from './markdown.ts'
import { type BenchResult, isMet, type Section } from './result.ts'
import { buildTextTable } from './text-table.ts'

const section: Section = {
  title: 'Some <calls>',
  text: 'With one & more.',
  columns: [
    { key: 'perSecond', title: 'per s', digits: 0 },
    { key: 'cpuMs', title: 'CPU ms', digits: 3 },
  ],
  rows: [
    {
      name: 'good',
      measures: { perSecond: { value: 12_345.6 }, cpuMs: { value: 0.1, bare: 0.05, target: { atMost: 0.1 } } },
    },
    { name: 'slow | odd', measures: { cpuMs: { value: 0.101, target: { atMost: 0.1 } } } },
  ],
}

const result: BenchResult = {
  startedAt: '2026-06-01T12:00:00.000Z',
  machine: ['2 cores', '8 GiB of memory'],
  isQuick: false,
  parts: [{ part: 'some', seconds: 1, sections: [section] }],
}

describe('the bench report', () => {
  it('reports whether each target is met, with its boundary included', () => {
    assert.equal(isMet({ value: 1, target: { atMost: 1 } }), true)
    assert.equal(isMet({ value: 1.01, target: { atMost: 1 } }), false)
    assert.equal(isMet({ value: 1, target: { atLeast: 1 } }), true)
    assert.equal(isMet({ value: 0.99, target: { atLeast: 1 } }), false)
    assert.equal(isMet({ value: 1 }), undefined)
  })

  it('shows each value with its bare value and target, and leaves out empty columns', () => {
    const table = flattenSection(section)
    assert.deepEqual(table.header, ['', 'per s', 'CPU ms', 'bare', 'target', 'result'])
    assert.deepEqual(table.rows, [
      ['good', '12,346', '0.100', '0.050', '≤ 0.1', 'met'],
      ['slow | odd', '', '0.101', '', '≤ 0.1', 'not met'],
    ])
  })

  it('aligns the columns of a text table', () => {
    const lines = buildTextTable({
      header: ['', 'per s'],
      rows: [
        ['a', '1'],
        ['long', '12,345'],
      ],
    }).split('\n')
    assert.deepEqual(lines, ['       per s', 'a          1', 'long  12,345'])
  })

  it('escapes pipes in the cells of a Markdown table', () => {
    const lines = buildMarkdownTable(flattenSection(section)).split('\n')
    assert.equal(lines[1], '|---|--:|--:|--:|--:|--:|')
    assert.equal(lines[3], '| slow \\| odd |  | 0.101 |  | ≤ 0.1 | not met |')
    assert.match(buildMarkdown(result), /^2026-06-01: 2 cores, 8 GiB of memory\.\n\n### Some <calls>\n/)
  })

  it('says in Markdown that a run was too short, and why a part failed', () => {
    const failed = {
      ...result,
      isQuick: true,
      parts: [{ part: 'some', seconds: 1, sections: [], failure: 'no <port>' }],
    }
    assert.match(buildMarkdown(failed), /`--quick`: not reliable.*`some` failed: no <port>/s)
    assert.doesNotMatch(buildMarkdown(result), /not reliable|failed/)
  })
})
