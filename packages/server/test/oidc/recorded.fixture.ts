/** Requests and responses that were recorded from an existing controller of release 2.0.3, in `recorded/`. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply, TestApp } from '../http/build-app.ts'
import { encodeForm } from './oidc.fixture.ts'

type Json = unknown
type Texts = Readonly<Record<string, string>>

interface Exchange {
  readonly title: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string | readonly string[]>>
    readonly body?: Texts
  }
  readonly response: {
    readonly status: number
    readonly headers: Texts
    readonly body?: Json
  }
}

/** The address of the recorded controller. */
export const RECORDED_HOST = 'ctrl.example.test:1280'

export interface Replay {
  /** Texts of the recording, such as ids, and what stands for them here. */
  readonly texts?: Texts
  /** Members of the body in place of shortened ones. */
  readonly body?: Texts
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** What deliberately differs: another status, after which nothing else is compared, and headers. */
  readonly status?: number
  readonly otherHeaders?: readonly string[]
}

/** Replays the exchanges of one file against a test app, each once. */
export class Recording {
  readonly #app: TestApp
  readonly #left: Map<string, Exchange>

  constructor(app: TestApp, name: string) {
    this.#app = app
    const exchanges: Exchange[] = JSON.parse(
      readFileSync(join(import.meta.dirname, 'recorded', `${name}.json`), 'utf8'),
    )
    this.#left = new Map(exchanges.map((exchange) => [exchange.title, exchange]))
  }

  /** Sends the request and compares the response. */
  async replay(title: string, replay: Replay = {}): Promise<Reply> {
    const { request, response } = this.#take(title)
    const reply = await this.#send(request, replay)
    assert.equal(reply.status, replay.status ?? response.status, `${title}: ${reply.text}`)
    if (replay.status !== undefined) return reply
    const texts = Object.values(replay.texts ?? {})
    for (const [name, recorded] of Object.entries(response.headers)) {
      if (IGNORED_HEADERS.has(name) || replay.otherHeaders?.includes(name)) continue
      if (name === 'content-type' && response.status === 302) continue
      assertLike(reply.headers[name], fill(recorded, replay.texts), { path: `${title}: ${name}`, name, texts })
    }
    // Redirects have no body here: no client shows it.
    if (response.status !== 302)
      assertLike(reply.json, fill(response.body, replay.texts), { path: title, name: '', texts })
    return reply
  }

  /** What was recorded, for an exchange that is compared in another way. */
  read(title: string): Exchange['response'] {
    return this.#take(title).response
  }

  assertComplete(): void {
    assert.deepEqual([...this.#left.keys()], [], 'every recorded exchange is replayed')
  }

  #take(title: string): Exchange {
    const exchange = this.#left.get(title) ?? assert.fail(`not recorded: ${title}`)
    this.#left.delete(title)
    return exchange
  }

  #send({ method, path, headers, body }: Exchange['request'], replay: Replay): Promise<Reply> {
    const sent = { host: RECORDED_HOST, ...headers, ...replay.headers } as Record<string, string>
    const members = body && { ...(fill(body, replay.texts) as Texts), ...replay.body }
    const isForm = sent['content-type'] === 'application/x-www-form-urlencoded'
    const raw = members && (isForm ? encodeForm(members) : JSON.stringify(members))
    const url = fill(path, replay.texts) as string
    return this.#app.call(method, url, undefined, { headers: sent, ...(raw !== undefined && { raw }) })
  }
}

/** Sent by existing controllers with every response of the edge APIs. */
const IGNORED_HEADERS = new Set(['server'])

function fill(value: Json, texts: Texts = {}): Json {
  const entries = Object.entries(texts)
  const text = JSON.stringify(value) ?? 'null'
  return JSON.parse(entries.reduce((all, [from, to]) => all.replaceAll(from, JSON.stringify(to).slice(1, -1)), text))
}

/** Shortened, a time, an id, an address with a port, or a version: of these the type is compared. */
const VOLATILE =
  /…|^\d{4}-\d\d-\d\dT[\d:.]+Z$|^[0-9A-Za-z]{9}$|^[0-9A-Za-z]{22}$|^\d+\.\d+\.\d+\.\d+:\d+$|^v\d+\.\d+\.\d+$/
const VOLATILE_NUMBERS = new Set(['expires_in', 'expirationSeconds'])
/** Lists whose order says nothing. */
const SETS = new Set(['filterableFields'])

interface Place {
  readonly path: string
  readonly name: string
  readonly texts: readonly string[]
}

function assertLike(actual: Json, recorded: Json, place: Place): void {
  const { path, name, texts } = place
  if (Array.isArray(recorded)) assertListLike(actual, recorded, place)
  else if (typeof recorded === 'object' && recorded !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, path)
    assert.deepEqual(Object.keys(actual).toSorted(), Object.keys(recorded).toSorted(), path)
    const members = actual as Record<string, Json>
    for (const [key, value] of Object.entries(recorded)) {
      assertLike(members[key], value, { path: `${path}.${key}`, name: key, texts })
    }
  } else if (typeof recorded === 'string' && VOLATILE.test(recorded) && !texts.includes(recorded)) {
    assert.equal(typeof actual, 'string', path)
  } else if (VOLATILE_NUMBERS.has(name)) {
    assert.equal(typeof actual, 'number', path)
  } else assert.deepEqual(actual, recorded, path)
}

function assertListLike(actual: Json, recorded: readonly Json[], { path, name, texts }: Place): void {
  assert.ok(Array.isArray(actual), path)
  if (recorded.includes('…')) return
  assert.equal(actual.length, recorded.length, path)
  const inOrder = (list: readonly Json[]) => (SETS.has(name) ? list.toSorted() : list)
  for (const [at, item] of inOrder(recorded).entries()) {
    assertLike(inOrder(actual)[at], item, { path: `${path}[${at}]`, name: '', texts })
  }
}
