import type { AdministrationKind } from '../../api/wire.ts'

/** A member of `administration` in the form. */
export interface AdministrationField {
  readonly name: 'registrationUrl' | 'url' | 'realm' | 'clientId' | 'accessKeyId' | 'scope' | 'managementAudience'
  readonly label: string
  readonly isRequired: boolean
  readonly description?: string
}

interface AdministrationForm {
  readonly label: string
  readonly fields: readonly AdministrationField[]
  readonly secret?: {
    readonly name: 'registrationToken' | 'clientSecret' | 'secretAccessKey'
    readonly label: string
  }
}

const CLIENT_ID: AdministrationField = {
  name: 'clientId',
  label: 'Administration client id',
  isRequired: true,
  description: 'The client at the provider that creates and deletes others',
}
const CLIENT_SECRET = { name: 'clientSecret', label: 'Administration client secret' } as const
const SCOPE: AdministrationField = {
  name: 'scope',
  label: 'Scopes of new clients',
  isRequired: false,
  description: 'Separated by spaces. Default: the required scope',
}

const API_URL: AdministrationField = {
  name: 'url',
  label: 'Administration URL',
  isRequired: false,
  description: 'Of the administration API, if it is not that of the issuer',
}

/** How the form asks for each kind of administration. */
export const ADMINISTRATIONS: Readonly<Record<AdministrationKind, AdministrationForm>> = {
  manual: { label: 'By hand', fields: [] },
  keycloak: {
    label: 'Keycloak (admin REST API)',
    fields: [
      { name: 'url', label: 'Server URL', isRequired: true, description: 'What stands before /realms/ in the issuer' },
      { name: 'realm', label: 'Realm', isRequired: true },
      CLIENT_ID,
    ],
    secret: CLIENT_SECRET,
  },
  cognito: {
    label: 'Amazon Cognito (user pool clients)',
    fields: [{ name: 'accessKeyId', label: 'Access key id', isRequired: true }, SCOPE, API_URL],
    secret: { name: 'secretAccessKey', label: 'Secret access key' },
  },
  auth0: {
    label: 'Auth0 (Management API)',
    fields: [
      CLIENT_ID,
      SCOPE,
      {
        name: 'managementAudience',
        label: 'Management audience',
        isRequired: false,
        description: 'If the issuer is a custom domain: https://TENANT.auth0.com/api/v2/',
      },
    ],
    secret: CLIENT_SECRET,
  },
  entra: { label: 'Microsoft Entra (Graph)', fields: [CLIENT_ID, API_URL], secret: CLIENT_SECRET },
  rfc7591: {
    label: 'Dynamic client registration (RFC 7591)',
    fields: [
      {
        name: 'registrationUrl',
        label: 'Registration URL',
        isRequired: true,
        description: 'Discovered from the provider if it has one',
      },
    ],
    secret: { name: 'registrationToken', label: 'Registration token' },
  },
}
