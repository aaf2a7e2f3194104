import assert from 'node:assert/strict'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { type StubRequest, type StubResponse, startStub } from './stub-server.ts'

const TYPE = 'application/x-amz-json-1.1'
const POOL = 'us-east-1_EXAMPLE'
const SCOPE = 'https://gateway.example.net//ignore-scope'

interface PoolClient {
  readonly ClientId: string
  readonly ClientName: string
  readonly AllowedOAuthFlows: readonly string[]
  readonly secrets: { readonly id: string; readonly value: string }[]
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Computes Signature Version 4 as the IAM guide describes it, step by step, apart from the code under test. */
function signatureOf({ method, path, headers, body }: StubRequest, secret: string, signed: readonly string[]): string {
  const canonicalHeaders = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('')
  const canonical = [method, path, '', canonicalHeaders, signed.join(';'), sha256(body)].join('\n')
  const time = String(headers['x-amz-date'])
  const scope = `${time.slice(0, 8)}/us-east-1/cognito-idp/aws4_request`
  const stringToSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = ['us-east-1', 'cognito-idp', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, time.slice(0, 8)))
  return hmac(key, stringToSign).toString('hex')
}

/** The user pool operations of Amazon Cognito, as far as they are used, with the permissions of the caller. */
export async function startCognito(t: TestContext) {
  const clients = new Map<string, PoolClient>()
  const denied = new Set<string>()
  const state = { accessKeyId: 'AKIAEXAMPLE', secret: 'the-secret', failsAt: '', now: () => Date.now() }
  const refuse = (code: string): StubResponse => ({ status: 400, type: TYPE, json: { __type: code, message: code } })
  const accept = (json: object = {}): StubResponse => ({ status: 200, type: TYPE, json })

  const checkSignature = (request: StubRequest): StubResponse | undefined => {
    const { headers } = request
    const parsed =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
        headers.authorization ?? '',
      )
    if (!parsed) return refuse('IncompleteSignatureException')
    const [, keyId, date, scope, names = '', signature] = parsed
    assert.equal(scope, 'us-east-1/cognito-idp/aws4_request')
    const signed = names.split(';')
    for (const name of ['host', 'x-amz-date', 'x-amz-target', 'content-type']) assert.ok(signed.includes(name), name)
    assert.deepEqual(signed, [...signed].sort())
    const time = String(headers['x-amz-date'])
    assert.match(time, /^\d{8}T\d{6}Z$/)
    assert.equal(time.slice(0, 8), date)
    if (keyId !== state.accessKeyId) return refuse('UnrecognizedClientException')
    return signature === signatureOf(request, state.secret, signed) ? undefined : refuse('InvalidSignatureException')
  }

  const actions: Readonly<Record<string, (members: never) => StubResponse>> = {
    ListUserPoolClients: ({ MaxResults, NextToken }: { MaxResults: number; NextToken?: string }) => {
      assert.ok(MaxResults >= 1 && MaxResults <= 60)
      const from = Number(NextToken ?? 0)
      const all = [...clients.values()].map(({ ClientId, ClientName }) => ({ ClientId, ClientName, UserPoolId: POOL }))
      const page = all.slice(from, from + 2)
      return accept({ UserPoolClients: page, ...(from + 2 < all.length && { NextToken: String(from + 2) }) })
    },
    CreateUserPoolClient: (members: Record<string, unknown>) => {
      assert.match(String(members.ClientName), /^[\w\s+=,.@-]{1,128}$/)
      assert.deepEqual([members.GenerateSecret, members.AllowedOAuthFlowsUserPoolClient], [true, true])
      assert.deepEqual(members.AllowedOAuthFlows, ['client_credentials'])
      if (String(members.AllowedOAuthScopes) !== SCOPE) return refuse('ScopeDoesNotExistException')
      const ClientId = randomUUID().replaceAll('-', '').slice(0, 26)
      const value = `secret-of-${ClientId}`
      const client = { ...members, ClientId, secrets: [{ id: `${ClientId}--1`, value }] } as unknown as PoolClient
      clients.set(ClientId, client)
      return accept({ UserPoolClient: { ...client, ClientSecret: value, UserPoolId: POOL, CreationDate: 1 } })
    },
    DescribeUserPoolClient: ({ ClientId }: PoolClient) => {
      const { secrets, ...client } = clients.get(ClientId) ?? {}
      return secrets
        ? accept({ UserPoolClient: { ...client, ClientSecret: 'x', CreationDate: 1, LastModifiedDate: 1 } })
        : missing
    },
    UpdateUserPoolClient: (members: PoolClient) => {
      const client = clients.get(members.ClientId)
      if (!client) return missing
      for (const name of ['ClientSecret', 'CreationDate', 'LastModifiedDate'])
        assert.equal(name in members, false, name)
      assert.equal(members.ClientName, client.ClientName, 'an update without the name resets it')
      clients.set(members.ClientId, { ...members, secrets: client.secrets })
      return accept({ UserPoolClient: members })
    },
    DeleteUserPoolClient: ({ ClientId }: PoolClient) => (clients.delete(ClientId) ? { status: 200 } : missing),
    ListUserPoolClientSecrets: ({ ClientId }: PoolClient) => {
      const secrets = clients.get(ClientId)?.secrets
      return secrets
        ? accept({ ClientSecrets: secrets.map(({ id }) => ({ ClientSecretId: id, ClientSecretCreateDate: 1 })) })
        : missing
    },
    AddUserPoolClientSecret: ({ ClientId }: PoolClient) => {
      const secrets = clients.get(ClientId)?.secrets
      if (!secrets) return missing
      if (secrets.length >= 2) return refuse('LimitExceededException')
      const added = { id: `${ClientId}--${randomUUID()}`, value: `added-${randomUUID()}` }
      secrets.push(added)
      return accept({ ClientSecretDescriptor: { ClientSecretId: added.id, ClientSecretValue: added.value } })
    },
    DeleteUserPoolClientSecret: ({ ClientId, ClientSecretId }: PoolClient & { ClientSecretId: string }) => {
      const secrets = clients.get(ClientId)?.secrets ?? []
      const index = secrets.findIndex(({ id }) => id === ClientSecretId)
      if (index < 0) return missing
      assert.ok(secrets.length > 1, 'the last secret cannot be deleted')
      secrets.splice(index, 1)
      return accept()
    },
  }
  const missing = refuse('ResourceNotFoundException')

  const called: string[] = []
  const stub = await startStub(t, (request) => {
    assert.deepEqual([request.method, request.path, request.headers['content-type']], ['POST', '/', TYPE])
    const action = String(request.headers['x-amz-target']).replace('AWSCognitoIdentityProviderService.', '')
    const run = actions[action]
    assert.ok(run, action)
    called.push(action)
    if (state.failsAt === action) return { status: 500 }
    const refusal = checkSignature(request)
    if (refusal) return refusal
    if (denied.has(action)) return refuse('AccessDeniedException')
    const members = JSON.parse(request.body)
    assert.equal(members.UserPoolId, POOL)
    return run(members as never)
  })
  return { ...stub, clients, denied, called, state, scope: SCOPE }
}
