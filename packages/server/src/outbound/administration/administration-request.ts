import { isJsonObject, JsonError, type JsonObject, type JsonValue, readJson } from '@countersign/core'
import type { SentDocument } from '../fetch-document.ts'
import type { FetchInTurn } from '../fetch-in-turn.ts'
import { OutboundError } from '../outbound-error.ts'
import type { AdministeredProvider } from './provider-administration.ts'

export interface AdministrationRequest extends SentDocument {
  /** The statuses of success. */
  readonly statuses: readonly number[]
  readonly mediaType?: string
}

export interface AdministrationResponse {
  readonly status: number
  readonly body: JsonValue
  readonly location: string | undefined
}

/** A refusal by the provider, with its error code where it is a known one. Other texts of the provider are never repeated. */
export class AdministrationError extends OutboundError {
  readonly code: string | undefined

  constructor(status: number, code: string | undefined) {
    const shown = code === undefined ? '' : ` (${code})`
    super('status', `the provider's administration API refused the request: HTTP ${status}${shown}`, { status })
    this.code = code
  }
}

/** Sends one request to an administration API. Rejects with `AdministrationError` for other statuses, else with `OutboundError`. */
export type SendAdministration = (
  provider: Pick<AdministeredProvider, 'organizationId' | 'signal'>,
  url: string,
  request: AdministrationRequest,
) => Promise<AdministrationResponse>

const JSON_TYPE = 'application/json'
/** Refusals whose bodies are read for their error codes. */
const REFUSALS = [400, 401, 403, 404, 409]
const LIMITS = { maxDepth: 32, maxMembers: 50_000, maxStringLength: 65_536 }

/** Error codes that providers document. Only these are repeated. */
const KNOWN_CODES: ReadonlySet<string> = new Set([
  ...['invalid_client', 'unauthorized_client', 'access_denied', 'invalid_scope', 'insufficient_scope', 'invalid_grant'],
  ...[
    'invalid_request',
    'invalid_token',
    'invalid_client_metadata',
    'invalid_redirect_uri',
    'Unauthorized',
    'Forbidden',
  ],
  ...['Authorization_RequestDenied', 'Request_ResourceNotFound', 'Request_BadRequest', 'InvalidAuthenticationToken'],
  ...['AccessDeniedException', 'NotAuthorizedException', 'UnrecognizedClientException', 'InvalidSignatureException'],
  ...[
    'IncompleteSignatureException',
    'ExpiredTokenException',
    'ResourceNotFoundException',
    'InvalidParameterException',
  ],
  ...['ScopeDoesNotExistException', 'InvalidOAuthFlowException', 'LimitExceededException', 'TooManyRequestsException'],
])

export function createSendAdministration(fetchInTurn: FetchInTurn): SendAdministration {
  return async ({ organizationId, signal }, url, { statuses, mediaType = JSON_TYPE, ...send }) => {
    const {
      status = 0,
      body,
      headers,
    } = await fetchInTurn(organizationId, url, {
      ...(signal && { signal }),
      accept: mediaType,
      // Refusals and created entities may have no body, and so no type.
      mediaTypes: [JSON_TYPE, mediaType, ''],
      statuses: [...statuses, ...REFUSALS.filter((refusal) => !statuses.includes(refusal))],
      send,
    })
    if (!statuses.includes(status)) throw new AdministrationError(status, knownCode(body))
    const content = body.length === 0 ? null : readDocument(body)
    return { status, body: content, location: headers.location }
  }
}

function readDocument(body: Buffer): JsonValue {
  try {
    return readJson(body, LIMITS)
  } catch (error) {
    if (error instanceof JsonError) throw unusableResponse(`it is not valid JSON: ${error.reason}`)
    throw error
  }
}

/** OAuth has `error`, Graph `error.code`, Auth0 `errorCode`, Amazon `__type`, with or without a prefix. */
function knownCode(body: Buffer): string | undefined {
  let document: JsonValue
  try {
    document = readJson(body, LIMITS)
  } catch {
    return undefined
  }
  if (!isJsonObject(document)) return undefined
  const { error, errorCode, __type } = document
  const inner = isJsonObject(error) ? error.code : error
  const texts = [errorCode, inner, typeof __type === 'string' ? __type.split('#').at(-1) : undefined]
  return texts.find((text): text is string => typeof text === 'string' && KNOWN_CODES.has(text))
}

export function unusableResponse(why: string): OutboundError {
  return new OutboundError('content', `the response of the provider's administration API cannot be used: ${why}`)
}

const MAX_LENGTH = 4096

/** The object at a member of a response, or the response itself. Throws `OutboundError` when it is none. */
export function objectAt(body: JsonValue, member?: string): JsonObject {
  const value = member === undefined ? body : isJsonObject(body) ? body[member] : undefined
  if (!isJsonObject(value))
    throw unusableResponse(member === undefined ? 'it is not an object' : `it has no "${member}"`)
  return value
}

/** A text of a response. Throws `OutboundError` when it is missing, empty or too long. */
export function textAt(body: JsonValue, member: string): string {
  const value = isJsonObject(body) ? body[member] : undefined
  if (typeof value !== 'string' || value === '' || value.length > MAX_LENGTH) {
    throw unusableResponse(`it has no "${member}"`)
  }
  return value
}

/** The objects of a list. Throws `OutboundError` when it is not one. */
export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(value)) throw unusableResponse('it is not a list')
  return value.filter((one): one is JsonObject => isJsonObject(one))
}
