import { escapeHtml } from '@countersign/core'

/** Escaped HTML text. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | undefined | readonly Part[]

/** A template tag that escapes every value that is not `Html`. Undefined becomes an empty string. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, next, at) => text + toText(parts[at - 1]) + next))
}

function toText(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(toText).join('')
  return escapeHtml(String(part))
}
