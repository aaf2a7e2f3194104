import type { CallOptions } from '../http/transport.ts'
import type {
  Authenticator,
  AuthenticatorChanges,
  AuthenticatorInput,
  Enrollment,
  EnrollmentInput,
} from '../wire-types.ts'
import { CreatableResource, type Identified, Resource } from './resource.ts'

/** What identities sign in with. */
export class Authenticators extends Resource<Authenticator, AuthenticatorInput, AuthenticatorChanges> {
  /** Takes an authenticator away and lets its holder enroll anew until then. Gives the id of the enrollment. */
  async reEnroll(id: string, expiresAt: Date, options: CallOptions = {}): Promise<string> {
    return (await this.act<Identified>(id, 're-enroll', { expiresAt: expiresAt.toISOString() }, options)).id
  }

  /** Asks the holder of a certificate to renew it, with a new key if wanted. */
  async requestExtend(id: string, options: CallOptions & { readonly rollKeys?: boolean } = {}): Promise<void> {
    const { rollKeys = false, ...rest } = options
    await this.act(id, 'request-extend', { rollKeys }, rest)
  }
}

/** One-time tokens that wait for their identities. They are made, refreshed and deleted, not changed. */
export class Enrollments extends CreatableResource<Enrollment, EnrollmentInput> {
  /** Gives an enrollment another token, and time until then. */
  async refresh(id: string, expiresAt: Date, options: CallOptions = {}): Promise<void> {
    await this.act(id, 'refresh', { expiresAt: expiresAt.toISOString() }, options)
  }
}
