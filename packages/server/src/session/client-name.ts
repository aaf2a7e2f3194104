import type { Authenticate } from '@countersign/contract'

const MAX_LENGTH = 128

/** The program that opens a session, in its own words: what it says about itself, else its user agent. Null when it says nothing. */
export function clientName(sdkInfo: Authenticate['sdkInfo'], userAgent: string | undefined): string | null {
  if (!sdkInfo) return bounded(userAgent)
  const { appId, appVersion, type, version } = sdkInfo as Readonly<Record<string, unknown>>
  return bounded(joined(appId, appVersion)) ?? bounded(joined(type, version)) ?? bounded(userAgent)
}

function joined(name: unknown, version: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return undefined
  return typeof version === 'string' && version !== '' ? `${name} ${version}` : name
}

function bounded(text: string | undefined): string | null {
  if (!text) return null
  return text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH).toWellFormed() : text
}
