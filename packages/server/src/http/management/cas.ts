import {
  CA,
  CaCreate,
  CaPatch,
  CaVerify,
  CaWrite,
  type CaCreate as CreateBody,
  type CaPatch as PatchBody,
  RESPONSES,
  type CaVerify as VerifyBody,
  type CaWrite as WriteBody,
} from '@countersign/contract'
import { isSecurityMember, newId, readCaCertificate } from '@countersign/core'
import { createCa } from '../../operations/ca/create-ca.ts'
import { deleteCa } from '../../operations/ca/delete-ca.ts'
import { trustCa } from '../../operations/ca/trust-ca.ts'
import { patchCa, replaceCa } from '../../operations/ca/update-ca.ts'
import { verifyCa } from '../../operations/ca/verify-ca.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ClientCertificates } from '../../platform/keys/client-certificates.ts'
import type { SignControllerJwt } from '../../platform/keys/sign-controller-jwt.ts'
import { caFromRow, type StoredCa } from '../../store/ca-row.ts'
import { CA_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findCa } from '../../store/reads/ca-reads.ts'
import type { CaRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, done, selfLink, timestamp, withVersion } from '../pipeline/envelope.ts'
import { checkAccepts } from '../pipeline/limits.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { slowOperationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { createMemberView } from '../shared/member-view.ts'
import { ENROLLER_AUDIENCE } from '../shared/network-jwt.ts'
import { idOf, resourceRoutes } from './resource-routes.ts'
import { trustView } from './trust-view.ts'

const ONE = `${MANAGEMENT}/cas/:id`
const JWT_TYPE = 'application/jwt'

const SECURITY_MEMBERS = Object.keys(CaPatch.properties).filter(isSecurityMember)
const READ_ONLY = Object.keys(RESPONSES.Ca.properties)

interface CaRouteParts {
  readonly store: Store
  readonly clock: Clock
  readonly addresses: () => readonly string[]
  readonly signControllerJwt: SignControllerJwt
  readonly clientCertificates: Pick<ClientCertificates, 'authorities'>
}

/** The management of third-party CAs. */
export function caRoutes(parts: CaRouteParts): Route[] {
  const { store, clock, addresses, signControllerJwt, clientCertificates } = parts
  const meta = (call: Call) => slowOperationMeta(call, clock.now())
  const get = async (id: string): Promise<StoredCa> => {
    const ca = await findCa(store.db, id)
    if (!ca) throw notFound('ca', id)
    return ca
  }
  /** Holds no secret: it tells a client where to enroll with its certificate. */
  const jwtOf = ({ id }: StoredCa): string => {
    const iss = `https://${addresses()[0]}/`
    return signControllerJwt({ iss, sub: id, aud: [ENROLLER_AUDIENCE], jti: id, em: 'ca', ctrls: null })
  }

  return [
    ...resourceRoutes<CreateBody, PatchBody, WriteBody>(clock, {
      names: ['cas'],
      entity: 'ca',
      words: { schema: 'Ca', noun: 'a third-party CA', plural: 'third-party CAs' },
      writeSchema: CaCreate,
      replaceSchema: CaWrite,
      patchSchema: CaPatch,
      unknownMembers: { readOnly: READ_ONLY, watched: SECURITY_MEMBERS },
      list: (call) => {
        const show = (rows: readonly CaRow[]) => rows.map((row) => caView(caFromRow(row)))
        return listResponse({ store, table: CA_FILTER, show }, call)
      },
      get: async (_call, id) => {
        const ca = await get(id)
        return withVersion(detail(caView(ca)), ca.updatedAt)
      },
      create: async (call, id, body) => {
        const certificate = readCaCertificate(body.certPem, clientCertificates.authorities())
        await store.run(createCa, { id, body, certificate, verificationToken: newId() }, meta(call))
      },
      replace: (call, id, body) => store.run(replaceCa, { id, body }, meta(call)),
      patch: (call, id, body) => store.run(patchCa, { id, body }, meta(call)),
      remove: (call, id) => store.run(deleteCa, { id }, meta(call)),
    }),
    {
      method: 'POST',
      paths: [`${ONE}/verify`],
      access: { entity: 'ca', action: 'update' },
      bodyCap: 'management',
      body: { schema: CaVerify, optional: true, text: { types: ['text/plain'], member: 'certPem', isInJson: true } },
      note: describe.done('Prove the possession of the private key of a CA', {
        description:
          'The body is a certificate in PEM, as text or as a JSON string. Its common name is the `verificationToken` of the CA, which has signed it.',
      }),
      handle: async (call) => {
        const { certPem: proofPem = '' } = call.body as VerifyBody
        await store.run(verifyCa, { id: idOf(call), proofPem }, meta(call))
        return done()
      },
    },
    {
      method: 'GET',
      paths: [`${ONE}/jwt`],
      access: { entity: 'ca', action: 'read' },
      bodyCap: 'management',
      body: null,
      produces: JWT_TYPE,
      note: describe.other('A JWT', 'Get the JWT with which clients enroll by a certificate of a CA'),
      handle: async (call) => {
        checkAccepts(call.untrustedHeaderLines('accept').join(','), [JWT_TYPE, 'application/json'])
        const content = Buffer.from(jwtOf(await get(idOf(call))))
        return { status: 200, bytes: { content, type: JWT_TYPE } }
      },
    },
    {
      method: 'POST',
      paths: [`${ONE}/trust`],
      access: { entity: 'admin', action: 'change' },
      bodyCap: 'management',
      body: null,
      note: describe.done('Trust a CA as it is', { parameters: ['ifMatch'] }),
      handle: async (call) => {
        await store.run(trustCa, { id: idOf(call) }, meta(call))
        return done()
      },
    },
  ]
}

const viewMembers = createMemberView<StoredCa>(CA.members, {
  certPem: ({ certPem }) => certPem,
  trust: ({ trust }) => trustView(trust),
})

function caView(ca: StoredCa) {
  const link = (name: string) => ({ [name]: { href: `./cas/${ca.id}/${name}` } })
  return {
    _links: {
      ...selfLink('cas', ca.id),
      ...(!ca.isVerified && link('verify')),
      ...(ca.isAutoCaEnrollmentEnabled && link('jwt')),
    },
    id: ca.id,
    createdAt: timestamp(ca.createdAt),
    updatedAt: timestamp(ca.updatedAt),
    tags: ca.tags,
    ...viewMembers(ca),
  }
}
