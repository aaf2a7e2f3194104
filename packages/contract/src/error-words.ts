import { ERRORS, type ErrorCode, wireNameOf } from './error-codes.ts'

/** What is known of a refusal. `reason` is the text on the wire, which existing clients parse. */
export interface RefusalFacts {
  /** The code on the wire. */
  readonly code: string
  readonly reason: string
  readonly field?: string | undefined
  /** The name of the entity that already has the value. */
  readonly conflictsWith?: string | undefined
}

/** The nouns of existing clients, and those that people use. */
const NOUNS: Readonly<Record<string, string>> = {
  accountJob: 'job',
  apiAccount: 'API account',
  apiSession: 'session',
  apiSessionCertificate: 'certificate',
  authDecision: 'decision',
  authPolicies: 'policy',
  authPolicy: 'policy',
  authenticators: 'identity',
  cas: 'CA',
  ca: 'CA',
  externalJwtSigner: 'signer',
  externalJwtSigners: 'signer',
  identities: 'identity',
  identityProvider: 'identity provider',
  networkGroup: 'network group',
  scimToken: 'SCIM token',
}

/** What a duplicate is called, by the field of the refusal. */
const VALUES: Readonly<Record<string, string>> = {
  name: 'name',
  issuer: 'issuer and audience',
  kid: 'key id',
  fingerprint: 'certificate',
  certPem: 'certificate',
  externalId: 'external id',
  updbUsername: 'user name',
  username: 'user name',
  clientId: 'client',
  certificate: 'certificate',
  'key of the certificate': 'key of the certificate',
}

const USERS: Readonly<Record<string, string>> = {
  identities: 'Identities use it. Give them another one first.',
  externalJwtSigners: 'Signers use it for identities that enroll. Give them another one first.',
  authPolicies: 'Authentication policies use it. Remove it from them first.',
}

type Words = (facts: RefusalFacts, ...found: string[]) => string

/** Texts of the wire that people should not have to read, and what they read in their place. The first match counts. */
const REASONS: readonly (readonly [pattern: RegExp, words: Words])[] = [
  [
    /^duplicate value '.*' in unique index on (\w+) store$/s,
    ({ field, conflictsWith }, store) => taken(field, conflictsWith, store),
  ],
  [/^(name|label) must be unique/, () => 'This name is already taken'],
  [/^certificate already used as CA\b/, ({ conflictsWith }) => taken('certPem', conflictsWith, 'cas')],
  [
    /^the (certificate|key of the certificate) is in use by another authenticator$/,
    ({ conflictsWith }, value) => taken(value, conflictsWith, 'identities'),
  ],
  [/^entity type \w+ referenced by (\w+): /, (_, users) => USERS[users] ?? 'It is still in use.'],
  [
    /^authDecision with id \S+ not found$/,
    () => 'There is no refusal with this request id. Refusals are kept for 24 hours.',
  ],
  [/^(\w+) with id \S+ not found$/, (_, noun) => `This ${nounOf(noun)} does not exist. It may have been deleted.`],
  [/^(.*): repeat the request with confirmLockOut=true$/s, () => 'After this change no administrator could log in.'],
  [/^not found$/, () => 'It does not exist. It may have been deleted.'],
  [/^invalid current password$/, () => 'The current password is wrong'],
  [/^the value '.*' for '\S+' is invalid: (.*)$/s, (facts, reason) => reasonWords({ ...facts, reason })],
  [/^\S+ in body (.*)$/s, (facts, reason) => reasonWords({ ...facts, reason })],
  [
    /^jwksEndpoint or certPem is required$/,
    () => 'The signer has no keys: give jwksEndpoint, jwks, certPem, certPems or pushedKeys',
  ],
  [/^\S* ?is required$/, () => 'This is required'],
  [/^\S* ?may not be blank$/, () => 'This may not be empty'],
  [/^\S* ?should be at least (\d+) chars long$/, (_, least) => `At least ${least} characters`],
  [/^\S* ?should be at most (\d+) chars long$/, (_, most) => `At most ${most} characters`],
  [/^should be one of \[(.*)\]$/, (_, values) => `One of ${values.split(' ').join(', ')}`],
  [/^should have at most (\d+) items$/, (_, most) => `At most ${most} entries`],
  [/^must be of type uri\b/, () => 'Enter an absolute URL, such as https://login.example'],
  [/^must be of type date-time\b/, () => 'Enter a date and a time'],
  [/^should be greater than or equal to (\S+)$/, (_, least) => `At least ${least}`],
  [/^should be less than or equal to (\S+)$/, (_, most) => `At most ${most}`],
  [/<nil>/, () => 'The value is not valid'],
]

