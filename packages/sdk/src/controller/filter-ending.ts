const STRING_LITERALS = /"(?:[^"\\]|\\.)*"/gs
const ENDING = /(?:^|[\s"')\]])(?:sort\s+by|skip\s+\d+|limit\s+(?:-?\d+|none))(?:\s|$)/i

/** Whether a filter has a `sort by`, `skip` or `limit` clause of its own. */
export function hasFilterEnding(filter: string): boolean {
  return ENDING.test(filter.replaceAll(STRING_LITERALS, '""'))
}
