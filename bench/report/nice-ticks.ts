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
