/** The parts of an issuer, split as text, because not every issuer is a URL. */
export interface IssuerParts {
  /** Lower-case, without `://`; empty when absent. */
  readonly scheme: string
  /** Lower-case. */
  readonly host: string
  /** Empty when absent. */
  readonly port: string
  /** Case as written, with the leading slash, without trailing slashes. */
  readonly path: string
}

const DEFAULT_PORTS: readonly string[] = ['', '80', '443']
const DIGITS = /^\d{1,5}$/

export function splitIssuer(issuer: string): IssuerParts {
  const text = issuer.trim()
  const schemeEnd = text.indexOf('://')
  const rest = schemeEnd < 0 ? text : text.slice(schemeEnd + 3)
  const slash = rest.indexOf('/')
  const authority = slash < 0 ? rest : rest.slice(0, slash)
  const colon = authority.lastIndexOf(':')
  const hasPort = colon >= 0 && DIGITS.test(authority.slice(colon + 1))
  return {
    scheme: schemeEnd < 0 ? '' : text.slice(0, schemeEnd).toLowerCase(),
    host: (hasPort ? authority.slice(0, colon) : authority).toLowerCase(),
    port: hasPort ? authority.slice(colon + 1) : '',
    path: slash < 0 ? '' : withoutTrailingSlashes(rest.slice(slash)),
  }
}

/** Whether two issuers differ at most in trailing slash, letter case, http or https, or a default port. */
export function isSameButForSpelling(left: IssuerParts, right: IssuerParts): boolean {
  const samePort = left.port === right.port || [left, right].every(({ port }) => DEFAULT_PORTS.includes(port))
  return samePort && left.host === right.host && left.path.toLowerCase() === right.path.toLowerCase()
}

/** Names the differences between two issuers that are the same except for spelling. */
export function findSpellingDifferences(left: string, right: string): string[] {
  const [one, other] = [splitIssuer(left), splitIssuer(right)]
  const [leftText, rightText] = [left.trim(), right.trim()]
  const differences: readonly (readonly [boolean, string])[] = [
    [leftText.endsWith('/') !== rightText.endsWith('/'), 'the trailing slash'],
    [one.scheme !== other.scheme, 'http or https'],
    [one.port !== other.port, 'the port'],
    [hostAndPath(leftText, one) !== hostAndPath(rightText, other), 'letter case'],
    [left !== leftText || right !== rightText, 'white space around it'],
  ]
  return differences.flatMap(([differs, words]) => (differs ? [words] : []))
}

/** Host and path, case as written. */
function hostAndPath(text: string, { scheme, host, path }: IssuerParts): string {
  const start = scheme === '' ? 0 : scheme.length + 3
  return text.slice(start, start + host.length) + path
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
