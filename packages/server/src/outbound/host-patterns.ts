/** A host name as it is compared: lower case, without the dot that may end it. */
export function comparableHost(host: string): string {
  const name = host.toLowerCase()
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** Whether a host is named by one of the patterns: an exact name, or `*.suffix` for anything below the suffix. */
export function matchesHost(host: string, patterns: readonly string[]): boolean {
  const name = comparableHost(host)
  return patterns.some((pattern) => {
    const wanted = comparableHost(pattern)
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1 : name === wanted
  })
}
