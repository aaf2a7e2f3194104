type Members = Record<string, unknown>

/** Deep merge; `second` wins. Lists are replaced, not merged. */
export function mergeMembers(first: object, second: object): Members {
  const merged: Members = { ...first }
  for (const [name, value] of Object.entries(second)) {
    const before = merged[name]
    merged[name] = isObject(before) && isObject(value) ? mergeMembers(before, value) : value
  }
  return merged
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
