import {
  ExtJwtSignerPatch,
  ExtJwtSignerWrite,
  type ExtJwtSignerPatch as PatchBody,
  type ExtJwtSignerWrite as WriteBody,
} from '@countersign/contract'
import { fieldError, newId, readSignerCertificate } from '@countersign/core'
import type { ControllerContext } from '../../controller-context.ts'
import { SIGNER_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findEnrollPolicy } from '../../store/reads/signer-reads.ts'
import type { SignerCertificateFacts } from '../../store/signer-row.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { created, done } from '../pipeline/envelope.ts'
import { listAnswer } from '../pipeline/list-answer.ts'
import { type Call, type Route, sessionOf } from '../pipeline/route.ts'
import { writeMeta } from '../pipeline/write-meta.ts'
import { describeKeys } from './ext-jwt-signer-key-status.ts'
import { createSignerTexts, SIGNER_LIST_COLUMNS, type SignerListRow } from './ext-jwt-signer-texts.ts'

/** The collection has two names: the product's own and the one that existing clients know. */
const NAMES = ['ext-jwt-signers', 'external-jwt-signers']
export const COLLECTION = NAMES.map((name) => `${MANAGEMENT}/${name}`)
export const ONE = COLLECTION.map((path) => `${path}/:id`)

const access = (action: 'create' | 'read' | 'update' | 'delete') => ({ entity: 'external-jwt-signer', action }) as const

/** The management of External JWT Signers. */
export function extJwtSignerRoutes({ store, clock, jwksPolicy, signerKeys, addresses }: ControllerContext): Route[] {
  const { now } = clock
  const texts = createSignerTexts(store)

  /** What can be told from the body alone is refused before the store is asked. */
  const checked = <Body extends PatchBody | WriteBody>(body: Body, call: Call) => {
    if (body.jwksEndpoint) jwksPolicy.checkEndpoint(body.jwksEndpoint)
    checkIsNotOurselves(body.issuer, addresses())
    return { body, certificate: certificateFacts(body.certPem), byAdmin: sessionOf(call).identity.isAdmin }
  }

  return [
    {
      method: 'GET',
      paths: COLLECTION,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      handle: ({ query, collection }) => {
        const show = (rows: readonly SignerListRow[]) => texts.list(rows, collection)
        return listAnswer({ store, table: SIGNER_FILTER, columns: SIGNER_LIST_COLUMNS, show }, query)
      },
    },
    {
      method: 'POST',
      paths: COLLECTION,
      access: access('create'),
      bodyCap: 'management',
      body: { schema: ExtJwtSignerWrite, optional: false },
      handle: async (call) => {
        const id = newId()
        await store.write('signer.create', { id, ...checked(call.body as WriteBody, call) }, writeMeta(call, now()))
        return created(call.collection, id)
      },
    },
    {
      method: 'GET',
      paths: ONE,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      handle: async ({ params: { id = '' }, collection }) => {
        const found = await texts.find(id, collection)
        if (!found) throw notFound('externalJwtSigner', id)
        const { signer, text } = found
        const enrolls = signer.enrollToCertEnabled || signer.enrollToTokenEnabled
        const enrollPolicy = enrolls ? await findEnrollPolicy(store.db, signer) : undefined
        const keyStatus = JSON.stringify(describeKeys(signer, enrollPolicy, now(), signerKeys))
        return { status: 200, text: `{"data":${text.slice(0, -1)},"keyStatus":${keyStatus}},"meta":{}}\n` }
      },
    },
    {
      method: 'PUT',
      paths: ONE,
      access: access('update'),
      bodyCap: 'management',
      body: { schema: ExtJwtSignerWrite, optional: false },
      handle: async (call) => {
        const { id = '' } = call.params
        await store.write('signer.replace', { id, ...checked(call.body as WriteBody, call) }, writeMeta(call, now()))
        return done()
      },
    },
    {
      method: 'PATCH',
      paths: ONE,
      access: access('update'),
      bodyCap: 'management',
      body: { schema: ExtJwtSignerPatch, optional: false },
      handle: async (call) => {
        const { id = '' } = call.params
        await store.write('signer.patch', { id, ...checked(call.body as PatchBody, call) }, writeMeta(call, now()))
        return done()
      },
    },
    {
      method: 'DELETE',
      paths: ONE,
      access: access('delete'),
      bodyCap: 'management',
      body: null,
      handle: async (call) => {
        await store.write('signer.delete', { id: call.params.id ?? '' }, writeMeta(call, now()))
        return done()
      },
    },
  ]
}

/** What this controller signs itself must never be verified with somebody else's key. */
function checkIsNotOurselves(issuer: string | undefined, addresses: readonly string[]): void {
  const isOurs = addresses.some((address) => issuer === `https://${address}` || issuer === `https://${address}/`)
  if (isOurs) throw fieldError('issuer', 'issuer is this controller itself', issuer)
}

function certificateFacts(certPem: string | undefined): SignerCertificateFacts | undefined {
  if (!certPem || certPem.trim() === '') return undefined
  const { fingerprintSha1, commonName, notBefore, notAfter } = readSignerCertificate(certPem)
  return { fingerprint: fingerprintSha1, commonName, notBefore: notBefore.getTime(), notAfter: notAfter.getTime() }
}
