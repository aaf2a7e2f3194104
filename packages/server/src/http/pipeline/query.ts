import { AppError } from '@countersign/core'

/** The query parameters by name. Of a repeated one the first counts; unknown ones are nobody's business. */
export type Query = ReadonlyMap<string, string>

const NO_PARAMETERS: Query = new Map()
const PROTOTYPE_NAMES = new Set(['__proto__', 'constructor', 'prototype'])

/** Reads what stands behind the `?`. A plus is a space, and text that existing clients leave unencoded is taken as it stands. */
export function parseQuery(url: string): Query {
  const start = url.indexOf('?')
  if (start < 0 || start === url.length - 1) return NO_PARAMETERS
  const query = new Map<string, string>()
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    if (PROTOTYPE_NAMES.has(name.split(/[.[]/, 1)[0] ?? '')) {
      throw new AppError('COULD_NOT_VALIDATE', { field: name, reason: 'this name is not allowed', value: '' })
    }
    if (!query.has(name)) query.set(name, equals < 0 ? '' : decode(part.slice(equals + 1)))
  }
  return query
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    const reason = 'the query holds a % that does not begin two hexadecimal digits of UTF-8'
    throw new AppError('COULD_NOT_VALIDATE', { field: 'query', reason, value: '' }, { cause: error })
  }
}
