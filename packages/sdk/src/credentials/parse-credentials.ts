import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { isProviderName, type ProviderName } from '../token/provider-name.ts'

/** What a credentials file holds. The first three are what every API account has; the others are for enterprise providers. */
export interface CredentialMembers {
  readonly clientId: string
  /** The secret. It may be absent where a key takes its place. */
  readonly password?: string | undefined
  /** The token endpoint of the provider, or the provider's issuer. */
  readonly authenticationUrl: string
  /** The provider, where its address does not tell. */
  readonly provider?: ProviderName | undefined
  /** What to ask the provider for, where it wants to be asked. */
  readonly scope?: string | undefined
  /** The provider's issuer, whose document names the token endpoint. */
  readonly issuer?: string | undefined
}

const MAX_LENGTH = 65_536

/** Reads the text of a credentials file. Members that mean nothing here are passed over; no error repeats what it holds. */
export function parseCredentials(text: string, source: string): CredentialMembers {
  const value = text.length > MAX_LENGTH ? undefined : parseJson(text)
  const refuse = (why: string) =>
    new CountersignError({ code: 'BAD_CREDENTIALS', message: `${source}: ${why}`, hint: HINT })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('not a JSON object')
  const required = (name: string): string => {
    const member = textOf(value, name)
    if (member === undefined) throw refuse(`${name} is missing or is not text`)
    return member
  }
  const provider = textOf(value, 'provider')
  if (provider !== undefined && !isProviderName(provider)) throw refuse('provider is none that is known')
  const password = memberOf(value, 'password')
  if (password !== undefined && typeof password !== 'string') throw refuse('password is not text')
  return {
    clientId: required('clientId'),
    authenticationUrl: required('authenticationUrl'),
    password: password || undefined,
    provider,
    scope: textOf(value, 'scope'),
    issuer: textOf(value, 'issuer'),
  }
}

const HINT = 'the file is the one that the console offers when an API account is made'