/** What people read for a code whose message is for programs. Others have a message that people understand. */
const CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  NOT_FOUND: 'It does not exist. It may have been deleted.',
  METHOD_NOT_ALLOWED: 'This controller does not support that.',
  UNAUTHORIZED: 'Your permissions do not allow this, or your session has ended.',
  FORBIDDEN: 'Your permissions do not allow this.',
  INVALID_AUTH: 'The login was refused.',
  COULD_NOT_VALIDATE: 'A value is not valid.',
  NOT_ACCEPTABLE: 'The controller did not understand the request.',
  UNSUPPORTED_CONTENT_TYPE: 'The controller did not understand the request.',
  UNSUPPORTED_MEDIA: 'The controller did not understand the request.',
  UNSUPPORTED_MEDIA_TYPE: 'The controller did not understand the request.',
  COULD_NOT_PARSE_BODY: 'The controller did not understand the request.',
  COULD_NOT_READ_BODY: 'The connection ended before the request was complete. Try again.',
  BAD_REQUEST: 'The controller did not understand the request.',
  REQUEST_ENTITY_TOO_LARGE: 'The text or file is too long.',
  REQUEST_HEADERS_TOO_LARGE: 'The browser sends too many or too long headers. Delete the cookies of this site.',
  REQUEST_TIMEOUT: 'The request was not received in time. Try again.',
  INVALID_FIELD: 'A value is not valid.',
  INVALID_FILTER: 'This search is not valid.',
  INVALID_SORT_IDENTIFIER: 'The list cannot be sorted by this.',
  INVALID_PAGINATION: 'There is no such page of the list.',
  INVALID_CERT_PEM: 'Paste exactly one certificate in PEM format, beginning with -----BEGIN CERTIFICATE-----',
  COULD_NOT_PROCESS_CSR: 'The certificate request is not valid.',
  MISSING_OR_INVALID_CSR: 'The certificate request is missing or is not text.',
  CA_UNAVAILABLE: 'No certificate can be issued at the moment. Try again later.',
  CAN_NOT_DELETE_REFERENCED_ENTITY: 'It is still in use.',
  ENTITY_CAN_NOT_BE_DELETED: 'It cannot be deleted.',
  ENTITY_CAN_NOT_BE_UPDATED: 'It cannot be changed.',
  MAX_AUTHENTICATOR_METHODS_REACHED: 'The identity already has one.',
  CAN_NOT_UPDATE_AUTHENTICATOR: 'It cannot be changed in this way.',
  CERT_IN_USE: 'Another identity already has this certificate, or its key.',
  EXPECTED_PEM_CERTIFICATE: 'Paste a certificate in PEM format, beginning with -----BEGIN CERTIFICATE-----',
  COULD_NOT_PARSE_DER_BLOCK: 'The certificate is damaged or incomplete.',
  INVALID_COMMON_NAME: 'The certificate does not have the requested common name.',
  CERTIFICATE_FAILED_VALIDATION: 'This CA did not sign the certificate, or it is not valid now.',
  CERT_FAILED_VALIDATION: 'This CA did not sign the certificate, or it is not valid now.',
  CA_ALREADY_VERIFIED: 'The CA is already verified.',
  NOT_UNIQUE: 'Something else already has this value.',
  PRECONDITION_FAILED: 'It was changed since you opened it.',
  MFA_INVALID_TOKEN: 'The code is wrong, too old, or was used already.',
  INVALID_TOTP_CODE: 'The code is wrong, too old, or was used already.',
  PASSKEY_UNAVAILABLE: 'Passkeys cannot be used under this address of the controller.',
  WOULD_LOCK_OUT: 'After this change no administrator could log in.',
  TEST_CASE_FAILED: 'The signer does not pass its test cases.',
  SERVER_TOO_MANY_REQUESTS: 'Too many attempts. Wait a moment, then try again.',
  TIMEOUT: 'It took too long. Try again.',
  STORE_UNAVAILABLE: 'The controller cannot reach its data at the moment. Try again later.',
  SEALING_KEY_MISMATCH: 'The controller cannot read protected data: its sealing key is another one.',
  UNHANDLED: 'The controller failed. Its log has the reason, with the request id.',
}

/** The messages of codes, which say nothing about the single refusal. */
const MESSAGES: ReadonlyMap<string, ErrorCode> = new Map(
  (Object.keys(ERRORS) as ErrorCode[]).map((code) => [`${wireNameOf(code)} ${ERRORS[code].message}`, code]),
)

/** A refusal in words that people use: without names of indexes, stores and entity types, which the wire keeps for existing clients. */
export function errorWords(facts: RefusalFacts): string {
  const code = MESSAGES.get(`${facts.code} ${facts.reason}`)
  if (code !== undefined) return CODES[code] ?? facts.reason
  return reasonWords(facts)
}

function reasonWords(facts: RefusalFacts): string {
  for (const [pattern, words] of REASONS) {
    const found = pattern.exec(facts.reason)
    if (found) return words(facts, ...found.slice(1))
  }
  return facts.reason
}

function taken(field = '', owner = '', store: string): string {
  // A taken name is the name of the other one.
  const who = `Another ${nounOf(store)}${owner === '' || field === 'name' ? '' : `, “${owner}”,`}`
  return `${who} already has this ${VALUES[field] ?? 'value'}`
}

function nounOf(noun: string): string {
  return NOUNS[noun] ?? noun
}

/** Rules about a value, which mean nothing without its name. */
const RULE = /^(At least|At most|One of|This is|This may|Enter|The value) /

/** Whether the words of a refusal must be shown beside the name of the field. */
export function needsFieldName(words: string): boolean {
  return RULE.test(words)
}

interface ShownResult {
  readonly outcome?: unknown
  readonly check?: unknown
  readonly externalId?: unknown
  readonly attributes?: unknown
  readonly text?: unknown
}

/** One line for each failed test case in the cause of a refusal, with what it expects and what the signer says. Empty for other causes. */
export function failureLines(cause: unknown): string[] {
  const failures = (cause as { readonly failures?: unknown } | undefined)?.failures
  if (!Array.isArray(failures)) return []
  return failures.map(
    ({ name, expected, received }) => `“${name}”: expected ${resultWords(expected)}, received ${resultWords(received)}`,
  )
}

function resultWords({ outcome, check, externalId, attributes, text }: ShownResult = {}): string {
  return [
    String(outcome),
    check === undefined ? '' : ` by ${check}`,
    externalId === undefined ? '' : ` as ${JSON.stringify(externalId)}`,
    Array.isArray(attributes) ? ` with attributes ${JSON.stringify(attributes)}` : '',
    typeof text === 'string' && text !== '' ? ` (${text})` : '',
  ].join('')
}
