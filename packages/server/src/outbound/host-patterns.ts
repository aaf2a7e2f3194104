/** Normalises a host name for comparison: lower case, without a trailing dot. */
export function comparableHost(host: string): string {
  const name = host.toLowerCase()
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** Whether a host matches one of the patterns: an exact name, or `*.suffix` for every subdomain of the suffix. */
export function matchesHost(host: string, patterns: readonly string[]): boolean {
  const name = comparableHost(host)
  return patterns.some((pattern) => {
    const wanted = comparableHost(pattern)
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1 : name === wanted
  })
}
