import { type FlatTable, flattenSection, MET, NOT_MET } from './flatten-section.ts'
import { plotBars } from './plot-bars.ts'
import { plotLines } from './plot-lines.ts'
import type { BenchResult, PartResult, Plot, Section } from './result.ts'
import { element, escapeMarkup } from './svg.ts'

const STYLE = `
:root { color-scheme: light dark; --paper: #fcfcfb; --ink: #1c1c1a; --soft: #6b6a65; --rule: #e2e1dc; --bar: #2f6fb5;
  --bare: #a9a79f; --aim: #1c1c1a; --good: #1a7f37; --bad: #c0362c;
  --c0: #2f6fb5; --c1: #c8641b; --c2: #2a8a57; --c3: #a3408f; --c4: #8a7412; --c5: #c0362c; --c6: #4a8fa8; --c7: #6a5acd }
@media (prefers-color-scheme: dark) { :root { --paper: #1a1a19; --ink: #f0efea; --soft: #a3a29b; --rule: #3a3936;
  --bar: #6ea8e5; --bare: #6f6e68; --aim: #f0efea; --good: #5cc27a; --bad: #ff8a7d;
  --c0: #6ea8e5; --c1: #eb9a5b; --c2: #63c08d; --c3: #d687c5; --c4: #cdb551; --c5: #ff8a7d; --c6: #86c5db; --c7: #a99df5 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 84rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif }
h1 { margin: 0 0 .25rem; font-size: 1.6rem } h2 { margin: 2.5rem 0 .25rem; font-size: 1.15rem }
h3 { margin: 1.5rem 0 .25rem; font-size: .95rem; font-weight: 600 } p { margin: .25rem 0 1rem; color: var(--soft); max-width: 46rem }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left; padding-left: 0 } th { color: var(--soft); font-weight: 500 }
.met { color: var(--good) } .not-met { color: var(--bad); font-weight: 600 } .failure { color: var(--bad) }
svg { display: block; width: 100%; max-width: 58rem; height: auto; font-size: 12px }
text { fill: var(--ink) } .tick { fill: var(--soft) } .middle { text-anchor: middle } .end { text-anchor: end }
.value { font-variant-numeric: tabular-nums } .value.bad { fill: var(--bad) }
.grid { stroke: var(--rule) } .bar { fill: var(--bar) } .bare { fill: var(--bare) } .aim { stroke: var(--aim); stroke-width: 2 }
.series { fill: none; stroke: var(--at); stroke-width: 2; stroke-linejoin: round } .dot { fill: var(--at) } .again .series { stroke-dasharray: 6 4 }
.lead { stroke: var(--at); stroke-width: 1; opacity: .6 }
${Array.from({ length: 8 }, (_, at) => `.c${at} { --at: var(--c${at}) }`).join(' ')}
`

const PLOTS: { readonly [K in Plot['kind']]: (plot: Extract<Plot, { kind: K }>) => string } = {
  bars: plotBars,
  lines: plotLines,
}

const LEGENDS: Readonly<Record<Plot['kind'], string>> = {
  bars: 'Thick bar: Countersign. Thin bar: the bare server in the same run. Stroke: the aim.',
  lines: '',
}

/** The whole result as one page that needs nothing else: no scripts, no fonts, no requests. */
export function buildHtmlPage({ startedAt, machine, isQuick, parts }: BenchResult): string {
  const warning = isQuick ? ' Taken with --quick: too short to rely on.' : ''
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign bench</title>
<style>${STYLE}</style>
<h1>Countersign bench</h1>
<p>${escapeMarkup(`${startedAt.slice(0, 16).replace('T', ' ')} UTC. ${machine.join(', ')}.${warning}`)}</p>
${parts.map(buildPart).join('\n')}
</html>
`
}

function buildPart({ part, sections, failure }: PartResult): string {
  const failed = failure ? element('p', { class: 'failure' }, escapeMarkup(`${part} ended early: ${failure}`)) : ''
  return [...sections.map(buildSection), failed].join('\n')
}

function buildSection(section: Section): string {
  return element(
    'section',
    {},
    element('h2', {}, escapeMarkup(section.title)),
    element('p', {}, escapeMarkup(section.text)),
    element('div', { class: 'wide' }, buildTable(flattenSection(section))),
    ...section.plots.map((plot) => buildPlot(plot)),
  )
}

function buildTable({ heads, rows }: FlatTable): string {
  const cells = (name: string, texts: readonly string[]) => texts.map((text) => buildCell(name, text)).join('')
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, cells('th', heads))),
    element('tbody', {}, ...rows.map((row) => element('tr', {}, cells('td', row)))),
  )
}

const CLASSES: Readonly<Record<string, string>> = { [MET]: 'met', [NOT_MET]: 'not-met' }

function buildCell(name: string, text: string): string {
  const className = CLASSES[text]
  return element(name, className ? { class: className } : {}, escapeMarkup(text))
}

function buildPlot<K extends Plot['kind']>(plot: Extract<Plot, { kind: K }>): string {
  const draw = PLOTS[plot.kind as K]
  const legend = LEGENDS[plot.kind]
  return [
    element('h3', {}, escapeMarkup(plot.title)),
    legend ? element('p', {}, escapeMarkup(legend)) : '',
    draw(plot),
  ].join('')
}
