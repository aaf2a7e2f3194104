import { MAX_PASSWORD_LENGTH, username } from './authenticator.ts'
import { MAX_PEM_LENGTH, openObject, optional, secret, text } from './body-members.ts'
import type { ErrorCode } from './error-codes.ts'
import Type, { type Static } from './schema/type.ts'

/** How an identity that was made ahead of time comes to its credential: with a key of its own, or with a password. */
export const ENROLLMENT_METHODS = ['ott', 'updb'] as const
export type EnrollmentMethod = (typeof ENROLLMENT_METHODS)[number]

/** Long enough for every token that is handed out, short enough to be looked up without thought. */
export const MAX_ENROLLMENT_TOKEN_LENGTH = 256

const instant = () => text(64)
const token = () => secret({ minLength: 0, maxLength: MAX_ENROLLMENT_TOKEN_LENGTH })
const pem = () =>
  Type.String({ maxLength: MAX_PEM_LENGTH, secret: true, refusedAs: 'MISSING_OR_INVALID_CSR' satisfies ErrorCode })
const password = () => secret({ minLength: 5, maxLength: MAX_PASSWORD_LENGTH })

/** Body of POST; `ottca` is known by name so that it can be refused in words. */
export const EnrollmentCreate = Type.Object({
  method: Type.Enum([...ENROLLMENT_METHODS, 'ottca']),
  identityId: text(128),
  expiresAt: instant(),
  caId: optional(text(128)),
  username: optional(username()),
  tags: optional(openObject()),
})

/** Body of `POST /enrollments/{id}/refresh` and of `POST /authenticators/{id}/re-enroll`. */
export const EnrollmentWindow = Type.Object({ expiresAt: instant() })

/** What POST of an identity may ask for; of several only `ott` is made. */
export const identityEnrollment = () => {
  return Type.Object({ ott: optional(Type.Boolean()), ottca: optional(text(128)), updb: optional(username()) })
}

/** Body of `POST /enroll/ott`. */
export const EnrollOtt = Type.Object({ token: optional(token()), clientCsr: optional(pem()) })

/** Body of `POST /enroll/updb`: the user name is the enrollment's, whatever is sent. */
export const EnrollUpdb = Type.Object({ username: optional(text(100)), password: optional(password()) })

/** Body of `POST /enroll`, whose method and token are in the query. */
export const Enroll = Type.Object({
  username: optional(text(100)),
  password: optional(password()),
  clientCsr: optional(pem()),
})

export type EnrollmentCreate = Static<typeof EnrollmentCreate>
export type EnrollmentWindow = Static<typeof EnrollmentWindow>
export type IdentityEnrollment = Static<ReturnType<typeof identityEnrollment>>
export type EnrollOtt = Static<typeof EnrollOtt>
export type Enroll = Static<typeof Enroll>
