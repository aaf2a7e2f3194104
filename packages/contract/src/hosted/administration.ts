import { text, url } from '../body-members.ts'
import Type, { annotated, type Static, type TSchema } from '../schema/type.ts'

/** How the clients of API accounts are administered at their identity provider. */
export const ADMINISTRATION_KINDS = ['rfc7591', 'cognito', 'auth0', 'entra', 'keycloak', 'manual'] as const
export type AdministrationKind = (typeof ADMINISTRATION_KINDS)[number]

/** The members that hold a secret. Each kind has at most one. */
export const ADMINISTRATION_SECRETS = ['registrationToken', 'clientSecret', 'secretAccessKey'] as const
export type AdministrationSecret = (typeof ADMINISTRATION_SECRETS)[number]

const described = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Optional(annotated(schema, { description }))
const secret = (description: string) =>
  Type.Optional(
    Type.String({ maxLength: 4096, secret: true, description: `${description}. Stored sealed, never returned` }),
  )
/** In responses. Bodies may repeat it without effect. */
const isSet = () => Type.Optional(Type.Boolean({ description: 'Whether the secret is stored. Read-only' }))

const kind = () => Type.Enum<AdministrationKind[]>([...ADMINISTRATION_KINDS])

const SETTINGS = {
  registrationUrl: described(url(), 'rfc7591: URL of the client registration endpoint'),
  url: described(
    url(),
    'keycloak: base URL of the server. cognito, entra: URL of the administration API, if it is not that of the issuer',
  ),
  realm: described(text(255), 'keycloak: the realm'),
  clientId: described(text(256), 'auth0, entra, keycloak: the client that administers others'),
  accessKeyId: described(text(128), 'cognito: the access key of the IAM user'),
  scope: described(
    text(512),
    'cognito, auth0: the scopes of new clients, separated by spaces. Default: the `requiredScope` of the record',
  ),
  managementAudience: described(
    url(),
    'auth0: the audience of the Management API, if the issuer is a custom domain. Default: `<issuer>api/v2/`',
  ),
}

/** The stored form, without the secret. */
export const Administration = Type.Object({ kind: kind(), ...SETTINGS })

export const AdministrationBody = Type.Object({
  kind: kind(),
  ...SETTINGS,
  registrationToken: secret('rfc7591: the initial access token'),
  clientSecret: secret('auth0, entra, keycloak: the secret of `clientId`'),
  secretAccessKey: secret('cognito: the secret of `accessKeyId`'),
  registrationTokenSet: isSet(),
  clientSecretSet: isSet(),
  secretAccessKeySet: isSet(),
})

export const AdministrationView = Type.Object({
  kind: kind(),
  ...SETTINGS,
  registrationTokenSet: isSet(),
  clientSecretSet: isSet(),
  secretAccessKeySet: isSet(),
})

export type Administration = Readonly<Static<typeof Administration>>
export type AdministrationBody = Readonly<Static<typeof AdministrationBody>>

/** Response of `POST /identity/v1/identity-providers/{id}/test`. */
export const AdministrationTest = Type.Object({
  ok: Type.Boolean(),
  kind: kind(),
  checks: Type.Array(
    Type.Object({
      name: Type.String({ description: 'What was tried' }),
      ok: Type.Boolean(),
      missing: Type.Optional(Type.String({ description: 'The permission at the provider that is missing' })),
      message: Type.String(),
    }),
  ),
})
export type AdministrationTest = Readonly<Static<typeof AdministrationTest>>
