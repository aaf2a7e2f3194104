import { NO_PARAMETERS, type Parameters, parseParameters } from '@countersign/core'

/** The query parameters by name. */
export type Query = Parameters

export { NO_PARAMETERS }

/** Parses the part after the `?`. */
export function parseQuery(url: string): Query {
  const start = url.indexOf('?')
  return start < 0 || start === url.length - 1 ? NO_PARAMETERS : parseParameters(url.slice(start + 1), 'query')
}
