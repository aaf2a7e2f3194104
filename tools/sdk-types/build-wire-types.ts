import * as contract from '@countersign/contract'

const { ERRORS, PERMISSIONS } = contract

/** The members of JSON Schema that the contract's schemas are made of. */
interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Bodies by the name that a user of the SDK knows them under; answers keep theirs. */
const BODIES = {
  SignerInput: contract.ExtJwtSignerWrite,
  SignerChanges: contract.ExtJwtSignerPatch,
  AuthPolicyInput: contract.AuthPolicyWrite,
  AuthPolicyChanges: contract.AuthPolicyPatch,
  IdentityInput: contract.IdentityWrite,
  IdentityChanges: contract.IdentityPatch,
  AuthenticatorInput: contract.AuthenticatorCreate,
  AuthenticatorChanges: contract.AuthenticatorPatch,
  EnrollmentInput: contract.EnrollmentCreate,
  OrganizationInput: contract.OrganizationWrite,
  OrganizationChanges: contract.OrganizationPatch,
  ProviderInput: contract.IdentityProviderWrite,
  ProviderChanges: contract.IdentityProviderPatch,
  AccountInput: contract.ApiAccountCreate,
  AccountChanges: contract.ApiAccountPatch,
  AccountRotation: contract.ApiAccountRotate,
  NetworkInput: contract.NetworkWrite,
  NetworkChanges: contract.NetworkPatch,
}

const ANSWERS = [
  ...['Signer', 'KeyStatus', 'ClientSigner', 'DiscoveredSigner', 'SignerCertificate', 'Explanation', 'AuthDecision'],
  ...['Identity', 'IdentityType', 'AuthPolicy', 'Authenticator', 'Enrollment'],
  ...['ApiSession', 'CurrentApiSession', 'AuthQuery', 'OneTimeCodes', 'RecoveryCodes', 'NewSessionCertificate'],
  ...['RenewedCertificate', 'Version', 'Controller', 'Protocols', 'NetworkJwt', 'Enrolled'],
  ...['OrganizationSettings', 'ProviderSettings', 'AccountSettings', 'NetworkSettings'],
] as const satisfies readonly contract.AnswerName[]

/** The file of the SDK that holds the shapes of the wire as plain types, so that it needs no package to describe itself. */
export function buildWireTypes(): string {
  const named = new Map<unknown, string>(ANSWERS.map((name) => [contract.ANSWERS[name], name]))
  const write = (schema: Schema, where: 'answer' | 'body', isTop = false): string => {
    const name = isTop ? undefined : named.get(schema)
    if (name) return name
    if (schema.enum) return isPermissions(schema.enum) ? 'Permission' : literals(schema.enum)
    if (schema.anyOf) return schema.anyOf.map((one) => write(one, where)).join(' | ')
    if (schema.items) return arrayOf(write(schema.items, where))
    const [pattern] = Object.values(schema.patternProperties ?? {})
    if (pattern) return `Readonly<Record<string, ${write(pattern, where)}>>`
    if (!schema.properties) return SCALARS[schema.type ?? ''] ?? 'unknown'
    const members = Object.entries(schema.properties).map(([member, its]) => {
      if (schema.required?.includes(member)) return `readonly ${member}: ${write(its, where)}`
      // Of a caller null is taken as "not given".
      return `readonly ${member}?: ${write(its, where)}${where === 'body' ? ' | null' : ''} | undefined`
    })
    return `{\n${members.join('\n')}\n}`
  }
  const answers = ANSWERS.map(
    (name) => `export interface ${name} ${write(contract.ANSWERS[name] as Schema, 'answer', true)}`,
  )
  const bodies = Object.entries(BODIES).map(
    ([name, schema]) => `export interface ${name} ${write(schema as Schema, 'body', true)}`,
  )
  return [
    '/** The shapes of the wire. Written by `npm run generate` from the contract; not to be edited. */\n',
    `/** Every code that a controller answers with. */\nexport type ErrorCode = ${literals(Object.keys(ERRORS).map((code) => contract.wireNameOf(code as contract.ErrorCode)))}\n`,
    `/** What an identity may be permitted. */\nexport type Permission = ${literals(PERMISSIONS)}\n`,
    ...answers,
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
  return values.length === PERMISSIONS.length && PERMISSIONS.every((one) => values.includes(one))
}

function literals(values: readonly unknown[]): string {
  return [...new Set(values)].map((value) => JSON.stringify(value)).join(' | ')
}

function arrayOf(item: string): string {
  return item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`
}
