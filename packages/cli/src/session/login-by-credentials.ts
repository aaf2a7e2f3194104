import { resolve } from 'node:path'
import { Credentials } from '@countersign/sdk'
import type { Profile } from '../files/profiles.ts'
import { tryAccount } from '../hosted/try-account.ts'
import type { LoginAttempt } from './login-attempt.ts'

/** Tries an API account. The profile stores only the path of the credentials file. */
export async function logInByCredentials({
  call,
  url,
  caPem,
  dpop,
}: LoginAttempt): Promise<Omit<Profile, 'url' | 'caPem'>> {
  const file = resolve(String(call.flags.credentials))
  const { id, name } = await tryAccount(call, { origin: url, caPem, dpop }, await Credentials.fromFile(file))
  return { method: 'credentials', credentials: file, identity: { id, name } }
}
