import { MAX_PASSWORD_LENGTH, username } from './authenticator.ts'
import { MAX_PEM_LENGTH, openObject, optional, secret, text } from './body-members.ts'
import type { ErrorCode } from './error-codes.ts'
import Type, { type Static } from './schema/type.ts'

/** How an identity that was created in advance gets its credential: `ott` with its own key, `ottca` with a certificate of a
 * third-party CA, `updb` with a password. */
export const ENROLLMENT_METHODS = ['ott', 'ottca', 'updb'] as const
export type EnrollmentMethod = (typeof ENROLLMENT_METHODS)[number]

/** Longer than every issued token, and short enough to look up. */
export const MAX_ENROLLMENT_TOKEN_LENGTH = 256

const instant = () => text(64)
const token = () => secret({ minLength: 0, maxLength: MAX_ENROLLMENT_TOKEN_LENGTH })
const pem = () =>
  Type.String({ maxLength: MAX_PEM_LENGTH, secret: true, refusedAs: 'MISSING_OR_INVALID_CSR' satisfies ErrorCode })
const password = () => secret({ minLength: 5, maxLength: MAX_PASSWORD_LENGTH })

/** Body of POST. */
export const EnrollmentCreate = Type.Object({
  method: Type.Enum([...ENROLLMENT_METHODS]),
  identityId: text(128),
  expiresAt: instant(),
  caId: optional(text(128)),
  username: optional(username()),
  tags: optional(openObject()),
})

/** Body of `POST /enrollments/{id}/refresh` and of `POST /authenticators/{id}/re-enroll`. */
export const EnrollmentWindow = Type.Object({ expiresAt: instant() })

/** Enrollments in the POST of an identity. When several are requested, only `ott` is created. */
export const identityEnrollment = () => {
  return Type.Object({ ott: optional(Type.Boolean()), ottca: optional(text(128)), updb: optional(username()) })
}

/** Body of `POST /enroll/ott`. */
export const EnrollOtt = Type.Object({ token: optional(token()), clientCsr: optional(pem()) })

/** Body of `POST /enroll/ottca`. */
export const EnrollOttCa = Type.Object({ token: optional(token()) })

/** Body of `POST /enroll/updb`. `username` is ignored: the enrollment determines it. */
export const EnrollUpdb = Type.Object({ username: optional(text(100)), password: optional(password()) })

/** Body of `POST /enroll`, whose method and token are in the query. */
export const Enroll = Type.Object({
  name: optional(text()),
  username: optional(text(100)),
  password: optional(password()),
  clientCsr: optional(pem()),
})

export type EnrollmentCreate = Static<typeof EnrollmentCreate>
export type EnrollmentWindow = Static<typeof EnrollmentWindow>
export type IdentityEnrollment = Static<ReturnType<typeof identityEnrollment>>
export type EnrollOtt = Static<typeof EnrollOtt>
export type EnrollOttCa = Static<typeof EnrollOttCa>
export type Enroll = Static<typeof Enroll>
