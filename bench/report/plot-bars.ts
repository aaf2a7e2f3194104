import { formatTick, niceTicks } from './axis.ts'
import { formatAim, formatNumber } from './flatten-section.ts'
import { type BarPlot, isMet } from './result.ts'
import { element, escapeMarkup, label, line } from './svg.ts'

const WIDTH = 760
const NAMES = 300
const VALUES = 90
const ROW = 26
const TOP = 8
const BOTTOM = 22

/** One bar for each row; a thin bar below it is the bare server, a stroke across it the aim. */
export function plotBars({ title, bars }: BarPlot): string {
  const numbers = bars.flatMap(({ measure: { value, bare = 0, aim } }) => [value, bare, ...Object.values(aim ?? {})])
  const ticks = niceTicks(Math.max(...numbers))
  const most = ticks.at(-1) ?? 1
  const x = (value: number) => NAMES + ((WIDTH - NAMES - VALUES) * value) / most
  const bottom = TOP + bars.length * ROW
  const grid = ticks.flatMap((tick) => [
    line(x(tick), TOP, x(tick), bottom, 'grid'),
    label(formatTick(tick), x(tick), bottom + 15, 'tick middle'),
  ])
  const rows = bars.map(({ name, measure }, at) => {
    const y = TOP + at * ROW
    const { value, bare, aim } = measure
    const told = [
      `${name}: ${formatNumber(value, 3)}`,
      ...(bare === undefined ? [] : [`bare ${formatNumber(bare, 3)}`]),
      ...(aim ? [`aim ${formatAim(aim)}`] : []),
    ].join(', ')
    return element(
      'g',
      {},
      element('title', {}, escapeMarkup(told)),
      label(name, NAMES - 8, y + 15, 'name end'),
      element('rect', { x: NAMES, y: y + 4, width: Math.max(1, x(value) - NAMES), height: 10, rx: 2, class: 'bar' }),
      bare === undefined
        ? ''
        : element('rect', { x: NAMES, y: y + 16, width: Math.max(1, x(bare) - NAMES), height: 4, class: 'bare' }),
      ...Object.values(aim ?? {}).map((wanted) => line(x(wanted), y + 1, x(wanted), y + 22, 'aim')),
      label(formatShort(value), x(value) + 6, y + 13, `value ${statusOf(isMet(measure))}`),
    )
  })
  const height = bottom + BOTTOM
  return element('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': title }, ...grid, ...rows)
}

const statusOf = (met: boolean | undefined): string => (met === false ? 'bad' : '')

const formatShort = (value: number): string => formatNumber(value, value >= 100 ? 0 : value >= 10 ? 1 : 3)
