import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { isProviderName, type ProviderName } from '../token/provider-name.ts'

/** The members of a credentials file. The last three are for enterprise providers. */
export interface CredentialMembers {
  readonly clientId: string
  /** The client secret. Optional with a `clientKey`. */
  readonly password?: string | undefined
  /** The token endpoint of the provider, or the provider's issuer. */
  readonly authenticationUrl: string
  /** The provider, when it cannot be guessed from the address. */
  readonly provider?: ProviderName | undefined
  /** The OAuth scope, for providers that require one. */
  readonly scope?: string | undefined
  /** The provider's issuer, whose discovery document names the token endpoint. */
  readonly issuer?: string | undefined
}

const MAX_LENGTH = 65_536

/** Parses the text of a credentials file. Ignores unknown members. Errors never quote the content. */
export function parseCredentials(text: string, source: string): CredentialMembers {
  const value = text.length > MAX_LENGTH ? undefined : parseJson(text)
  const refuse = (why: string) =>
    new CountersignError({ code: 'BAD_CREDENTIALS', message: `${source}: ${why}`, hint: HINT })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('not a JSON object')
  const required = (name: string): string => {
    const member = textOf(value, name)
    if (member === undefined) throw refuse(`${name} is missing or is not a string`)
    return member
  }
  const provider = textOf(value, 'provider')
  if (provider !== undefined && !isProviderName(provider)) throw refuse('provider is not a known provider')
  const password = memberOf(value, 'password')
  if (password !== undefined && typeof password !== 'string') throw refuse('password is not a string')
  return {
    clientId: required('clientId'),
    authenticationUrl: required('authenticationUrl'),
    password: password || undefined,
    provider,
    scope: textOf(value, 'scope'),
    issuer: textOf(value, 'issuer'),
  }
}

const HINT = 'use the file that the console offers when it creates an API account'
