import { isIP, isIPv4 } from 'node:net'
import { isHostName, parsePort } from './host-and-port.ts'
import { type JsonSchema, type Reading, SETTING_DEFAULTS, type Setting, type SettingInfo } from './setting.ts'

const MAX_ITEMS = 1000
const MAX_ITEM_CHARACTERS = 512

/** The type of the members of a list setting. */
interface ItemKind<T> {
  /** Follows "a list of" in texts. */
  readonly plural: string
  readonly schema: JsonSchema
  /** The parsed member; undefined for invalid text. */
  parse(text: string): T | undefined
  format(item: T): string
}

/** An inclusive range of ports; one port has `from` equal to `to`. */
export interface PortRange {
  readonly from: number
  readonly to: number
}

/** A list. In the file a YAML list; in a flag or an environment variable separated by commas or spaces. */
export function list<T>(
  kind: ItemKind<T>,
  info: SettingInfo & { readonly default: readonly T[]; readonly accepts?: (items: readonly T[]) => boolean },
): Setting<readonly T[]> {
  const accepts = info.accepts ?? (() => true)
  return {
    ...SETTING_DEFAULTS,
    expected: `a list of ${kind.plural}`,
    default: info.default,
    description: info.description,
    flagValue: info.flagValue ?? null,
    repeatable: true,
    schema: { type: 'array', items: kind.schema, maxItems: MAX_ITEMS },
    fromText: (text) => text.split(/[\s,]+/).filter((part) => part !== ''),
    read: (value) => {
      const reading = readItems(kind, value)
      return 'value' in reading && !accepts(reading.value) ? { refused: value } : reading
    },
    format: (items) => (items.length === 0 ? '(none)' : items.map((item) => kind.format(item)).join(', ')),
  }
}

function readItems<T>(kind: ItemKind<T>, value: unknown): Reading<readonly T[]> {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return { refused: value }
  const items: T[] = []
  for (const member of value as readonly unknown[]) {
    const text = typeof member === 'number' ? String(member) : member
    const item = typeof text === 'string' && text.length <= MAX_ITEM_CHARACTERS ? kind.parse(text) : undefined
    if (item === undefined) return { refused: member }
    items.push(item)
  }
  return { value: items }
}

const TEXT_ITEM = {
  schema: { type: 'string', minLength: 1, maxLength: MAX_ITEM_CHARACTERS },
  format: (item: string) => item,
}

/** `host:port`, IPv6 in brackets. */
export const ADDRESSES: ItemKind<string> = {
  ...TEXT_ITEM,
  plural: 'addresses such as controller.example.com:1280 or [2001:db8::1]:1280',
  parse: (text) => {
    const colon = text.lastIndexOf(':')
    const host = text.slice(0, Math.max(colon, 0))
    const port = parsePort(text.slice(colon + 1))
    const isBracketed = host.startsWith('[') && host.endsWith(']')
    const isHost = isBracketed ? isIP(host.slice(1, -1)) === 6 : isIPv4(host) || isHostName(host)
    return isHost && port !== undefined && port > 0 ? text : undefined
  },
}

/** The name of a root claim of a token. */
export const CLAIM_NAMES: ItemKind<string> = {
  ...TEXT_ITEM,
  plural: 'names of claims such as email',
  parse: (text) => (text !== '' && !/[\s,\p{Cc}]/u.test(text) ? text : undefined),
}

/** An IP address, or a range of them in CIDR notation. */
export const NETWORKS: ItemKind<string> = {
  ...TEXT_ITEM,
  plural: 'IP addresses or CIDR ranges such as 10.0.0.0/8',
  parse: (text) => {
    const [address = '', prefix, ...rest] = text.split('/')
    const version = isIP(address)
    if (version === 0 || rest.length > 0 || address.includes('%')) return undefined
    if (prefix === undefined) return text
    return /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128) ? text : undefined
  },
}

/** A host name or IP address, or `*.suffix` for all subdomains. Converted to lower case. */
export const HOSTS: ItemKind<string> = {
  ...TEXT_ITEM,
  plural: 'host names such as login.example.com or *.example.com',
  parse: (text) => {
    const host = text.toLowerCase()
    return isIP(host) !== 0 || isHostName(host.startsWith('*.') ? host.slice(2) : host) ? host : undefined
  },
}

/** A port, or a range such as `1024-65535`. */
export const PORTS: ItemKind<PortRange> = {
  plural: 'ports or port ranges such as 443 or 1024-65535',
  schema: {
    anyOf: [
      { type: 'integer', minimum: 1, maximum: 65535 },
      { type: 'string', pattern: '^[0-9]{1,5}(-[0-9]{1,5})?$' },
    ],
  },
  parse: (text) => {
    const [first = '', last = first, ...rest] = text.split('-')
    const from = parsePort(first)
    const to = parsePort(last)
    return rest.length > 0 || !from || !to || from > to ? undefined : { from, to }
  },
  format: ({ from, to }) => (from === to ? String(from) : `${from}-${to}`),
}

/** A web origin exactly as browsers send it, or `*`. */
export const ORIGINS: ItemKind<string> = {
  ...TEXT_ITEM,
  plural: 'origins such as https://console.example.com, or only *',
  parse: (text) =>
    text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text) ? text : undefined,
}

/** An absolute URI without fragment. `:*` stands for any port. */
export const REDIRECT_URIS: ItemKind<string> = {
  ...TEXT_ITEM,
  plural: 'URIs such as https://app.example.com/callback or http://localhost:*/callback',
  parse: (text) => {
    const uri = text.replace(':*/', ':1/')
    const isScript = /^(?:javascript|data|vbscript|blob|file):/i.test(uri)
    return URL.canParse(uri) && !isScript && !/[#*\s\\]/.test(uri) ? text : undefined
  },
}
