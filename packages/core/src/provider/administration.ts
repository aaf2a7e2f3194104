import type {
  Administration,
  AdministrationBody,
  AdministrationKind,
  AdministrationSecret,
} from '@countersign/contract/administration'
import { fieldError } from '../app-error.ts'
import { checkPlainText } from '../text/plain-text.ts'

export type { Administration, AdministrationKind, AdministrationSecret } from '@countersign/contract/administration'

type Setting = Exclude<keyof Administration, 'kind'>

interface KindRules {
  readonly required: readonly Setting[]
  readonly optional: readonly Setting[]
  /** The member that holds the secret; undefined when the kind has none. */
  readonly secret?: AdministrationSecret
}

const RULES: Readonly<Record<AdministrationKind, KindRules>> = {
  rfc7591: { required: ['registrationUrl'], optional: [], secret: 'registrationToken' },
  cognito: { required: ['accessKeyId'], optional: ['url', 'scope'], secret: 'secretAccessKey' },
  auth0: { required: ['clientId'], optional: ['scope', 'managementAudience'], secret: 'clientSecret' },
  entra: { required: ['clientId'], optional: ['url'], secret: 'clientSecret' },
  keycloak: { required: ['url', 'realm', 'clientId'], optional: [], secret: 'clientSecret' },
  manual: { required: [], optional: [] },
}

const SETTINGS: readonly Setting[] = [
  ...(['registrationUrl', 'url', 'realm', 'clientId', 'accessKeyId', 'scope', 'managementAudience'] as const),
]
/** A realm is one segment of a path, and not one that URLs resolve. */
const REALM = /^(?!\.{1,2}$)[\w. -]+$/

/** The member that holds the secret of an administration of this kind. */
export function administrationSecret(kind: AdministrationKind): AdministrationSecret | undefined {
  return RULES[kind].secret
}

/** The stored form of `administration`, without secrets and blank members. */
export function readAdministration(body: AdministrationBody): Administration {
  const given = SETTINGS.flatMap((name) => {
    const value = body[name]?.trim()
    return value ? [[name, value] as const] : []
  })
  return { kind: body.kind, ...Object.fromEntries(given) }
}

/** The members of a body that set `administration`: itself, and its earlier spelling. */
export interface AdministrationMembers {
  readonly administration?: AdministrationBody | null | undefined
  readonly registrationUrl?: string | undefined
}

/** The registration endpoint of an administration by RFC 7591. */
export function registrationUrlOf(administration: Administration | null): string | null {
  return administration?.kind === 'rfc7591' ? (administration.registrationUrl ?? null) : null
}

export function registrationAt(registrationUrl: string | null | undefined): Administration | null {
  return registrationUrl ? { kind: 'rfc7591', registrationUrl } : null
}

/**
 * The administration after a body, `unnamed` when the body names none. When both spellings are given and differ, the one that differs from `current` is meant, since clients send back
 * what they have read. Throws COULD_NOT_VALIDATE when both do.
 */
export function nextAdministration(
  current: Administration | null,
  { administration, registrationUrl }: AdministrationMembers,
  unnamed = current,
): Administration | null {
  const named = administration ? readAdministration(administration) : administration
  if (registrationUrl === undefined) return named === undefined ? unnamed : named
  const url = registrationUrl.trim() || null
  const spelled = registrationAt(url) ?? (current?.kind === 'rfc7591' ? null : current)
  if (named === undefined) return spelled
  if (registrationUrlOf(named) === url || registrationUrlOf(current) === url) return named
  if (isSameAdministration(named, current)) return spelled
  const reason = 'administration and registrationUrl, which is its earlier spelling, differ: send one of them'
  throw fieldError('administration', reason, '')
}

function isSameAdministration(a: Administration | null, b: Administration | null): boolean {
  return a?.kind === b?.kind && SETTINGS.every((name) => a?.[name] === b?.[name])
}

/** Throws for the first member that its kind does not have, lacks or cannot use. */
export function checkAdministration(administration: Administration): void {
  const { kind } = administration
  const { required, optional } = RULES[kind]
  for (const name of SETTINGS) {
    const value = administration[name]
    const field = `administration.${name}`
    if (value === undefined) {
      if (required.includes(name)) throw fieldError(field, `${field} is required for the kind ${kind}`, undefined)
      continue
    }
    if (!required.includes(name) && !optional.includes(name)) {
      throw fieldError(field, `the kind ${kind} has no ${name}`, value)
    }
    checkPlainText(field, value)
  }
  const { url, realm } = administration
  if (realm !== undefined && !REALM.test(realm)) {
    throw fieldError(
      'administration.realm',
      'a realm has only letters, digits, spaces, ".", "_" and "-", and is not "." or ".."',
      realm,
    )
  }
  if (url !== undefined && (!URL.canParse(url) || /[?#]/.test(url))) {
    throw fieldError('administration.url', 'administration.url is an absolute URL without a query', url)
  }
}
