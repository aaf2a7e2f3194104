import { echoedValue, visible } from '@countersign/core'

/** A name or a claim inside a sentence: in quotes, cut, with nothing invisible or misleading in it. */
export function quoted(text: string): string {
  return visible(JSON.stringify(echoedValue(text).toWellFormed()))
}
