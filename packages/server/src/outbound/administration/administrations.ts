import type { AdministrationKind } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import { type ClientRegistration, createClientRegistration } from '../client-registration.ts'
import type { FetchDocument } from '../fetch-document.ts'
import { createFetchInTurn, type FetchInTurn } from '../fetch-in-turn.ts'
import { createSendAdministration } from './administration-request.ts'
import { createAuth0Administration } from './auth0.ts'
import { createCognitoAdministration } from './cognito.ts'
import { createEntraAdministration } from './entra.ts'
import { createKeycloakAdministration } from './keycloak.ts'
import { manualAdministration } from './manual.ts'
import type { ProviderAdministration } from './provider-administration.ts'
import { createRegistrationAdministration } from './rfc7591.ts'

/** One adapter for each kind of administration. */
export type Administrations = Readonly<Record<AdministrationKind, ProviderAdministration>>

interface AdministrationsParts {
  readonly fetchDocument: FetchDocument
  readonly clock: Clock
  readonly fetchInTurn?: FetchInTurn
  readonly registration?: ClientRegistration
}

export function createAdministrations({
  fetchDocument,
  clock,
  fetchInTurn = createFetchInTurn(fetchDocument),
  registration = createClientRegistration(fetchDocument, fetchInTurn),
}: AdministrationsParts): Administrations {
  const send = createSendAdministration(fetchInTurn)
  return {
    rfc7591: createRegistrationAdministration(registration),
    cognito: createCognitoAdministration(send, clock),
    auth0: createAuth0Administration(send),
    entra: createEntraAdministration(send),
    keycloak: createKeycloakAdministration(send),
    manual: manualAdministration,
  }
}
