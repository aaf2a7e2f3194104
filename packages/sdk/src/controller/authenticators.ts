import type { CallOptions } from '../http/transport.ts'
import type {
  Authenticator,
  AuthenticatorChanges,
  AuthenticatorInput,
  Enrollment,
  EnrollmentInput,
} from '../wire-types.ts'
import { CreatableResource, type Identified, Resource } from './resource.ts'

/** The credentials of identities. */
export class Authenticators extends Resource<Authenticator, AuthenticatorInput, AuthenticatorChanges> {
  /** Removes an authenticator and lets its identity enroll again until `expiresAt`. Returns the id of the enrollment. */
  async reEnroll(id: string, expiresAt: Date, options: CallOptions = {}): Promise<string> {
    return (await this.act<Identified>(id, 're-enroll', { expiresAt: expiresAt.toISOString() }, options)).id
  }

  /** Requests that the client renew its certificate; `rollKeys` demands a new key. */
  async requestExtend(id: string, options: CallOptions & { readonly rollKeys?: boolean } = {}): Promise<void> {
    const { rollKeys = false, ...rest } = options
    await this.act(id, 'request-extend', { rollKeys }, rest)
  }
}

/** Pending one-time enrollments. They can be created, refreshed and deleted, but not updated. */
export class Enrollments extends CreatableResource<Enrollment, EnrollmentInput> {
  /** Replaces the token of an enrollment and sets its expiry. */
  async refresh(id: string, expiresAt: Date, options: CallOptions = {}): Promise<void> {
    await this.act(id, 'refresh', { expiresAt: expiresAt.toISOString() }, options)
  }
}
