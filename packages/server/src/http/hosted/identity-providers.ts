import { randomUUID } from 'node:crypto'
import {
  IdentityProviderPatch,
  IdentityProviderWrite,
  type IdentityProviderPatch as PatchBody,
  type IdentityProviderWrite as WriteBody,
} from '@countersign/contract'
import { fieldError, type ProviderSettings, providerFromBody } from '@countersign/core'
import { sealRegistrationToken } from '../../hosted/account-clients.ts'
import { createProvider } from '../../operations/identity-provider/create-provider.ts'
import { deleteProvider } from '../../operations/identity-provider/delete-provider.ts'
import { patchProvider, replaceProvider } from '../../operations/identity-provider/update-provider.ts'
import { getProvider, listProviders } from '../../store/reads/provider-reads.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { type Answer, hostedCallerOf, type Route } from '../pipeline/route.ts'
import { hostedMeta } from './hosted-meta.ts'
import { providerView } from './identity-views.ts'

const READ = { hosted: 'read' } as const
const ADMIN = { hosted: 'admin' } as const
const COLLECTION = '/identity/v1/identity-providers'
const ONE = `${COLLECTION}/:id`
/** What is fetched from or posted to; the same rules as for the keys of signers. */
const FETCHED = ['discoveryUrl', 'jwksUri', 'registrationUrl'] as const

/** Whose tokens an organization trusts. */
export function identityProviderRoutes(context: ControllerContext): Route[] {
  const { store, clock, jwksPolicy, sealing, discoverProvider, targetOrganization } = context

  const show = async (organizationId: string, id: string) =>
    providerView(await getProvider(store.db, organizationId, id))

  const checkEndpoints = (provider: Partial<Pick<ProviderSettings, (typeof FETCHED)[number]>>): void => {
    for (const field of FETCHED) {
      const url = provider[field]
      const problem = url ? jwksPolicy.findProblem(url) : undefined
      if (problem) throw fieldError(field, problem, url)
    }
  }

  /** What the body leaves out is asked of the provider; what cannot be had there must be in the body. */
  const complete = async (body: WriteBody): Promise<ProviderSettings> => {
    const isWhole = body.jwksUri && (body.kind !== 'oidc' || body.tokenUrl)
    const provider = providerFromBody(body, isWhole ? {} : await discoverProvider(body.issuer, body.discoveryUrl))
    checkEndpoints(provider)
    return provider
  }

  const sealed = (id: string, { registrationToken }: { registrationToken?: string | undefined }) =>
    registrationToken === undefined
      ? undefined
      : registrationToken === ''
        ? null
        : sealRegistrationToken(sealing, id, registrationToken)

  const base = { bodyCap: 'management', body: null } as const
  return [
    {
      ...base,
      method: 'GET',
      paths: [COLLECTION],
      access: READ,
      handle: async (call) => {
        const providers = await listProviders(store.db, hostedCallerOf(call).organizationId)
        return { status: 200, json: providers.map(providerView) }
      },
    },
    {
      ...base,
      method: 'GET',
      paths: [ONE],
      access: READ,
      handle: async (call) => ({
        status: 200,
        json: await show(hostedCallerOf(call).organizationId, call.params.id ?? ''),
      }),
    },
    {
      ...base,
      method: 'POST',
      paths: [COLLECTION],
      access: ADMIN,
      body: { schema: IdentityProviderWrite, optional: false },
      handle: async (call) => {
        const body = call.body as WriteBody
        const organizationId = await targetOrganization(hostedCallerOf(call), body.organizationId)
        const id = randomUUID()
        const provider = await complete(body)
        const sealedRegistrationToken = sealed(id, body)
        const args = { id, organizationId, provider, sealedRegistrationToken }
        await store.run(createProvider, args, hostedMeta(call, clock.now()))
        return { status: 201, json: await show(organizationId, id) }
      },
    },
    {
      ...base,
      method: 'PUT',
      paths: [ONE],
      access: ADMIN,
      body: { schema: IdentityProviderWrite, optional: false },
      handle: async (call): Promise<Answer> => {
        const { organizationId } = hostedCallerOf(call)
        const body = call.body as WriteBody
        const id = call.params.id ?? ''
        await show(organizationId, id)
        const args = { id, organizationId, provider: await complete(body), sealedRegistrationToken: sealed(id, body) }
        await store.run(replaceProvider, args, hostedMeta(call, clock.now()))
        return { status: 200, json: await show(organizationId, id) }
      },
    },
    {
      ...base,
      method: 'PATCH',
      paths: [ONE],
      access: ADMIN,
      body: { schema: IdentityProviderPatch, optional: false },
      handle: async (call): Promise<Answer> => {
        const { organizationId } = hostedCallerOf(call)
        const patch = call.body as PatchBody
        checkEndpoints(patch)
        const id = call.params.id ?? ''
        const args = { id, organizationId, patch, sealedRegistrationToken: sealed(id, patch) }
        await store.run(patchProvider, args, hostedMeta(call, clock.now()))
        return { status: 200, json: await show(organizationId, id) }
      },
    },
    {
      ...base,
      method: 'DELETE',
      paths: [ONE],
      access: ADMIN,
      handle: async (call: Call): Promise<Answer> => {
        const { organizationId } = hostedCallerOf(call)
        const args = { id: call.params.id ?? '', organizationId }
        await store.run(deleteProvider, args, hostedMeta(call, clock.now()))
        return { status: 204 }
      },
    },
  ]
}
