/** Three to six round numbers from 0 to at least `most`, evenly apart. */
export function niceTicks(most: number): number[] {
  if (!(most > 0)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most / 4))
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power * 5 >= most) ?? 10)
  const ticks = [0]
  while ((ticks.at(-1) ?? 0) < most) ticks.push(Number((ticks.length * step).toPrecision(12)))
  return ticks
}

/** A number on an axis, in as few characters as tell it. */
export function formatTick(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`
  return String(Number(value.toPrecision(3)))
}

/** Where numbers stand on an axis: 0 at its beginning, 1 at its end. */
export interface Axis {
  readonly ticks: readonly number[]
  readonly isLog: boolean
  at(value: number): number
}

/** Numbers that are so many times apart would hide the smaller ones on an even axis. */
const LOG_FROM = 30

/** An axis that begins at 0, or one of powers of ten where the numbers are far apart. */
export function buildAxis(values: readonly number[]): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values, 0)]
  if (!(least > 0 && most / least > LOG_FROM)) {
    const ticks = niceTicks(most)
    return { ticks, isLog: false, at: (value) => value / (ticks.at(-1) ?? 1) }
  }
  const [from, to] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))]
  const ticks = Array.from({ length: to - from + 1 }, (_, step) => Number((10 ** (from + step)).toPrecision(1)))
  return { ticks, isLog: true, at: (value) => (Math.log10(value) - from) / (to - from) }
}
