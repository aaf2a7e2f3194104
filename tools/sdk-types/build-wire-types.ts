import * as contract from '@countersign/contract'

const { ERRORS, PERMISSIONS } = contract

/** The JSON Schema keywords that the contract uses. */
interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Request bodies by their name in the SDK. Responses keep their contract name. */
const BODIES = {
  SignerInput: contract.ExtJwtSignerWrite,
  SignerChanges: contract.ExtJwtSignerPatch,
  AuthPolicyInput: contract.AuthPolicyWrite,
  AuthPolicyChanges: contract.AuthPolicyPatch,
  CaInput: contract.CaCreate,
  CaChanges: contract.CaPatch,
  EventSinkInput: contract.EventSinkCreate,
  EventSinkChanges: contract.EventSinkPatch,
  IdentityInput: contract.IdentityWrite,
  IdentityChanges: contract.IdentityPatch,
  AuthenticatorInput: contract.AuthenticatorCreate,
  AuthenticatorChanges: contract.AuthenticatorPatch,
  EnrollmentInput: contract.EnrollmentCreate,
  OrganizationInput: contract.OrganizationWrite,
  OrganizationChanges: contract.OrganizationPatch,
  OrganizationQuotaChanges: contract.OrganizationQuotasPatch,
  ProviderInput: contract.IdentityProviderWrite,
  ProviderChanges: contract.IdentityProviderPatch,
  AccountInput: contract.ApiAccountCreate,
  AccountChanges: contract.ApiAccountPatch,
  AccountRotation: contract.ApiAccountRotate,
  NetworkInput: contract.NetworkWrite,
  NetworkChanges: contract.NetworkPatch,
}

const RESPONSES = [
  ...['Signer', 'KeyStatus', 'ClientSigner', 'DiscoveredSigner', 'SignerCertificate', 'Explanation', 'AuthDecision'],
  ...['ScimToken', 'OwnAuthDecision', 'OwnLogin', 'WhatIfReport'],
  ...['Identity', 'IdentityType', 'AuthPolicy', 'Ca', 'Authenticator', 'Enrollment'],
  ...[
    'ApiSession',
    'CurrentApiSession',
    'AuthQuery',
    'OneTimeCodes',
    'RecoveryCodes',
    'Passkey',
    'NewSessionCertificate',
  ],
  ...['RenewedCertificate', 'Version', 'Controller', 'Protocols', 'NetworkJwt', 'Enrolled'],
  ...['OrganizationSettings', 'ProviderSettings', 'AccountSettings', 'NetworkSettings'],
  ...['AdministrationTest', 'AccountJob'],
  ...['EventSink', 'EventSinkTest', 'AuditEntry', 'AuditHead'],
] as const satisfies readonly contract.ResponseName[]

/** Builds the SDK's wire types as plain TypeScript, so that the SDK has no dependency on the contract. */
export function buildWireTypes(): string {
  const named = new Map<unknown, string>(RESPONSES.map((name) => [contract.RESPONSES[name], name]))
  const write = (schema: Schema, direction: 'response' | 'request', isTop = false): string => {
    const name = isTop ? undefined : named.get(schema)
    if (name) return name
    if (schema.enum) return isPermissions(schema.enum) ? 'Permission' : literals(schema.enum)
    if (schema.anyOf) return schema.anyOf.map((option) => write(option, direction)).join(' | ')
    if (schema.items) return arrayOf(write(schema.items, direction))
    const [pattern] = Object.values(schema.patternProperties ?? {})
    if (pattern) return `Readonly<Record<string, ${write(pattern, direction)}>>`
    if (!schema.properties) return SCALARS[schema.type ?? ''] ?? 'unknown'
    const members = Object.entries(schema.properties).map(([member, memberSchema]) => {
      if (schema.required?.includes(member)) return `readonly ${member}: ${write(memberSchema, direction)}`
      // In requests null means "not given".
      return `readonly ${member}?: ${write(memberSchema, direction)}${direction === 'request' ? ' | null' : ''} | undefined`
    })
    return `{\n${members.join('\n')}\n}`
  }
  const responses = RESPONSES.map(
    (name) => `export interface ${name} ${write(contract.RESPONSES[name] as Schema, 'response', true)}`,
  )
  const bodies = Object.entries(BODIES).map(
    ([name, schema]) => `export interface ${name} ${write(schema as Schema, 'request', true)}`,
  )
  return [
    '/** Types of requests and responses. Generated from the contract by `npm run generate`; do not edit. */\n',
    `/** The error codes of a controller. */\nexport type ErrorCode = ${literals(Object.keys(ERRORS).map((code) => contract.wireNameOf(code as contract.ErrorCode)))}\n`,
    `/** The permissions of an identity. */\nexport type Permission = ${literals(PERMISSIONS)}\n`,
    ...responses,
    ...bodies,
    '',
  ].join('\n')
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function isPermissions(values: readonly unknown[]): boolean {
  return values.length === PERMISSIONS.length && PERMISSIONS.every((permission) => values.includes(permission))
}

function literals(values: readonly unknown[]): string {
  return [...new Set(values)].map((value) => JSON.stringify(value)).join(' | ')
}

function arrayOf(item: string): string {
  return item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`
}
