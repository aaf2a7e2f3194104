import type { Column, LinePlot, Measure, Row, Section } from '../report/result.ts'

/** What was measured at one size: rows of operations, and single figures such as memory. */
export interface SizeFigures {
  readonly size: number
  readonly rows: readonly Row[]
}

interface GrowthKind {
  readonly key: string
  readonly title: string
  readonly digits: number
}

/**
 * One of the measured kinds at every size, and how the last compares with the first. Flat is 1; what grows with the logarithm
 * grows as the number of digits does, and that is the most that is aimed at.
 */
export function buildGrowthSection(
  title: string,
  what: string,
  { key, title: unit, digits }: GrowthKind,
  figures: readonly SizeFigures[],
): Section {
  const names = figures[0]?.rows.flatMap(({ name, measures }) => (measures[key] ? [name] : [])) ?? []
  const at = ({ rows }: SizeFigures, name: string) => rows.find((row) => row.name === name)?.measures[key]
  const sizes = figures.map(({ size }) => size)
  const columns: Column[] = [
    ...sizes.map((size) => ({ key: String(size), title: size.toLocaleString('en-US'), digits })),
    { key: 'ratio', title: 'last to first', digits: 2 },
  ]
  const rows = names.map((name): Row => {
    const found = figures.flatMap((figure): [string, Measure][] => {
      const measure = at(figure, name)
      return measure ? [[String(figure.size), withoutAim(measure)]] : []
    })
    const [first, last] = [found.at(0)?.[1].value ?? 0, found.at(-1)?.[1].value ?? 0]
    const ratio = { value: last / first, aim: { atMost: logarithmicRatio(sizes) } }
    return { name, measures: { ...Object.fromEntries(found), ratio } }
  })
  const plot: LinePlot = {
    kind: 'lines',
    title: `${unit}, by the number of ${what}`,
    xTitle: what,
    isLog: true,
    series: names.map((name) => ({
      name,
      points: figures.map((figure): [number, number] => [figure.size, at(figure, name)?.value ?? 0]),
    })),
  }
  return {
    title: `${title}: ${unit}`,
    text: `By the number of ${what}. Last to first: 1 is flat, and at most as much as the logarithm of the number grows is aimed at.`,
    columns,
    rows,
    plots: [plot],
  }
}

/** How much the logarithm grows from the smallest size to the largest. */
export function logarithmicRatio(sizes: readonly number[]): number {
  const [first = 1, last = 1] = [sizes.at(0), sizes.at(-1)]
  return first > 1 ? Math.round((100 * Math.log(last)) / Math.log(first)) / 100 : 1
}

const withoutAim = ({ value, bare }: Measure): Measure => (bare === undefined ? { value } : { value, bare })
