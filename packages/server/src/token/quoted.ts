import { echoedValue, visible } from '@countersign/core'

/** Quotes a name or claim for use in a sentence: shortened, with invisible and misleading characters escaped. */
export function quoted(text: string): string {
  return visible(JSON.stringify(echoedValue(text).toWellFormed()))
}
