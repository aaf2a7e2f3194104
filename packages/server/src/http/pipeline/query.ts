import { AppError } from '@countersign/core'

/** The query parameters by name. First value wins; unknown parameters are ignored. */
export interface Query extends ReadonlyMap<string, string> {
  /** Every value of a parameter that may be given more than once, in order. */
  all(name: string): readonly string[]
}

class Parameters extends Map<string, string> implements Query {
  readonly #repeated: (readonly [name: string, value: string])[] = []

  add(name: string, value: string): void {
    if (this.has(name)) this.#repeated.push([name, value])
    else this.set(name, value)
  }

  all(name: string): readonly string[] {
    const first = this.get(name)
    if (first === undefined) return []
    return [first, ...this.#repeated.filter(([other]) => other === name).map(([, value]) => value)]
  }
}

export const NO_PARAMETERS: Query = new Parameters()
/** Most parameters need no decoding. */
const MAY_NEED_DECODING = /[^\w.-]/
/** Alone, or as the first part of a path such as `prototype.x` or `constructor[x]`. */
const PROTOTYPE_NAME = /^(?:__proto__|constructor|prototype)(?:[.[]|$)/

/** Parses the part after the `?`. A plus is a space. Characters that existing clients leave unencoded are accepted. */
export function parseQuery(url: string): Query {
  const start = url.indexOf('?')
  if (start < 0 || start === url.length - 1) return NO_PARAMETERS
  const query = new Parameters()
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    if (PROTOTYPE_NAME.test(name)) throw refusal('a parameter has a name that is not allowed')
    query.add(name, equals < 0 ? '' : decode(part.slice(equals + 1)))
  }
  return query
}

function decode(text: string): string {
  if (!MAY_NEED_DECODING.test(text)) return text
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refusal('the query has a % that is not followed by two hexadecimal digits of UTF-8')
  }
  // No stored text contains one, and PostgreSQL rejects it.
  if (decoded.includes('\0')) throw refusal('the query contains a null character')
  return decoded
}

function refusal(reason: string): AppError {
  return new AppError('COULD_NOT_VALIDATE', { field: 'query', reason, value: '' })
}
