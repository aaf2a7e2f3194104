import { usageError } from '../cli-error.ts'

/** The address of a controller: its origin, whatever was written behind it. Throws for anything but https. */
export function parseControllerUrl(text: string): { readonly href: string } {
  const hint = 'write https://HOST:PORT'
  const written = text.includes('://') ? text : `https://${text}`
  if (!URL.canParse(written)) throw usageError(`"${text}" is not an address`, hint)
  const url = new URL(written)
  if (url.protocol !== 'https:') throw usageError(`${url.origin} is not an https address`, hint)
  if (url.username || url.password) throw usageError('an address holds no password', 'use --username')
  return { href: url.origin }
}
