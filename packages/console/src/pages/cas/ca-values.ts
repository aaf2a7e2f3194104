import type { Ca, CaInput } from '@countersign/sdk'
import { required } from '../../form/rules.ts'
import { checkTags, type TagRow, toTagRows, toTags } from '../../form/tags.ts'

type Claim = NonNullable<Ca['externalIdClaim']>

export type CaValues = {
  name: string
  certPem: string
  isAuthEnabled: boolean
  isAutoCaEnrollmentEnabled: boolean
  isOttCaEnrollmentEnabled: boolean
  identityRoles: string[]
  identityNameFormat: string
  usesClaim: boolean
  location: Claim['location']
  matcher: Claim['matcher']
  matcherCriteria: string
  parser: Claim['parser']
  parserCriteria: string
  index: number
  tags: TagRow[]
}

/** The server's names of the claim's members. */
export const SERVER_FIELDS: Readonly<Record<string, string>> = Object.fromEntries(
  ['location', 'matcher', 'matcherCriteria', 'parser', 'parserCriteria', 'index'].map((name) => [
    `externalIdClaim.${name}`,
    name,
  ]),
)

export const caRules = (isNew: boolean) => ({
  name: required('The name'),
  ...(isNew && { certPem: (value: string) => (value.trim() === '' ? 'The certificate is required' : null) }),
  tags: checkTags,
})

export function fromCa(ca?: Ca): CaValues {
  const claim = ca?.externalIdClaim
  return {
    name: ca?.name ?? '',
    certPem: ca?.certPem ?? '',
    isAuthEnabled: ca?.isAuthEnabled ?? true,
    isAutoCaEnrollmentEnabled: ca?.isAutoCaEnrollmentEnabled ?? false,
    isOttCaEnrollmentEnabled: ca?.isOttCaEnrollmentEnabled ?? false,
    identityRoles: [...(ca?.identityRoles ?? [])],
    identityNameFormat: ca?.identityNameFormat ?? '',
    usesClaim: claim !== undefined,
    location: claim?.location ?? 'COMMON_NAME',
    matcher: claim?.matcher ?? 'ALL',
    matcherCriteria: claim?.matcherCriteria ?? '',
    parser: claim?.parser ?? 'NONE',
    parserCriteria: claim?.parserCriteria ?? '',
    index: claim?.index ?? 0,
    tags: toTagRows(ca?.tags),
  }
}

/** The body of a POST. */
export function toCa(values: CaValues): CaInput {
  const { usesClaim, location, matcher, matcherCriteria, parser, parserCriteria, index, tags, ...members } = values
  const claim = { location, matcher, matcherCriteria, parser, parserCriteria, index }
  return { ...members, tags: toTags(tags), externalIdClaim: usesClaim ? claim : null }
}
