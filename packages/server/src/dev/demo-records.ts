import { isDisabled } from '../store/identity-row.ts'
import { findIdentityByExternalId } from '../store/reads/identity-reads.ts'
import { listProviderRows } from '../store/reads/provider-reads.ts'
import { listSignerIssuers } from '../store/reads/signer-reads.ts'
import type { Store } from '../store/store.ts'
import { PEOPLE } from './people.ts'
import { isLocalProviderRecord, SIGNER_AUDIENCE } from './provider-addresses.ts'

interface DemoRecord {
  readonly id: string
  readonly name: string
}

/** The enabled records with which the local provider logs people and machines in. */
export interface DemoRecords {
  readonly signers: readonly DemoRecord[]
  readonly providers: readonly (DemoRecord & { readonly organizationId: string })[]
  /** The people of the local provider, including those who enrolled there. */
  readonly identities: readonly DemoRecord[]
}

/** Recognises the records by their content: each node has a provider of its own, and earlier versions did not mark them. */
export async function loadDemoRecords({ db }: Pick<Store, 'db'>, now: number): Promise<DemoRecords> {
  const signers = (await listSignerIssuers(db)).filter(
    ({ enabled, issuer, audience, jwks_endpoint: jwksUri }) =>
      enabled && audience === SIGNER_AUDIENCE && isLocalProviderRecord({ issuer, jwksUri }),
  )
  const providers = (await listProviderRows(db, 'everything')).filter(
    ({ enabled, issuer, jwks_uri: jwksUri }) => enabled && isLocalProviderRecord({ issuer, jwksUri }),
  )
  const people = await Promise.all(PEOPLE.map(({ email }) => findIdentityByExternalId(db, email)))
  return {
    signers: signers.map(({ id, name }) => ({ id, name })),
    providers: providers.map(({ id, name, organization_id: organizationId }) => ({ id, name, organizationId })),
    identities: people.flatMap((identity) =>
      identity && !isDisabled(identity, now) ? [{ id: identity.id, name: identity.name }] : [],
    ),
  }
}
