import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import type { Row } from './report/result.ts'
import type { DatabaseName } from './support/bench-database.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { buildRequest } from './support/build-request.ts'
import { type LoadConnection, openConnection } from './support/connection.ts'
import { MANAGEMENT, NO_LIMITS, type Product, withInstallation } from './support/product.ts'
import { cpuMsOf, memoryMibOf } from './support/server-process.ts'

const SIZES = {
  normal: { users: 100_000, groups: 1_000 },
  quick: { users: 2_000, groups: 20 },
}
const CONNECTIONS = 32
/** Each user is in this many groups. */
const GROUPS_OF_USER = 2
const MEMBERS_PER_REQUEST = 1_000
const PAGE = 200
/** Whatever their number. */
const MAX_MIB = 512
const SETTINGS = { ...NO_LIMITS, COUNTERSIGN_LIMITS_SCIM_BURST: '0' }

/** Loads users and groups by SCIM as a provider's agent does, with changes of members and lists: the memory must not grow with their number. */
export const scim: BenchPart = async (run) => {
  for (const database of run.options.databases) await measureScim(run, database)
}

async function measureScim(run: BenchRun, database: DatabaseName): Promise<void> {
  const { users, groups } = run.options.isQuick ? SIZES.quick : SIZES.normal
  await withInstallation(
    database,
    async (installation) => {
      const product = await installation.start()
      const client = await ScimLoad.open(product)
      const rows: Row[] = []
      const measure = async <Result>(name: string, work: () => Promise<Result[]>): Promise<Result[]> => {
        run.progress(`${database}: ${name}`)
        const [cpu, started] = [cpuMsOf(product.pid), performance.now()]
        const results = await work()
        const seconds = (performance.now() - started) / 1000
        const perCall = (cpuMsOf(product.pid) - cpu) / results.length
        rows.push({
          name: `${name} (${results.length})`,
          measures: {
            cpu: { value: perCall },
            perSecond: { value: results.length / seconds },
            mib: { value: memoryMibOf(product.pid), target: { atMost: MAX_MIB } },
          },
        })
        return results
      }
      const tenth = Math.ceil(users / 10)
      const create = (from: number, until: number) => () =>
        client.sendAll(until - from, (at) => ['POST', '/Users', newUser(from + at)], idOf)
      const ids = await measure('create a user, the first tenth', create(0, tenth))
      ids.push(...(await measure('create a user, the others', create(tenth, users))))
      const groupIds = await measure('create a group with its members', () =>
        client.sendAll(groups, (at) => ['POST', '/Groups', newGroup(at, ids, groups)], idOf),
      )
      await measure(`add ${MEMBERS_PER_REQUEST} members to the largest group`, () => {
        const size = Math.ceil(users / MEMBERS_PER_REQUEST)
        const added = (at: number) => ids.slice(at * MEMBERS_PER_REQUEST, (at + 1) * MEMBERS_PER_REQUEST)
        const request = (at: number): Call => ['PATCH', `/Groups/${groupIds[0]}`, members('add', added(at))]
        return client.sendAll(size, request, undefined, { inTurn: true })
      })
      await measure('remove and add one member of the largest group', () =>
        client.sendAll(Math.min(users, 2_000), (at) => [
          'PATCH',
          `/Groups/${groupIds[0]}`,
          members(at % 2 === 0 ? 'remove' : 'add', ids.slice(at >> 1, (at >> 1) + 1)),
        ]),
      )
      await measure('find a user by userName', () =>
        client.sendAll(Math.min(users, 20_000), (at) => ['GET', `/Users?filter=${byName(at)}`]),
      )
      await measure(`list ${PAGE} users, every page`, () =>
        client.sendAll(Math.ceil(users / PAGE), (at) => ['GET', `/Users?startIndex=${at * PAGE + 1}&count=${PAGE}`]),
      )
      await measure('read the largest group with all members', () => client.readLong(5, `/Groups/${groupIds[0]}`))
      await measure('active: false', () =>
        client.sendAll(Math.min(users, 5_000), (at) => ['PATCH', `/Users/${ids[at]}`, INACTIVE]),
      )
      run.report({
        title: `SCIM, ${database}`,
        text: `${users.toLocaleString('en')} users, each in ${GROUPS_OF_USER} of ${groups.toLocaleString('en')} groups, one of which then gets all users; ${CONNECTIONS} connections. Memory is resident, after the step.`,
        columns: [
          { key: 'cpu', title: 'CPU ms', digits: 2 },
          { key: 'perSecond', title: 'per s', digits: 0 },
          { key: 'mib', title: 'MiB', digits: 0 },
        ],
        rows,
      })
    },
    { settings: SETTINGS },
  )
}

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const INACTIVE = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] }

