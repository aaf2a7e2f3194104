import { isJsonObject } from '../json/json-value.ts'
import { readJson } from '../json/read-json.ts'
import { decodeBase64url } from '../key/base64url.ts'

/** What the browser says about a ceremony. The authenticator signs its hash. */
export interface ClientData {
  readonly type: string
  /** Base64url of the bytes that the server sent. */
  readonly challenge: string
  readonly origin: string
  /** Whether the page was in a frame of another origin. */
  readonly isCrossOrigin: boolean
}

/** Browsers write five members; extensions of them are few and flat. */
const LIMITS = { maxDepth: 4, maxMembers: 64, maxStringLength: 2048, largeIntegersAsNaN: true }

/** Reads `clientDataJSON`. Undefined when it is not base64url of strict JSON with these members. */
export function readClientData(untrusted: string): ClientData | undefined {
  const bytes = decodeBase64url(untrusted)
  const read = bytes && tryReadJson(bytes)
  if (!isJsonObject(read)) return undefined
  const { type, challenge, origin, crossOrigin, topOrigin } = read
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') return undefined
  const isCrossOrigin = (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined
  return { type, challenge, origin, isCrossOrigin }
}

function tryReadJson(bytes: Buffer) {
  try {
    return readJson(bytes, LIMITS)
  } catch {
    return undefined
  }
}
