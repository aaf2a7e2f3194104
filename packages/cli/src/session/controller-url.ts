import { usageError } from '../cli-error.ts'

/** Parses the address of a controller and returns its origin. `https://` is optional. Throws for other schemes. */
export function parseControllerUrl(text: string): { readonly href: string } {
  const hint = 'write https://HOST:PORT'
  const address = text.includes('://') ? text : `https://${text}`
  if (!URL.canParse(address)) throw usageError(`"${text}" is not an address`, hint)
  const url = new URL(address)
  if (url.protocol !== 'https:') throw usageError(`${url.origin} is not an https address`, hint)
  if (url.username || url.password)
    throw usageError('an address must not contain a user name or password', 'use --username')
  return { href: url.origin }
}
