import type { KeyStatus } from '@countersign/sdk'
import type { Collection, ResourceKind, Thing, WritableCollection } from './resource-kind.ts'

const column = (title: string, member: string) => ({ title, get: (thing: Thing) => thing[member] })
const ID = column('ID', 'id')
const NAME = column('NAME', 'name')
const READ_ONLY = ['_links', 'id', 'createdAt', 'updatedAt']

/** External JWT Signers. */
export const SIGNERS: ResourceKind = {
  plural: 'signers',
  singular: 'signer',
  hasNames: true,
  open: ({ signers }) => signers as unknown as WritableCollection,
  columns: [NAME, column('ENABLED', 'enabled'), column('ISSUER', 'issuer'), column('AUDIENCE', 'audience'), ID],
  fields: [
    {
      flag: 'issuer',
      member: 'issuer',
      kind: 'text',
      value: 'URL',
      description: 'iss of its tokens, letter by letter',
    },
    { flag: 'audience', member: 'audience', kind: 'text', description: 'aud of its tokens' },
    { flag: 'jwks-endpoint', member: 'jwksEndpoint', kind: 'text', value: 'URL', description: 'Where its keys are' },
    { flag: 'cert', member: 'certPem', kind: 'file', description: 'Or the certificate with its key (PEM)' },
    { flag: 'jwks-ca', member: 'jwksCaPem', kind: 'file', description: 'CA of the JWKS endpoint (PEM)' },
    { flag: 'kid', member: 'kid', kind: 'text', description: 'Key id, for a certificate' },
    {
      flag: 'claims-property',
      member: 'claimsProperty',
      kind: 'text',
      value: 'CLAIM',
      description: 'Claim that says who it is',
    },
    {
      flag: 'use-external-id',
      member: 'useExternalId',
      kind: 'switch',
      description: 'The claim is the externalId, not the id',
    },
    { flag: 'client-id', member: 'clientId', kind: 'text', description: 'Client id for logins in the browser' },
    {
      flag: 'openid-configuration',
      member: 'openIdConfigurationUrl',
      kind: 'text',
      value: 'URL',
      description: 'Its discovery document',
    },
    {
      flag: 'external-auth-url',
      member: 'externalAuthUrl',
      kind: 'text',
      value: 'URL',
      description: 'Where people sign in',
    },
    { flag: 'scope', member: 'scopes', kind: 'list', description: 'Scope for logins in the browser; may be repeated' },
    {
      flag: 'target-token',
      member: 'targetToken',
      kind: 'text',
      value: 'KIND',
      description: 'Which token signs in: ACCESS or ID',
    },
    {
      flag: 'enroll-to-cert',
      member: 'enrollToCertEnabled',
      kind: 'switch',
      description: 'Its tokens may enroll to a certificate',
    },
    {
      flag: 'enroll-to-token',
      member: 'enrollToTokenEnabled',
      kind: 'switch',
      description: 'Its tokens may enroll to token use',
    },
    {
      flag: 'enroll-policy',
      member: 'enrollAuthPolicyId',
      kind: 'text',
      value: 'NAME',
      description: 'Policy of those who enroll, by name or id',
    },
  ],
  defaults: { enabled: true },
  writable: [
    'name',
    'enabled',
    'issuer',
    'audience',
    'jwksEndpoint',
    'jwksCaPem',
    'certPem',
    'kid',
    'claimsProperty',
    'useExternalId',
    'externalAuthUrl',
    'openIdConfigurationUrl',
    'clientId',
    'scopes',
    'targetToken',
    'enrollToCertEnabled',
    'enrollToTokenEnabled',
    'enrollAttributeClaimsSelector',
    'enrollNameClaimsSelector',
    'enrollAuthPolicyId',
    'clockSkewSeconds',
    'maxTokenAgeSeconds',
    'requiredClaims',
    'tags',
  ],
  readOnly: [...READ_ONLY, 'fingerprint', 'commonName', 'notBefore', 'notAfter', 'keyStatus'],
  warningsOf: ({ keyStatus }) => (keyStatus as KeyStatus | undefined)?.warnings ?? [],
}

