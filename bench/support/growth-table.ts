import type { Column, Measure, Row, Section } from '../report/result.ts'

/** The measures at one size: operations, start time and memory. */
export interface SizeFigures {
  readonly size: number
  readonly rows: readonly Row[]
}

interface GrowthKind {
  readonly key: string
  readonly title: string
  readonly digits: number
}

/** Builds the table of one measure at every size, with the ratio of the last to the first. The target is logarithmic growth. */
export function buildGrowthSection(
  title: string,
  unit: string,
  { key, title: kind, digits }: GrowthKind,
  figures: readonly SizeFigures[],
): Section {
  const names = figures[0]?.rows.flatMap(({ name, measures }) => (measures[key] ? [name] : [])) ?? []
  const findMeasure = ({ rows }: SizeFigures, name: string) => rows.find((row) => row.name === name)?.measures[key]
  const sizes = figures.map(({ size }) => size)
  const columns: Column[] = [
    ...sizes.map((size) => ({ key: String(size), title: size.toLocaleString('en-US'), digits })),
    { key: 'ratio', title: 'last / first', digits: 2 },
  ]
  const rows = names.map((name): Row => {
    const cells = figures.flatMap((figure): [string, Measure][] => {
      const measure = findMeasure(figure, name)
      return measure ? [[String(figure.size), withoutTarget(measure)]] : []
    })
    const [first, last] = [cells.at(0)?.[1].value ?? 0, cells.at(-1)?.[1].value ?? 0]
    const ratio = { value: last / first, target: { atMost: logarithmicRatio(sizes) } }
    return { name, measures: { ...Object.fromEntries(cells), ratio } }
  })
  return {
    title: `${title}: ${kind}`,
    text: `By the number of ${unit}. In the column "last / first", 1 is no growth; the target is logarithmic growth.`,
    columns,
    rows,
  }
}

/** Returns the logarithm of the largest size divided by that of the smallest. */
export function logarithmicRatio(sizes: readonly number[]): number {
  const [first = 1, last = 1] = [sizes.at(0), sizes.at(-1)]
  return first > 1 ? Math.round((100 * Math.log(last)) / Math.log(first)) / 100 : 1
}

const withoutTarget = ({ value, bare }: Measure): Measure => (bare === undefined ? { value } : { value, bare })
