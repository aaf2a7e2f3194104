import { AppError } from '../app-error.ts'

/** Parameters of a query or a form by name. First value wins; unknown parameters are ignored. */
export interface Parameters extends ReadonlyMap<string, string> {
  /** Every value of a parameter that may be given more than once, in order. */
  all(name: string): readonly string[]
}

class ParameterMap extends Map<string, string> implements Parameters {
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

export const NO_PARAMETERS: Parameters = new ParameterMap()
/** Most parameters need no decoding. */
const MAY_NEED_DECODING = /[^\w.-]/
/** Alone, or as the first part of a path such as `prototype.x` or `constructor[x]`. */
const PROTOTYPE_NAME = /^(?:__proto__|constructor|prototype)(?:[.[]|$)/

/**
 * Parses `application/x-www-form-urlencoded` text. A plus is a space. Characters that existing clients leave unencoded are accepted. Fails with
 * COULD_NOT_VALIDATE; `place` is the field in the error.
 */
export function parseParameters(text: string, place: 'query' | 'form'): Parameters {
  const parameters = new ParameterMap()
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals), place)
    if (PROTOTYPE_NAME.test(name)) throw refusal(place, 'a parameter has a name that is not allowed')
    parameters.add(name, equals < 0 ? '' : decode(part.slice(equals + 1), place))
  }
  return parameters
}

function decode(text: string, place: string): string {
  if (!MAY_NEED_DECODING.test(text)) return text
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refusal(place, `the ${place} has a % that is not followed by two hexadecimal digits of UTF-8`)
  }
  // No stored text contains one, and PostgreSQL rejects it.
  if (decoded.includes('\0')) throw refusal(place, `the ${place} contains a null character`)
  return decoded
}

function refusal(field: string, reason: string): AppError {
  return new AppError('COULD_NOT_VALIDATE', { field, reason, value: '' })
}
