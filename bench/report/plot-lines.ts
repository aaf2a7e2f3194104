import { buildAxis, formatTick, niceTicks } from './axis.ts'
import { formatNumber } from './flatten-section.ts'
import type { LinePlot, Series } from './result.ts'
import { element, escapeMarkup, label, line } from './svg.ts'

const WIDTH = 760
const LEFT = 52
const RIGHT = 250
const TOP = 12
const PLOT_HEIGHT = 240
const BOTTOM = 40
const LABEL_HEIGHT = 15
const COLORS = 8
const MOST_DOTS = 12

/** Lines with their names at their right ends. */
export function plotLines({ title, xTitle, isLog, series }: LinePlot): string {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b)
  const scale = isLog ? Math.log10 : (value: number) => value
  const [first = 0, last = 1] = [xs.at(0), xs.at(-1)].map((x) => scale(x ?? 1))
  const xAt = (x: number) => LEFT + ((WIDTH - LEFT - RIGHT) * (scale(x) - first)) / (last - first || 1)
  const axis = buildAxis(series.flatMap(({ points }) => points.map(([, y]) => y)))
  const bottom = TOP + PLOT_HEIGHT
  const yAt = (y: number) => bottom - PLOT_HEIGHT * axis.at(y)
  const xTicks = isLog ? xs : niceTicks(xs.at(-1) ?? 1).filter((x) => x <= (xs.at(-1) ?? 1))
  const ends = spreadLabels(series.map(({ points }) => yAt(points.at(-1)?.[1] ?? 0)))
  const height = Math.max(bottom + BOTTOM, Math.max(...ends, 0) + LABEL_HEIGHT)
  return element(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': title },
    ...axis.ticks.flatMap((tick) => [
      line(LEFT, yAt(tick), WIDTH - RIGHT, yAt(tick), 'grid'),
      label(formatTick(tick), LEFT - 8, yAt(tick) + 4, 'tick end'),
    ]),
    ...xTicks.map((tick) => label(formatTick(tick), xAt(tick), bottom + 16, 'tick middle')),
    label(xTitle, (LEFT + WIDTH - RIGHT) / 2, bottom + 33, 'tick middle'),
    ...series.map((one, at) => drawSeries(one, at, { xAt, yAt, labelY: ends[at] ?? 0 })),
  )
}

interface Place {
  xAt(x: number): number
  yAt(y: number): number
  readonly labelY: number
}

function drawSeries({ name, points }: Series, at: number, { xAt, yAt, labelY }: Place): string {
  const color = `c${at % COLORS}${at < COLORS ? '' : ' again'}`
  const at2d = points.map(([x, y]) => `${xAt(x).toFixed(1)},${yAt(y).toFixed(1)}`)
  const dots = points.length > MOST_DOTS ? [] : points
  const end = points.at(-1) ?? [0, 0]
  return element(
    'g',
    { class: color },
    element('polyline', { points: at2d.join(' '), class: 'series' }),
    ...dots.map(([x, y]) =>
      element(
        'circle',
        { cx: xAt(x), cy: yAt(y), r: 3.5, class: 'dot' },
        element('title', {}, escapeMarkup(`${name}: ${formatNumber(y, 3)} at ${x.toLocaleString('en-US')}`)),
      ),
    ),
    line(xAt(end[0]) + 6, yAt(end[1]), xAt(end[0]) + 18, labelY, 'lead'),
    label(name, xAt(end[0]) + 22, labelY + 4, 'name'),
  )
}

/** Moves labels down until none covers another; keeps their order from top to bottom. */
export function spreadLabels(wanted: readonly number[]): number[] {
  const placed = [...wanted]
  let lowest = Number.NEGATIVE_INFINITY
  for (const at of wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))) {
    lowest = Math.max(wanted[at] ?? 0, lowest + LABEL_HEIGHT)
    placed[at] = lowest
  }
  return placed
}
