import { compareRows, evaluate, type FilterOptions, resolvePaging, type SymbolType } from '@countersign/core/filter'
import { usageError } from '../cli-error.ts'
import type { ListOptions } from '../resources/list-options.ts'

type Members = ReadonlyMap<string, unknown>

/** Filters, sorts and limits a list that the hosted API returns whole, in the filter language of the controller. */
export function selectItems<Item extends object>(items: readonly Item[], options: ListOptions): Item[] {
  const { filter, sort, limit } = options
  if (filter === '' && sort === undefined) return items.slice(0, limit)
  const rows = items.map((item, position) => {
    return { item, members: new Map<string, unknown>([...listMembers(item), [POSITION, position]]) }
  })
  const {
    predicate,
    sort: order,
    ...paging
  } = parse(
    options,
    rows.map(({ members }) => members),
  )
  const matching = rows.filter(({ members }) => evaluate(predicate, readerOf(members)))
  const sorted = matching.toSorted((a, b) => compareRows(order, readerOf(a.members), readerOf(b.members)))
  const end = paging.limit === 'none' ? undefined : paging.offset + paging.limit
  return sorted.slice(paging.offset, end).map(({ item }) => item)
}

function parse({ filter, sort = '', limit }: ListOptions, rows: readonly Members[]) {
  const symbols = listSymbols(rows)
  try {
    const options = { symbols, tags: false, defaultLimit: 'none' as const, defaultSort: [UNSORTED] }
    return resolvePaging(
      { filter, sort, limit: limit === undefined ? '' : String(limit), maxLimit: MAX_LIMIT },
      options,
    )
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AppError') throw error
    const [, ...reason] = error.message.split(': ')
    throw usageError(reason.join(': ') || error.message, `members are ${[...symbols.keys()].join(', ')}`)
  }
}

const MAX_LIMIT = 1_000_000
/** Not the name of a member. */
const POSITION = ''
const UNSORTED = { symbol: POSITION, descending: false }

function readerOf(members: Members): (symbol: string) => unknown {
  return (symbol) => {
    const value = members.get(symbol)
    return isInstant(symbol, value) ? Date.parse(value) : value
  }
}

/** The members and their types. A member that is null everywhere can be compared with a text. */
function listSymbols(rows: readonly Members[]): FilterOptions['symbols'] {
  const symbols = new Map<string, SymbolType>([['id', 'string']])
  for (const row of rows) {
    for (const [member, value] of row) {
      if (member === POSITION) continue
      const type = typeOf(member, value)
      if (type !== undefined || !symbols.has(member)) symbols.set(member, type ?? 'string')
    }
  }
  return symbols
}

const TYPES: Readonly<Record<string, SymbolType>> = { string: 'string', number: 'number', boolean: 'bool' }

function typeOf(member: string, value: unknown): SymbolType | undefined {
  if (Array.isArray(value)) return 'set'
  return member.endsWith('At') ? 'datetime' : TYPES[typeof value]
}

function isInstant(member: string, value: unknown): value is string {
  return member.endsWith('At') && typeof value === 'string'
}

/** The members with their values; nested ones as `usage.networks`. */
function listMembers(item: object, prefix = ''): [string, unknown][] {
  return Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    if (name === '_links') return []
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const epochSecond = (value as { epochSecond?: unknown }).epochSecond
      if (typeof epochSecond === 'number') return [[prefix + name, new Date(epochSecond * 1000).toISOString()]]
      return listMembers(value, `${prefix}${name}.`)
    }
    return [[prefix + name, value]]
  })
}
