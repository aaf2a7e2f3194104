import {
  AppError,
  isAllowed,
  type LeafCertificate,
  readLeafCertificate,
  readSignerCertificate,
} from '@countersign/core'
import {
  findCertificateOwnerName,
  findExternalIdOwnerName,
  findUsernameOwnerName,
} from '../../store/reads/owner-reads.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'
import type { Route } from '../pipeline/route.ts'

type Db = Store['db']
type Body = Readonly<Record<string, unknown>>

/** How the identity that has a refused value is found, by the code and the field of the refusal. */
const OWNERS: Readonly<Record<string, (db: Db, body: Body) => Promise<string | undefined> | undefined>> = {
  'COULD_NOT_VALIDATE externalId': (db, { externalId }) => ifText(externalId, (id) => findExternalIdOwnerName(db, id)),
  'COULD_NOT_VALIDATE updbUsername': (db, { username }) => ifText(username, (name) => findUsernameOwnerName(db, name)),
  'CERT_IN_USE certPem': (db, { certPem }) =>
    ifText(certPem, async (pem) => {
      const leaf = readLeaf(pem)
      return leaf && findCertificateOwnerName(db, leaf)
    }),
}

const READ_IDENTITIES = { entity: 'identity', action: 'read' } as const

/**
 * The routes, with the name of the identity in refusals of a value that it has already. For callers that can read identities, and only after the refusal: a
 * write that succeeds has no more to do.
 */
export function namingOwners({ db }: Pick<Store, 'db'>, routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    if (route.method === 'GET') return route
    const handle: Route['handle'] = async (call) => {
      try {
        return await route.handle(call)
      } catch (error) {
        throw error instanceof AppError ? await withOwner(db, call, error) : error
      }
    }
    return { ...route, handle }
  })
}

async function withOwner(db: Db, { session, body }: Call, error: AppError): Promise<AppError> {
  const { code, publicCause } = error
  const field = publicCause && 'field' in publicCause ? publicCause.field : ''
  const find = OWNERS[`${code} ${field}`]
  if (!find || !session || !isAllowed(session.identity, READ_IDENTITIES)) return error
  const conflictsWith = await find(db, (body ?? {}) as Body)
  return conflictsWith === undefined
    ? error
    : new AppError(code, { ...publicCause, conflictsWith } as AppError['publicCause'], { cause: error.cause })
}

function ifText<T>(value: unknown, find: (text: string) => Promise<T>): Promise<T> | undefined {
  return typeof value === 'string' && value !== '' ? find(value) : undefined
}

function readLeaf(certPem: string): LeafCertificate | undefined {
  return readLeafCertificate(readSignerCertificate(certPem).der)
}
