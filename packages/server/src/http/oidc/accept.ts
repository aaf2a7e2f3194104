import { AppError } from '@countersign/core'

/** What a client of the login endpoints wants: JSON, or a page for a browser. */
export type Accepted = 'json' | 'html'

const TYPES: ReadonlyMap<string, Accepted> = new Map<string, Accepted>([
  ['text/html', 'html'],
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
])
const QUALITY = /^\s*q=([01](?:\.\d{0,3})?)\s*$/i

/** The type that `Accept` ranks first; JSON without the header. Throws NOT_ACCEPTABLE when neither is accepted. */
export function chooseType(accept: string | undefined): Accepted {
  if (accept === undefined || accept.trim() === '') return 'json'
  const ranked = accept
    .toLowerCase()
    .split(',')
    .flatMap((range) => {
      const [name = '', ...parameters] = range.split(';')
      const type = TYPES.get(name.trim())
      const quality = Number(parameters.flatMap((text) => QUALITY.exec(text)?.[1] ?? [])[0] ?? 1)
      return type !== undefined && quality > 0 ? [{ type, quality }] : []
    })
    .toSorted((a, b) => b.quality - a.quality)
  const [first] = ranked
  if (first) return first.type
  throw new AppError('NOT_ACCEPTABLE', { message: 'only application/json and text/html are available' })
}