const userName = (at: number) => `user-${at}@example.com`
const byName = (at: number) => encodeURIComponent(`userName eq "${userName(at)}"`)

function newUser(at: number) {
  const name = { givenName: 'User', familyName: String(at) }
  return { userName: userName(at), externalId: `00u${at}`, displayName: `User ${at}`, name, active: true }
}

/** The n-th user is in the groups n and n + 1, modulo their number. */
function newGroup(at: number, ids: readonly string[], groups: number) {
  const own: { value: string }[] = []
  for (let next = 0; next < GROUPS_OF_USER; next += 1) {
    for (let user = (at - next + groups) % groups; user < ids.length; user += groups)
      own.push({ value: ids[user] ?? '' })
  }
  return { displayName: `group ${at}`, externalId: `00g${at}`, members: own }
}

function members(op: 'add' | 'remove', ids: readonly string[]) {
  if (op === 'remove')
    return { schemas: [PATCH], Operations: ids.map((id) => ({ op, path: `members[value eq "${id}"]` })) }
  return { schemas: [PATCH], Operations: [{ op, path: 'members', value: ids.map((value) => ({ value })) }] }
}

const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id

type Call = readonly [method: string, path: string, body?: object]

/** Requests of an identity provider over several connections. */
class ScimLoad {
  readonly #product: Product
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  private constructor(product: Product, base: string, token: string) {
    this.#product = product
    this.#base = base
    this.#headers = { authorization: `Bearer ${token}` }
  }

  static async open(product: Product): Promise<ScimLoad> {
    const issuer = 'https://scim.bench'
    const signer = { name: 'scim', enabled: true, issuer, audience: 'bench', jwksEndpoint: `${issuer}/keys` }
    const { data } = await product.call('POST', `${MANAGEMENT}/ext-jwt-signers`, { ...signer, useExternalId: true })
    const id = String((data as Record<string, string>).id)
    const made = await product.call('POST', `${MANAGEMENT}/ext-jwt-signers/${id}/scim-tokens`)
    return new ScimLoad(product, `/scim/v2/${id}`, String((made.data as Record<string, string>).token))
  }

  /** Sends `count` requests and returns what `read` returns for each response, in their order. */
  async sendAll<Result = undefined>(
    count: number,
    request: (at: number) => Call,
    read: (body: string) => Result = () => undefined as Result,
    { inTurn = false } = {},
  ): Promise<Result[]> {
    const results = new Array<Result>(count)
    let begun = 0
    const work = async (connection: LoadConnection): Promise<void> => {
      while (begun < count) {
        const at = begun++
        const [method, path, body] = request(at)
        const text = body && JSON.stringify(body)
        const { status, body: content } = await connection.send(
          buildRequest(method, `${this.#base}${path}`, this.#headers, text),
        )
        if (status >= 300) throw new Error(`${method} ${path}: ${status} ${content()}`)
        results[at] = read(content())
      }
    }
    // New ones for each step: the server closes those that are idle.
    const opening = Array.from({ length: inTurn ? 1 : CONNECTIONS }, () => openConnection(this.#product))
    const connections = await Promise.all(opening)
    await Promise.all(connections.map(work))
    for (const connection of connections) connection.close()
    return results
  }

  /** Reads a response that is sent in chunks. */
  async readLong(count: number, path: string): Promise<number[]> {
    const lengths: number[] = []
    const { port, ca } = this.#product
    for (let each = 0; each < count; each += 1) {
      const target = { host: '127.0.0.1', servername: 'localhost', port, ca, path: `${this.#base}${path}` }
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get({ ...target, headers: this.#headers, agent: false }, resolve).once('error', reject)
      })
      let length = 0
      for await (const chunk of response) length += chunk.length
      lengths.push(length)
    }
    return lengths
  }
}
