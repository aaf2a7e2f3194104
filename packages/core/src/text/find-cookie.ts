/** Returns the value of a cookie. Undefined when it is absent or empty, or present twice, because then it is unclear which one is ours. */
export function findCookie(header: string, name: string): string | undefined {
  const own = header.split(';').filter((pair) => pair.trimStart().startsWith(`${name}=`))
  const [pair] = own
  if (pair === undefined || own.length > 1) return undefined
  return pair.slice(pair.indexOf('=') + 1).trim() || undefined
}