/** Authentication policies. */
export const POLICIES: ResourceKind = {
  plural: 'policies',
  singular: 'policy',
  hasNames: true,
  open: ({ authPolicies }) => authPolicies as unknown as WritableCollection,
  columns: [
    NAME,
    { title: 'SIGN IN BY', get: ({ primary }) => listMethods(primary) },
    { title: 'SECOND FACTOR', get: ({ secondary }) => listFactors(secondary) },
    ID,
  ],
  fields: [
    { flag: 'allow-cert', member: 'primary.cert.allowed', kind: 'switch', description: 'Certificates sign in' },
    {
      flag: 'allow-expired-certs',
      member: 'primary.cert.allowExpiredCerts',
      kind: 'switch',
      description: 'Also those that have ended',
    },
    { flag: 'allow-jwt', member: 'primary.extJwt.allowed', kind: 'switch', description: 'Tokens of signers sign in' },
    {
      flag: 'allowed-signer',
      member: 'primary.extJwt.allowedSigners',
      kind: 'list',
      value: 'NAME',
      description: 'Only this signer, by name or id; may be repeated',
    },
    { flag: 'allow-password', member: 'primary.updb.allowed', kind: 'switch', description: 'Passwords sign in' },
    {
      flag: 'min-password-length',
      member: 'primary.updb.minPasswordLength',
      kind: 'number',
      value: 'N',
      description: 'Shortest password',
    },
    {
      flag: 'max-attempts',
      member: 'primary.updb.maxAttempts',
      kind: 'number',
      value: 'N',
      description: 'Wrong passwords until lock-out; 0: never',
    },
    {
      flag: 'lockout-minutes',
      member: 'primary.updb.lockoutDurationMinutes',
      kind: 'number',
      value: 'N',
      description: 'How long the lock-out lasts',
    },
    {
      flag: 'require-totp',
      member: 'secondary.requireTotp',
      kind: 'switch',
      description: 'Ask everybody for one-time codes',
    },
    {
      flag: 'require-signer',
      member: 'secondary.requireExtJwtSigner',
      kind: 'text',
      value: 'NAME',
      description: 'Ask for a token of this signer, by name or id, on every call',
    },
  ],
  defaults: {
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: {
        allowed: false,
        minPasswordLength: 8,
        requireSpecialChar: false,
        requireNumberChar: false,
        requireMixedCase: false,
        maxAttempts: 0,
        lockoutDurationMinutes: 0,
      },
    },
    secondary: { requireTotp: false },
  },
  writable: ['name', 'primary', 'secondary', 'tags'],
  readOnly: READ_ONLY,
  innerMembers: {
    primary: ['cert', 'extJwt', 'updb'],
    'primary.cert': ['allowed', 'allowExpiredCerts'],
    'primary.extJwt': ['allowed', 'allowedSigners'],
    'primary.updb': [
      'allowed',
      'minPasswordLength',
      'requireSpecialChar',
      'requireNumberChar',
      'requireMixedCase',
      'maxAttempts',
      'lockoutDurationMinutes',
    ],
    secondary: ['requireTotp', 'requireExtJwtSigner'],
  },
}

/** Identities. */
export const IDENTITIES: ResourceKind = {
  plural: 'identities',
  singular: 'identity',
  hasNames: true,
  open: ({ identities }) => identities as unknown as WritableCollection,
  columns: [
    NAME,
    { title: 'TYPE', get: (identity) => identity.typeId ?? (identity.type as { id?: string } | undefined)?.id },
    column('ADMIN', 'isAdmin'),
    column('DISABLED', 'disabled'),
    column('ATTRIBUTES', 'roleAttributes'),
    column('EXTERNAL ID', 'externalId'),
    ID,
  ],
  fields: [
    {
      flag: 'type',
      member: 'type',
      kind: 'text',
      value: 'TYPE',
      description: 'User, Device, Service, Router or Default [Default]',
    },
    { flag: 'admin', member: 'isAdmin', kind: 'switch', description: 'May do everything' },
    { flag: 'external-id', member: 'externalId', kind: 'text', description: 'What signers with useExternalId match' },
    {
      flag: 'policy',
      member: 'authPolicyId',
      kind: 'text',
      value: 'NAME',
      description: 'Its authentication policy, by name or id',
    },
    { flag: 'attribute', member: 'roleAttributes', kind: 'list', description: 'Attribute; may be repeated' },
    {
      flag: 'permission',
      member: 'permissions',
      kind: 'list',
      description: 'Permission, such as identity.read; may be repeated',
    },
  ],
  defaults: { type: 'Default', isAdmin: false },
  writable: [
    'name',
    'type',
    'isAdmin',
    'externalId',
    'authPolicyId',
    'roleAttributes',
    'permissions',
    'appData',
    'tags',
  ],
  alsoTaken: [
    'attributes',
    'defaultHostingCost',
    'defaultHostingPrecedence',
    'serviceHostingCosts',
    'serviceHostingPrecedences',
  ],
  readOnly: [
    ...READ_ONLY,
    'typeId',
    'isDefaultAdmin',
    'isMfaEnabled',
    'authPolicy',
    'disabled',
    'disabledAt',
    'disabledUntil',
    'authenticators',
    'enrollment',
    'envInfo',
    'sdkInfo',
    'interfaces',
    'edgeRouterConnectionStatus',
    'hasApiSession',
    'hasEdgeRouterConnection',
  ],
}

/** Sessions of everybody. */
export const SESSIONS: ResourceKind<Collection> = {
  plural: 'sessions',
  singular: 'session',
  hasNames: false,
  open: ({ apiSessions }) => apiSessions as unknown as Collection,
  columns: [
    ID,
    { title: 'IDENTITY', get: ({ identity }) => (identity as { name?: string } | undefined)?.name },
    column('ADDRESS', 'ipAddress'),
    column('LAST USED', 'cachedLastActivityAt'),
    column('SINCE', 'createdAt'),
  ],
  fields: [],
  defaults: {},
  writable: [],
  readOnly: [],
}

interface Primary {
  readonly cert?: { readonly allowed: boolean }
  readonly extJwt?: { readonly allowed: boolean }
  readonly updb?: { readonly allowed: boolean }
}

function listMethods(primary: unknown): string {
  const { cert, extJwt, updb } = (primary ?? {}) as Primary
  return [cert?.allowed && 'certificate', extJwt?.allowed && 'JWT', updb?.allowed && 'password']
    .filter(Boolean)
    .join(', ')
}

function listFactors(secondary: unknown): string {
  const { requireTotp, requireExtJwtSigner } = (secondary ?? {}) as {
    requireTotp?: boolean
    requireExtJwtSigner?: string | null
  }
  return [requireTotp && 'one-time code', requireExtJwtSigner && 'JWT'].filter(Boolean).join(', ')
}
