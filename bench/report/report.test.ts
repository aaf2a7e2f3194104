import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildAxis, niceTicks } from './axis.ts'
import { flattenSection } from './flatten-section.ts'
import { buildHtmlPage } from './html-page.ts'
import { buildMarkdown, buildMarkdownTable } from './markdown.ts'
import { plotBars } from './plot-bars.ts'
import { plotLines, spreadLabels } from './plot-lines.ts'
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
      measures: { perSecond: { value: 12_345.6 }, cpuMs: { value: 0.1, bare: 0.05, aim: { atMost: 0.1 } } },
    },
    { name: 'slow | odd', measures: { cpuMs: { value: 0.101, aim: { atMost: 0.1 } } } },
  ],
  plots: [
    { kind: 'bars', title: 'CPU', bars: [{ name: 'good', measure: { value: 0.1, bare: 0.05, aim: { atMost: 0.1 } } }] },
    {
      kind: 'lines',
      title: 'growth',
      xTitle: 'identities',
      isLog: true,
      series: [
        {
          name: 'login',
          points: [
            [1000, 0.2],
            [1_000_000, 0.25],
          ],
        },
      ],
    },
  ],
}

const result: BenchResult = {
  startedAt: '2026-06-01T12:00:00.000Z',
  machine: ['2 cores', '8 GiB of memory'],
  isQuick: false,
  parts: [{ part: 'some', seconds: 1, sections: [section] }],
}

describe('the report of the bench', () => {
  it('says of each aim whether it is met, its edge included', () => {
    assert.equal(isMet({ value: 1, aim: { atMost: 1 } }), true)
    assert.equal(isMet({ value: 1.01, aim: { atMost: 1 } }), false)
    assert.equal(isMet({ value: 1, aim: { atLeast: 1 } }), true)
    assert.equal(isMet({ value: 0.99, aim: { atLeast: 1 } }), false)
    assert.equal(isMet({ value: 1 }), undefined)
  })

  it('puts each number beside its baseline and its aim, and leaves out what no row has', () => {
    const table = flattenSection(section)
    assert.deepEqual(table.heads, ['', 'per s', 'CPU ms', 'bare', 'aim', 'is'])
    assert.deepEqual(table.rows, [
      ['good', '12,346', '0.100', '0.050', '≤ 0.1', 'met'],
      ['slow | odd', '', '0.101', '', '≤ 0.1', 'not met'],
    ])
  })

  it('lines up the columns of a text table', () => {
    const lines = buildTextTable({
      heads: ['', 'per s'],
      rows: [
        ['a', '1'],
        ['long', '12,345'],
      ],
    }).split('\n')
    assert.deepEqual(lines, ['       per s', 'a          1', 'long  12,345'])
  })

  it('escapes what would end a cell of a Markdown table', () => {
    const lines = buildMarkdownTable(flattenSection(section)).split('\n')
    assert.equal(lines[1], '|---|--:|--:|--:|--:|--:|')
    assert.equal(lines[3], '| slow \\| odd |  | 0.101 |  | ≤ 0.1 | not met |')
    assert.match(buildMarkdown(result), /^2026-06-01: 2 cores, 8 GiB of memory\.\n\n### Some <calls>\n/)
  })

  it('says in Markdown and HTML when a run was too short, and why a part ended early', () => {
    const early = {
      ...result,
      isQuick: true,
      parts: [{ part: 'some', seconds: 1, sections: [], failure: 'no <luck>' }],
    }
    assert.match(buildMarkdown(early), /too short to rely on.*`some` ended early: no <luck>/s)
    assert.match(buildHtmlPage(early), /too short to rely on.*some ended early: no &lt;luck&gt;/s)
    assert.doesNotMatch(buildHtmlPage(result), /too short/)
  })

  it('makes a page that asks nobody for anything', () => {
    const page = buildHtmlPage(result)
    assert.match(page, /<h2>Some &lt;calls&gt;<\/h2>/)
    assert.equal(page.split('<svg').length - 1, 2)
    assert.doesNotMatch(page, /<script|<link|<img|src=|href=|url\(|@import|https?:/)
  })

  it('draws bars as long as their numbers, with the baseline and the aim', () => {
    const bar = (value: number) => ({ name: `bar ${value}`, measure: { value } })
    const svg = plotBars({ kind: 'bars', title: 'bars', bars: [bar(5000), bar(10_000)] })
    assert.match(svg, />10,000</)
    const widths = [...svg.matchAll(/width="([\d.]+)"[^>]*class="bar"/g)].map(([, width]) => Number(width))
    assert.equal(widths.length, 2)
    assert.equal(widths[1], 2 * (widths[0] ?? 0))
    assert.doesNotMatch(svg, /class="bare"|class="aim"/)
    const whole = plotBars({
      kind: 'bars',
      title: 'bars',
      bars: [{ name: 'x', measure: { value: 1, bare: 1, aim: { atMost: 1 } } }],
    })
    assert.match(whole, /class="bare".*class="aim"/s)
  })

  it('draws a flat line flat, and sizes that grow tenfold at even distances', () => {
    const points = [10, 100, 1000].map((x): [number, number] => [x, 3])
    const svg = plotLines({ kind: 'lines', title: 'l', xTitle: 'x', isLog: true, series: [{ name: 'flat', points }] })
    const drawn =
      /points="([^"]+)"/
        .exec(svg)?.[1]
        ?.split(' ')
        .map((point) => point.split(',').map(Number)) ?? []
    const [first = [], second = [], third = []] = drawn
    assert.equal(new Set(drawn.map(([, y]) => y)).size, 1)
    assert.ok(Math.abs((second[0] ?? 0) - (first[0] ?? 0) - ((third[0] ?? 0) - (second[0] ?? 0))) < 0.2)
  })

  it('keeps labels from covering each other', () => {
    const placed = spreadLabels([50, 10, 51, 12]).sort((a, b) => a - b)
    for (const [at, y] of placed.entries()) assert.ok(at === 0 || y - (placed[at - 1] ?? 0) >= 15)
    assert.deepEqual(spreadLabels([10, 100]), [10, 100])
  })

  it('marks an axis with a few round numbers that reach the largest', () => {
    assert.deepEqual(niceTicks(1), [0, 0.2, 0.4, 0.6, 0.8, 1])
    assert.deepEqual(niceTicks(0), [0, 1])
    for (const most of [0.0123, 0.7, 3, 47, 999, 12_345, 5e6]) {
      const ticks = niceTicks(most)
      assert.ok((ticks.at(-1) ?? 0) >= most && ticks.length >= 3 && ticks.length <= 7, `${most}: ${ticks.join()}`)
    }
  })

  it('puts numbers that are far apart on an axis of powers of ten, so that the small ones can be told apart', () => {
    const even = buildAxis([1, 2, 4])
    assert.equal(even.isLog, false)
    assert.equal(even.at(0), 0)
    const far = buildAxis([0.2, 2, 200])
    assert.equal(far.isLog, true)
    assert.deepEqual(far.ticks, [0.1, 1, 10, 100, 1000])
    assert.equal(far.at(1), 0.25)
    assert.equal(far.at(100), 0.75)
  })
})
