import { administrationAddress, type JsonObject, poolIdOf } from '@countersign/core'
import { AwsV4Signer } from 'aws4fetch'
import type { Clock } from '../../platform/clock.ts'
import { OutboundError } from '../outbound-error.ts'
import { AdministrationError, objectAt, objectsIn, type SendAdministration, textAt } from './administration-request.ts'
import { failed, probe } from './checks.ts'
import { secretOf } from './client-credentials.ts'
import {
  type AdministeredProvider,
  type AdministrationCheck,
  type ClientName,
  clientNameOf,
  type ProviderAdministration,
  scopesOf,
} from './provider-administration.ts'

const SERVICE = 'cognito-idp'
const TARGET = 'AWSCognitoIdentityProviderService'
const MEDIA_TYPE = 'application/x-amz-json-1.1'
const CLIENTS_PER_PAGE = 60
/** A user pool has 1,000 clients, unless Amazon has raised its quota. */
const MAX_PAGES = 50
const MAX_NAME_LENGTH = 128
/** No client has this id. */
const NO_CLIENT = 'countersigntestnoclient'
const NOT_FOUND = 'ResourceNotFoundException'

/** The user pool clients of Amazon Cognito. Requests are signed (Signature Version 4), so the secret itself is never sent. */
export function createCognitoAdministration(send: SendAdministration, clock: Clock): ProviderAdministration {
  const call = async (provider: AdministeredProvider, action: string, members: object): Promise<JsonObject> => {
    const url = `${administrationAddress(provider)}/`
    const content = JSON.stringify({ UserPoolId: poolIdOf(provider.issuer), ...members })
    const signer = new AwsV4Signer({
      method: 'POST',
      url,
      headers: { 'content-type': MEDIA_TYPE, 'x-amz-target': `${TARGET}.${action}` },
      body: content,
      accessKeyId: provider.administration.accessKeyId ?? '',
      secretAccessKey: secretOf(provider, 'administration.secretAccessKey'),
      service: SERVICE,
      region: regionOf(provider),
      // Amazon requires the content type to be signed, too.
      allHeaders: true,
      datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    })
    const headers = Object.fromEntries((await signer.sign()).headers)
    const { body } = await send(provider, url, {
      method: 'POST',
      statuses: [200],
      mediaType: MEDIA_TYPE,
      text: { type: MEDIA_TYPE, content },
      headers,
    })
    return body === null ? {} : objectAt(body)
  }

  /** Resolves to undefined when what the request is about does not exist. */
  const ignoringMissing = async <Result>(work: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof AdministrationError && error.code === NOT_FOUND) return undefined
      throw error
    }
  }

  return {
    create: async (provider, name) => {
      const scopes = scopesOf(provider)
      if (scopes.length === 0) throw new OutboundError('content', NO_SCOPE)
      const client = objectAt(
        await call(provider, 'CreateUserPoolClient', {
          ClientName: poolClientName(name),
          GenerateSecret: true,
          ...flowsOf(scopes, true),
          // Users do not log in with it.
          ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
        }),
        'UserPoolClient',
      )
      return {
        clientId: textAt(client, 'ClientId'),
        clientSecret: textAt(client, 'ClientSecret'),
        handle: textAt(client, 'ClientId'),
        token: null,
      }
    },

    secrets: {
      most: 2,
      list: async (provider, { clientId }) => {
        const found = await ignoringMissing(call(provider, 'ListUserPoolClientSecrets', { ClientId: clientId }))
        return objectsIn(found ? found.ClientSecrets : []).map((secret) => textAt(secret, 'ClientSecretId'))
      },
      add: async (provider, { clientId }) => {
        const added = await call(provider, 'AddUserPoolClientSecret', { ClientId: clientId })
        const descriptor = objectAt(added, 'ClientSecretDescriptor')
        return { id: textAt(descriptor, 'ClientSecretId'), secret: textAt(descriptor, 'ClientSecretValue') }
      },
      remove: async (provider, { clientId }, secretId) => {
        const members = { ClientId: clientId, ClientSecretId: secretId }
        await ignoringMissing(call(provider, 'DeleteUserPoolClientSecret', members))
      },
    },

    setEnabled: async (provider, { clientId }, isEnabled) => {
      const current = objectAt(await call(provider, 'DescribeUserPoolClient', { ClientId: clientId }), 'UserPoolClient')
      // An update resets the members that it omits. These cannot be sent.
      const { ClientSecret: _, CreationDate: __, LastModifiedDate: ___, ...members } = current
      await call(provider, 'UpdateUserPoolClient', { ...members, ...flowsOf(scopesOf(provider), isEnabled) })
    },

    remove: async (provider, { clientId }) => {
      await ignoringMissing(call(provider, 'DeleteUserPoolClient', { ClientId: clientId }))
    },

    findLost: async (provider, name) => {
      const wanted = poolClientName(name)
      let NextToken: unknown
      for (let page = 0; page < MAX_PAGES; page++) {
        const members = { MaxResults: CLIENTS_PER_PAGE, ...(typeof NextToken === 'string' && { NextToken }) }
        const { UserPoolClients, NextToken: next } = await call(provider, 'ListUserPoolClients', members)
        const found = objectsIn(UserPoolClients).filter(({ ClientName }) => ClientName === wanted)
        if (found.length > 0) {
          return found
            .map((client) => textAt(client, 'ClientId'))
            .map((clientId) => ({ clientId, handle: clientId, token: null }))
        }
        if (typeof next !== 'string' || objectsIn(UserPoolClients).length === 0) return []
        NextToken = next
      }
      throw new OutboundError('content', 'the user pool has too many clients to find one by its name')
    },

    test: (provider) => testPermissions(provider, (action, members) => call(provider, action, members)),
  }
}

