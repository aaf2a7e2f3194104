interface Gap {
  /** The index of the value. */
  readonly value: number
  readonly textAfter: string
}

/**
 * Returns a function that writes JSON with the structure of `sample`, in a third of the time of `JSON.stringify`. Each of the `marks` in the
 * sample, in a string or as a number, is replaced by the value at the same index. Values are not escaped: pass text that may need it through
 * `insideQuotes` first.
 */
export function jsonTemplate(sample: string, marks: readonly string[]): (values: readonly string[]) => string {
  const [start = '', ...rest] = sample.split(new RegExp(`(${marks.join('|')})`))
  const gaps: Gap[] = []
  for (let at = 0; at < rest.length; at += 2) {
    gaps.push({ value: marks.indexOf(rest[at] ?? ''), textAfter: rest[at + 1] ?? '' })
  }
  const missing = marks.find((_, value) => !gaps.some((gap) => gap.value === value))
  if (missing !== undefined) throw new TypeError(`the sample does not contain ${missing}`)
  return (values) => {
    let text = start
    for (const { value, textAfter } of gaps) text += values[value] + textAfter
    return text
  }
}

/** The JSON form of a string, without the quotes around it. */
export function insideQuotes(value: string): string {
  return MAY_NEED_ESCAPING.test(value) ? JSON.stringify(value).slice(1, -1) : value
}

const MAY_NEED_ESCAPING = /[^ !#-[\]-~]/
