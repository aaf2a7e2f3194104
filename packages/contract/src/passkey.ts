import { name, openObject, optional, secret, text } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

/** A credential id has at most 1023 bytes. */
const credentialId = () => Type.String({ minLength: 1, maxLength: 1364 })
const encoded = (maxLength: number) => secret({ minLength: 1, maxLength, refusedAs: 'PASSKEY_INVALID' })

const credential = {
  id: credentialId(),
  rawId: credentialId(),
  type: Type.Enum(['public-key']),
  authenticatorAttachment: optional(text(32)),
  clientExtensionResults: optional(openObject()),
}

/** The response of an authenticator to a login, as `PublicKeyCredential.toJSON()` returns it; bytes are base64url. */
export const PasskeyAssertion = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: encoded(4096),
    authenticatorData: encoded(4096),
    signature: encoded(2048),
    userHandle: optional(text(128)),
  }),
})

export type PasskeyAssertion = Static<typeof PasskeyAssertion>

/** The response of an authenticator that has created a passkey, as `PublicKeyCredential.toJSON()` returns it. */
export const PasskeyAttestation = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: encoded(4096),
    attestationObject: encoded(8192),
    transports: optional(Type.Array(text(32), { maxItems: 16 })),
  }),
})

export type PasskeyAttestation = Static<typeof PasskeyAttestation>

/** Body of `POST /current-identity/passkeys`. */
export const PasskeyCreate = Type.Object({ name: optional(name()), credential: PasskeyAttestation })
export type PasskeyCreate = Static<typeof PasskeyCreate>

/** Body of `PATCH /current-identity/passkeys/{id}`. */
export const PasskeyPatch = Type.Object({ name: name() })
export type PasskeyPatch = Static<typeof PasskeyPatch>

/** Body of `POST /authenticate/passkey`, which completes a session. */
export const PasskeyFactor = Type.Object({ passkey: PasskeyAssertion })
export type PasskeyFactor = Static<typeof PasskeyFactor>
