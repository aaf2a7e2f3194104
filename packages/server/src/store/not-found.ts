import { AppError } from '@countersign/core'

/** Entity names in error messages; existing clients know them. */
export type EntityNoun =
  | 'externalJwtSigner'
  | 'authPolicy'
  | 'identity'
  | 'identityType'
  | 'spec'
  | 'authenticator'
  | 'passkey'
  | 'enrollment'
  | 'apiSession'
  | 'apiSessionCertificate'
  | 'revocation'
  | 'authDecision'
  | 'organization'
  | 'identityProvider'
  | 'networkGroup'
  | 'network'
  | 'apiAccount'
  | 'accountJob'
  | 'role'
  | 'service'
  | 'ca'
  | 'scimToken'
  | 'eventSink'
  | 'user'
  | 'group'

export function notFound(noun: EntityNoun, id: string): AppError {
  return new AppError('NOT_FOUND', { message: `${noun} with id ${id} not found` })
}