const NO_SCOPE =
  'a client of a user pool needs a scope of a resource server: set administration.scope or requiredScope of the record'

/**
 * Tries every action in a way that changes nothing: for a client or a scope that does not exist. Amazon decides about the permission before it looks
 * for them.
 */
async function testPermissions(
  provider: AdministeredProvider,
  call: (action: string, members: object) => Promise<unknown>,
): Promise<AdministrationCheck[]> {
  const none = { ClientId: NO_CLIENT }
  const unknownScope = { ClientName: 'countersign test', GenerateSecret: true, ...flowsOf([NO_CLIENT], true) }
  const secretId = `${NO_CLIENT}--0`
  const actions: readonly (readonly [action: string, members: object])[] = [
    ['ListUserPoolClients', { MaxResults: 1 }],
    ['CreateUserPoolClient', unknownScope],
    ['DescribeUserPoolClient', none],
    ['UpdateUserPoolClient', { ...none, ClientName: 'countersign test' }],
    ['DeleteUserPoolClient', none],
    ['ListUserPoolClientSecrets', none],
    ['AddUserPoolClientSecret', none],
    ['DeleteUserPoolClientSecret', { ...none, ClientSecretId: secretId }],
  ]
  const checks: AdministrationCheck[] = []
  for (const [action, members] of actions) {
    checks.push(
      await probe({
        name: action,
        permission: `${SERVICE}:${action}`,
        run: () => call(action, members),
        isGranted: ({ code }) =>
          [NOT_FOUND, 'ScopeDoesNotExistException', 'InvalidParameterException'].includes(code ?? ''),
      }),
    )
    // Without a valid key, the other actions would say the same.
    if (checks.length === 1 && isKeyRefused(checks[0])) {
      const reason = 'the provider refuses the key: check administration.accessKeyId, secretAccessKey and the clock'
      return [failed('sign a request', reason)]
    }
  }
  if (scopesOf(provider).length === 0) checks.push(failed('choose the scope of new clients', NO_SCOPE))
  return checks
}

const KEY_ERRORS = /UnrecognizedClientException|InvalidSignatureException|IncompleteSignature|ExpiredToken/

function isKeyRefused(check: AdministrationCheck | undefined): boolean {
  return check !== undefined && KEY_ERRORS.test(check.message)
}

/** Without the flow, the client gets no tokens. */
function flowsOf(scopes: readonly string[], isEnabled: boolean) {
  return {
    AllowedOAuthFlowsUserPoolClient: isEnabled,
    AllowedOAuthFlows: isEnabled ? ['client_credentials'] : [],
    AllowedOAuthScopes: isEnabled ? scopes : [],
  }
}

/** Names have letters, digits, white space and `+=,.@-_`. The marker is at the end, and is never cut. */
function poolClientName({ name, marker }: ClientName): string {
  const suffix = clientNameOf({ name: '', marker }).replace(/[()]/g, '')
  const plain = name.replace(/[^\w\s+=,.@-]/g, '_')
  return `${plain.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`
}

/** The issuer ends with the id of the pool, `<region>_<id>`. */
function regionOf({ issuer }: AdministeredProvider): string {
  return poolIdOf(issuer).split('_', 1)[0] ?? ''
}
