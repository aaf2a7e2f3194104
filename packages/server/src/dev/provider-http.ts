import type { IncomingMessage, ServerResponse } from 'node:http'
import { isJsonObject, JsonError, readJson } from '@countersign/core'

/** A response of a route of the local provider. */
export interface ProviderResponse {
  readonly status: number
  readonly json?: unknown
  readonly html?: string
  readonly headers?: Readonly<Record<string, string>>
}

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const MAX_BODY_BYTES = 16_384
const LIMITS = { maxDepth: 4, maxMembers: 100 }
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** A body of string members, or why it is invalid. */
export type FormBody = { readonly members: ReadonlyMap<string, string> } | { readonly error: string }

/** Reads a form or, if `json`, a JSON object. Repeated members are an error; members that are not strings are ignored. */
export async function readForm(request: IncomingMessage, { json }: { json: boolean }): Promise<FormBody> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== FORM && !(json && type === JSON_TYPE)) {
    return { error: `the content type must be ${FORM}${json ? ` or ${JSON_TYPE}` : ''}` }
  }
  const body = await readBody(request)
  if (body === undefined) return { error: 'the body is too long' }
  return type === FORM ? membersOf(new URLSearchParams(body.toString('utf8'))) : membersOfJson(body)
}

/** Responses must not be cached, unless `headers` overrides it for keys and metadata. */
export function send(response: ServerResponse, { status, json, html, headers }: ProviderResponse): void {
  const text = html ?? (json === undefined ? '' : `${JSON.stringify(json)}\n`)
  const type = html === undefined ? JSON_TYPE : 'text/html; charset=utf-8'
  response.writeHead(status, { ...NO_STORE, 'content-type': type, ...headers }).end(text)
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function membersOf(entries: Iterable<readonly [string, string]>): FormBody {
  const members = new Map<string, string>()
  for (const [name, value] of entries) {
    if (members.has(name)) return { error: `${name} is given twice` }
    members.set(name, value)
  }
  return { members }
}

function membersOfJson(body: Buffer): FormBody {
  try {
    const value = readJson(body, LIMITS)
    if (!isJsonObject(value)) return { error: 'the body must be a JSON object' }
    const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return membersOf(texts)
  } catch (error) {
    if (error instanceof JsonError) return { error: 'the body is not valid JSON' }
    throw error
  }
}
