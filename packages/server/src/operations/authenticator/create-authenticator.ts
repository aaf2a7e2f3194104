import { operation } from '../../store/operation.ts'
import {
  insertCertificateAuthenticator,
  insertPasswordAuthenticator,
  type NewCertificateAuthenticator,
  type NewPasswordAuthenticator,
} from '../../store/writes/authenticator-writes.ts'
import { authorizeCredentialGrant } from '../identity/authorize-identity-change.ts'
import { checkNoAuthenticator } from './check-no-authenticator.ts'
import { checkUsernameIsFree } from './check-username-is-free.ts'

const ACCESS = { entity: 'identity', action: 'create', isWhole: true } as const

export const createPasswordAuthenticator = operation({
  name: 'authenticator.createPassword',
  access: ACCESS,
  async run(tx, authenticator: NewPasswordAuthenticator): Promise<void> {
    await authorizeCredentialGrant(tx, authenticator.identityId)
    await checkNoAuthenticator(tx, 'updb', authenticator.identityId)
    await checkUsernameIsFree(tx, authenticator.identityId, authenticator.username)
    await insertPasswordAuthenticator(tx, authenticator)
  },
})

export const createCertificateAuthenticator = operation({
  name: 'authenticator.createCertificate',
  access: ACCESS,
  async run(tx, authenticator: NewCertificateAuthenticator): Promise<void> {
    await authorizeCredentialGrant(tx, authenticator.identityId)
    await checkNoAuthenticator(tx, 'cert', authenticator.identityId)
    await insertCertificateAuthenticator(tx, authenticator)
  },
})
