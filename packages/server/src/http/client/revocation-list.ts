import { AppError } from '@countersign/core'
import type { RevocationLists } from '../../enrollment/revocation-lists.ts'
import { REVOCATION_LIST } from '../api-paths.ts'
import { findNotModified } from '../pipeline/not-modified.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

interface RevocationListRouteParts {
  readonly revocationLists: Pick<RevocationLists, 'find'>
}

const TYPE = 'application/pkix-crl'
/** Short: a revoked certificate must be on the list within 10 seconds. An unchanged list costs a 304. */
const CACHE_CONTROL = 'public, max-age=2, must-revalidate'
const KEY_ID = /^[0-9a-f]{40}$/

/** The list of revoked certificates, for programs that verify certificates of this controller themselves. */
export function revocationListRoutes({ revocationLists }: RevocationListRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: [REVOCATION_LIST],
      access: 'anonymous',
      rate: 'query',
      bodyCap: 'anonymous',
      body: null,
      note: describe.other('The list in DER', 'Get the list of revoked certificates (CRL)', {
        parameters: ['issuer'],
        description:
          'The list of the CA that issues certificates now, or of the one with the key identifier `issuer`. ' +
          'Certificates name the address of their list.',
      }),
      produces: TYPE,
      handle: async (call) => {
        const issuer = call.query.get('issuer') ?? undefined
        if (issuer !== undefined && !KEY_ID.test(issuer)) throw new AppError('NOT_FOUND')
        const list = await revocationLists.find(issuer)
        if (!list) throw new AppError(issuer === undefined ? 'CA_UNAVAILABLE' : 'NOT_FOUND')
        const headers = {
          etag: list.etag,
          'cache-control': CACHE_CONTROL,
          'last-modified': new Date(list.thisUpdate).toUTCString(),
        }
        return findNotModified(call, headers) ?? { status: 200, headers, bytes: { content: list.der, type: TYPE } }
      },
    },
  ]
}
