import type { FilterOptions, SymbolType } from '@countersign/core'

const BASE: readonly (readonly [string, SymbolType])[] = [
  ['id', 'string'],
  ['createdAt', 'datetime'],
  ['updatedAt', 'datetime'],
  ['isSystem', 'bool'],
]

const withBase = (...symbols: readonly (readonly [string, SymbolType])[]): FilterOptions => {
  return { tags: true, symbols: new Map([...BASE, ...symbols]) }
}

const POLICY = [
  ['name', 'string'],
  ['semantic', 'string'],
  ['identityRoles', 'set'],
] as const

/** The symbols that existing clients use in filters. The lists are always empty: this product routes no traffic. */
export const SERVICES = withBase(
  ['name', 'string'],
  ['terminatorStrategy', 'string'],
  ['roleAttributes', 'set'],
  ['configs', 'set'],
)

export const EDGE_ROUTERS = withBase(
  ['name', 'string'],
  ['fingerprint', 'string'],
  ['roleAttributes', 'set'],
  ['ctrlChanListeners', 'set'],
  ['cost', 'number'],
  ['online', 'bool'],
  ['connected', 'bool'],
  ['disabled', 'bool'],
  ['isVerified', 'bool'],
  ['isTunnelerEnabled', 'bool'],
  ['noTraversal', 'bool'],
)

export const ROUTERS = withBase(
  ['name', 'string'],
  ['fingerprint', 'string'],
  ['cost', 'number'],
  ['connected', 'bool'],
  ['disabled', 'bool'],
  ['noTraversal', 'bool'],
)

export const CONFIGS = withBase(['name', 'string'], ['type', 'string'])

export const CONFIG_TYPES = withBase(['name', 'string'])

export const POSTURE_CHECKS = withBase(['name', 'string'], ['typeId', 'string'], ['roleAttributes', 'set'])

export const TERMINATORS = withBase(
  ['service', 'string'],
  ['router', 'string'],
  ['binding', 'string'],
  ['address', 'string'],
  ['cost', 'number'],
)

export const SESSIONS = withBase(['type', 'string'], ['apiSession', 'string'], ['service', 'string'])

export const SERVICE_POLICIES = withBase(
  ...POLICY,
  ['type', 'number'],
  ['serviceRoles', 'set'],
  ['postureCheckRoles', 'set'],
)

export const SERVICE_EDGE_ROUTER_POLICIES = withBase(
  ['name', 'string'],
  ['semantic', 'string'],
  ['serviceRoles', 'set'],
  ['edgeRouterRoles', 'set'],
)

export const EDGE_ROUTER_POLICIES = withBase(...POLICY, ['edgeRouterRoles', 'set'])
