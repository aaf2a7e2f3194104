const TEXTS = /"(?:[^"\\]|\\.)*"/gs
const ENDING = /(?:^|[\s"')\]])(?:sort\s+by|skip\s+\d+|limit\s+(?:-?\d+|none))(?:\s|$)/i

/** Whether a filter ends in `sort by`, `skip` or `limit`, and so says itself which of them come, and in which order. */
export function hasFilterEnding(filter: string): boolean {
  return ENDING.test(filter.replaceAll(TEXTS, '""'))
}
