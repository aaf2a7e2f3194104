import { foldAscii } from '../filter/filter.ts'
import type { JsonValue } from '../json/json-value.ts'
import { scimError } from './scim-error.ts'
import { parseScimFilter, type ScimFilter } from './scim-filter.ts'
import { readScimMembers, readScimValues } from './scim-members.ts'
import { SCIM_LIMITS, SCIM_URN } from './scim-schemas.ts'

/** A request for a list, as it was sent. */
export interface ScimSearchRequest {
  readonly filter?: string | undefined
  readonly startIndex?: number | undefined
  readonly count?: number | undefined
  readonly attributes: readonly string[]
  readonly excludedAttributes: readonly string[]
}

/** The part of a list that a request wants. */
export interface ScimSearch extends Pick<ScimSearchRequest, 'attributes' | 'excludedAttributes'> {
  readonly filter: ScimFilter | undefined
  readonly startIndex: number
  readonly count: number
}

/** RFC 7644, section 3.4.2.4: a smaller index counts as 1, a negative count as 0. More than the largest page is never returned. */
export function buildScimSearch({ filter, startIndex, count, ...names }: ScimSearchRequest): ScimSearch {
  return {
    ...names,
    filter: filter === undefined || filter === '' ? undefined : parseScimFilter(filter),
    startIndex: Math.max(1, startIndex ?? 1),
    count: Math.min(SCIM_LIMITS.maxPage, Math.max(0, count ?? SCIM_LIMITS.defaultPage)),
  }
}

/** Reads the body of a search (RFC 7644, section 3.4.3). `sortBy` and `sortOrder` are ignored: sorting is not supported. */
export function readScimSearch(body: JsonValue | undefined): ScimSearch {
  const members = readScimMembers(body)
  const schemas = readNames('schemas', members.get('schemas')).map(foldAscii)
  if (!schemas.includes(foldAscii(SCIM_URN.search))) {
    throw scimError('invalidSyntax', `schemas must contain ${SCIM_URN.search}`)
  }
  const filter = members.get('filter') ?? ''
  if (typeof filter !== 'string') throw scimError('invalidFilter', 'filter must be a string')
  return buildScimSearch({
    filter,
    startIndex: readInteger('startIndex', members.get('startindex')),
    count: readInteger('count', members.get('count')),
    attributes: readNames('attributes', members.get('attributes')),
    excludedAttributes: readNames('excludedAttributes', members.get('excludedattributes')),
  })
}

function readNames(name: string, value: JsonValue | undefined): string[] {
  return readScimValues(value).map((each) => {
    if (typeof each !== 'string') throw scimError('invalidValue', `${name} must be a list of strings`)
    return each
  })
}

function readInteger(name: string, value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw scimError('invalidValue', `${name} must be an integer`)
  }
  return value
}
