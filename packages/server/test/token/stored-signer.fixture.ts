import type { ExtJwtSignerWrite } from '@countersign/contract'
import { signerFromBody } from '@countersign/core'
import type { StoredSigner } from '../../src/store/signer-row.ts'

/** A trusted signer as the store returns it. */
export function storedSigner(id: string, body: ExtJwtSignerWrite): StoredSigner {
  return {
    ...signerFromBody(body),
    id,
    certificate: null,
    certificates: [],
    jwksAuthorization: null,
    removedKeys: [],
    trust: { isTrusted: true, writtenById: null, writtenByName: null, writtenAt: 0 },
    nearMisses: [],
    revision: 1,
    sessionRevision: 1,
    createdAt: 0,
    updatedAt: 0,
  }
}
