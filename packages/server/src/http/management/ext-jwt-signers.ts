import {
  ExtJwtSignerPatch,
  ExtJwtSignerWrite,
  type ExtJwtSignerPatch as PatchBody,
  RESPONSES,
  type ExtJwtSignerWrite as WriteBody,
} from '@countersign/contract'
import { fieldError, isSecurityMember } from '@countersign/core'
import type { KeySets } from '../../keyset/key-sets.ts'
import type { Oidc } from '../../oidc/create-oidc.ts'
import { createSigner } from '../../operations/signer/create-signer.ts'
import { deleteSigner } from '../../operations/signer/delete-signer.ts'
import { patchSigner, replaceSigner } from '../../operations/signer/update-signer.ts'
import type { JwksEndpointPolicy } from '../../outbound/jwks-endpoint-policy.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import { SIGNER_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findEnrollPolicy } from '../../store/reads/signer-reads.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT, SIGNER_COLLECTIONS } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { withVersion } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { slowOperationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describeKeys } from './ext-jwt-signer-key-status.ts'
import { readGivenKeys } from './ext-jwt-signer-keys.ts'
import { createSignerTexts, SIGNER_LIST_COLUMNS, type SignerListRow } from './ext-jwt-signer-texts.ts'
import { resourceRoutes } from './resource-routes.ts'

export const COLLECTION = SIGNER_COLLECTIONS.map((name) => `${MANAGEMENT}/${name}`)
export const ONE = COLLECTION.map((path) => `${path}/:id`)

const SECURITY_MEMBERS = Object.keys(ExtJwtSignerPatch.properties).filter(isSecurityMember)
/** The members of responses; every one but these is also in bodies. */
const READ_ONLY = Object.keys(RESPONSES.Signer.properties)

interface ExtJwtSignerRouteParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealing: Sealing
  readonly jwksPolicy: Pick<JwksEndpointPolicy, 'checkEndpoint'>
  readonly signerKeys: Pick<KeySets, 'keyStatus'>
  /** host:port pairs under which clients reach this controller. */
  readonly addresses: () => readonly string[]
  /** Undefined without the OpenID provider. */
  readonly oidc: Pick<Oidc, 'issuers'> | undefined
}

/** The management of External JWT Signers. */
export function extJwtSignerRoutes(parts: ExtJwtSignerRouteParts): Route[] {
  const { store, clock, sealing, jwksPolicy, signerKeys, addresses, oidc } = parts
  const { now } = clock
  const texts = createSignerTexts(store, () => `https://${addresses()[0] ?? ''}`)

  /** Checks the body as far as possible without the store. */
  const checked = <Body extends PatchBody | WriteBody>(id: string, body: Body, { nearMisses }: Call) => {
    if (body.jwksEndpoint) jwksPolicy.checkEndpoint(body.jwksEndpoint)
    if (body.sharedSignals?.jwksUri) jwksPolicy.checkEndpoint(body.sharedSignals.jwksUri, 'sharedSignals.jwksUri')
    checkIsNotThisController(body.issuer, addresses(), oidc?.issuers)
    // The operation crosses threads, so it gets the secret sealed only.
    const { jwksAuthorization: _, ...settings } = body
    return { id, body: settings, nearMisses, ...readGivenKeys(sealing, id, body) }
  }

  const meta = (call: Call) => slowOperationMeta(call, now())
  return resourceRoutes<WriteBody, PatchBody>(clock, {
    names: SIGNER_COLLECTIONS,
    entity: 'external-jwt-signer',
    words: { schema: 'Signer', noun: 'an External JWT Signer', plural: 'External JWT Signers' },
    writeSchema: ExtJwtSignerWrite,
    patchSchema: ExtJwtSignerPatch,
    unknownMembers: { readOnly: READ_ONLY, watched: SECURITY_MEMBERS },
    list: (call) => {
      const { collection } = call
      const show = (rows: readonly SignerListRow[]) => texts.list(rows, collection)
      return listResponse({ store, table: SIGNER_FILTER, columns: SIGNER_LIST_COLUMNS, show }, call)
    },
    get: async ({ collection }, id) => {
      const found = await texts.find(id, collection)
      if (!found) throw notFound('externalJwtSigner', id)
      const { signer, text } = found
      const enrolls = signer.enrollToCertEnabled || signer.enrollToTokenEnabled
      const enrollPolicy = enrolls ? await findEnrollPolicy(store.db, signer) : undefined
      const keyStatus = JSON.stringify(describeKeys(signer, enrollPolicy, now(), signerKeys))
      const response = { status: 200, text: `{"data":${text.slice(0, -1)},"keyStatus":${keyStatus}},"meta":{}}\n` }
      return withVersion(response, signer.updatedAt)
    },
    create: async (call, id, body) => store.run(createSigner, checked(id, body, call), meta(call)),
    replace: async (call, id, body) => store.run(replaceSigner, checked(id, body, call), meta(call)),
    patch: async (call, id, body) => store.run(patchSigner, checked(id, body, call), meta(call)),
    remove: (call, id) => store.run(deleteSigner, { id }, meta(call)),
  })
}

/** Tokens with the controller's own issuer must never be verified with the key of a signer. */
function checkIsNotThisController(
  issuer: string | undefined,
  addresses: readonly string[],
  issuers: Oidc['issuers'] | undefined,
): void {
  const isOurs = addresses.some((address) => issuer === `https://${address}` || issuer === `https://${address}/`)
  if (isOurs || (issuer && issuers?.isOwn(issuer)))
    throw fieldError('issuer', 'issuer is this controller itself', issuer)
}
