import type { ExternalIdClaim } from '@countersign/contract/ca'
import { AppError, fieldError, invalidField } from '../app-error.ts'
import { readAltNames } from '../certificate/certificate-extensions.ts'
import { OID } from '../certificate/object-identifiers.ts'
import type { ParsedCertificate } from '../certificate/parse-certificate.ts'
import { hasUnsafeCharacter } from '../text/plain-text.ts'

export type { ExternalIdClaim } from '@countersign/contract/ca'

/** As long as an `externalId` can be. */
const MAX_EXTERNAL_ID_LENGTH = 512

type Match = (text: string, criteria: string) => string | undefined

const MATCHERS: Readonly<Record<ExternalIdClaim['matcher'], Match>> = {
  ALL: (text) => text,
  PREFIX: (text, criteria) => (text.startsWith(criteria) ? text.slice(criteria.length) : undefined),
  SUFFIX: (text, criteria) => (text.endsWith(criteria) ? text.slice(0, -criteria.length) : undefined),
  SCHEME: (text, criteria) => (text.startsWith(`${criteria}:`) ? text : undefined),
}

interface Location {
  readonly matchers: readonly ExternalIdClaim['matcher'][]
  values(certificate: ParsedCertificate): string[]
}

const LOCATIONS: Readonly<Record<ExternalIdClaim['location'], Location>> = {
  COMMON_NAME: { matchers: ['ALL', 'PREFIX', 'SUFFIX'], values: (certificate) => commonNameList(certificate) },
  SAN_EMAIL: { matchers: ['ALL', 'PREFIX', 'SUFFIX'], values: (certificate) => readAltNames(certificate, 'email') },
  SAN_URI: {
    matchers: ['ALL', 'SCHEME'],
    values: (certificate) => readAltNames(certificate, 'uri').map(withLowerCaseScheme),
  },
}

/**
 * The text in a certificate that names an identity. All parts of all matching values form one list, in which `index` counts from 0. Undefined when
 * there is none, or it is no possible external id. Throws DerError when the certificate's names are malformed.
 */
export function findExternalId(certificate: ParsedCertificate, claim: ExternalIdClaim): string | undefined {
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim
  const matched = LOCATIONS[location].values(certificate).flatMap((value) => {
    const rest = MATCHERS[matcher](value, matcherCriteria)
    return rest === undefined ? [] : [rest]
  })
  const parts = parser === 'SPLIT' ? matched.flatMap((text) => text.split(parserCriteria)) : matched
  const found = parts[index]
  return found !== undefined && isExternalId(found) ? found : undefined
}

function isExternalId(text: string): boolean {
  return text !== '' && text.length <= MAX_EXTERNAL_ID_LENGTH && !hasUnsafeCharacter(text)
}

/** The common name of a certificate; the last one, as in existing controllers. `''` when it has none. */
export function commonNameOf(certificate: Pick<ParsedCertificate, 'subjectAttributes'>): string {
  return commonNameList(certificate)[0] ?? ''
}

function commonNameList({ subjectAttributes }: Pick<ParsedCertificate, 'subjectAttributes'>): string[] {
  const last = subjectAttributes.findLast(({ type }) => type === OID.commonName)
  return last ? [last.value] : []
}

function withLowerCaseScheme(uri: string): string {
  const end = uri.indexOf(':')
  return end < 0 ? uri : uri.slice(0, end).toLowerCase() + uri.slice(end)
}

/** The claim after a PATCH that names some of its members. Without any, the current claim. Throws when it stays incomplete. */
export function mergedClaim(current: ExternalIdClaim | null, given: Partial<ExternalIdClaim>): ExternalIdClaim | null {
  const named = Object.entries(given).filter(([member, value]) => value !== '' || member.endsWith('Criteria'))
  if (named.length === 0) return current
  const merged: Partial<ExternalIdClaim> = {
    ...(current ?? { matcherCriteria: '', parserCriteria: '', index: 0 }),
    ...Object.fromEntries(named),
  }
  for (const member of ['location', 'matcher', 'parser'] as const) {
    const field = `externalIdClaim.${member}`
    if (merged[member] === undefined) throw fieldError(field, `${field} in body is required`, undefined)
  }
  return merged as ExternalIdClaim
}

/** Throws INVALID_FIELD when the claim can never name an identity. */
export function validateClaim(claim: ExternalIdClaim): void {
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim
  if (index < 0) {
    throw new AppError('INVALID_FIELD', {
      field: 'externalIdClaim.index',
      reason: 'must not be negative',
      value: String(index),
    })
  }
  const refuse = (reason: string): never => {
    throw invalidField('externalIdClaim', reason, `location=${location} matcher=${matcher} parser=${parser}`)
  }
  if (!LOCATIONS[location].matchers.includes(matcher)) refuse(`invalid matcher [${matcher}] for location [${location}]`)
  if (matcher !== 'ALL' && matcherCriteria === '') refuse(`invalid criteria [] for matcher [${matcher}]`)
  if (parser === 'SPLIT' && parserCriteria === '') refuse(`invalid criteria [] for parser [${parser}]`)
}
