import type { Flag } from '../command.ts'
import { SECOND_JWT_FLAGS } from './second-jwt.ts'

export const QUIET_FLAG: Flag = { name: 'quiet', short: 'q', description: 'Print only results, errors and warnings' }
export const VERBOSE_FLAG: Flag = {
  name: 'verbose',
  short: 'v',
  description: 'Show where the address and the credentials come from',
}
export const YES_FLAG: Flag = { name: 'yes', short: 'y', description: 'Do not ask for confirmation' }
export const LOCK_OUT_FLAG: Flag = {
  name: 'confirm-lock-out',
  description: 'Save although no administrator could log in afterwards',
}
export const PROFILE_FLAG: Flag = {
  name: 'profile',
  value: 'NAME',
  description: 'Use this profile [$COUNTERSIGN_PROFILE, else default]',
}

/** The flags of all commands that make API calls. */
export const SHARED_FLAGS: readonly Flag[] = [PROFILE_FLAG, QUIET_FLAG, VERBOSE_FLAG]

export const CA_FILE_FLAG: Flag = {
  name: 'ca-file',
  value: 'FILE',
  description: 'Trust only the CA certificates in this file for the controller',
}

export const CREDENTIALS_FLAG: Flag = {
  name: 'credentials',
  value: 'FILE',
  description: 'Use the API account of this credentials file',
}

const HOSTED_URL_FLAG: Flag = {
  name: 'hosted-url',
  value: 'URL',
  description: 'The address of the API [$COUNTERSIGN_HOSTED_URL, else the profile]',
}

/** The flags that name an API account and the server that it calls. */
export const ACCOUNT_FLAGS: readonly Flag[] = [
  CREDENTIALS_FLAG,
  {
    name: 'token-file',
    value: 'FILE',
    description: 'Use the access token in this file, which another program renews [$COUNTERSIGN_TOKEN_FILE]',
  },
  {
    name: 'token-command',
    value: 'COMMAND',
    description: 'Use the access token that this command prints; no shell runs it [$COUNTERSIGN_TOKEN_COMMAND]',
  },
  {
    name: 'token-audience',
    value: 'AUDIENCE',
    description: 'Request the token of a GitHub Actions job for this audience [$COUNTERSIGN_AUDIENCE]',
  },
  HOSTED_URL_FLAG,
  { ...CA_FILE_FLAG, description: `${CA_FILE_FLAG.description} [$COUNTERSIGN_CA_FILE]` },
]

/** The flags of all commands that call a controller. */
export const CALL_FLAGS: readonly Flag[] = [...SHARED_FLAGS, ...SECOND_JWT_FLAGS, ...ACCOUNT_FLAGS]
