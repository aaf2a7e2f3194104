import { resolve } from 'node:path'
import type { CurrentApiSession } from '@countersign/sdk'
import { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { checkBoundKey, warnUnlessBound } from '../files/dpop-keys.ts'
import { loadTextArgument } from '../files/load-text-file.ts'
import type { Profile } from '../files/profiles.ts'
import { createTrustingFetch, type Trust } from '../net/trusting-fetch.ts'
import { isSdkError } from '../to-cli-error.ts'
import { withProgress } from '../with-progress.ts'
import { completeCode } from './complete-code.ts'
import { completeSession } from './complete-session.ts'
import { loadClientCertificate } from './load-client-certificate.ts'
import type { LoginAttempt } from './login-attempt.ts'
import { refusePasskey } from './refuse-passkey.ts'
import { checkToken, readSecondJwt, runTokenCommand, type SecondJwt, supplySecondJwt } from './second-jwt.ts'
import { SecretLines } from './secret-lines.ts'

type LoginResult = Omit<Profile, 'url' | 'caPem'>
type LoginMethod = (attempt: LoginAttempt) => Promise<LoginResult>

/** The login methods by the flag that selects them. */
const METHODS: readonly (readonly [flag: string, method: LoginMethod])[] = [
  ['credentials', async (attempt) => (await import('./login-by-credentials.ts')).logInByCredentials(attempt)],
  ['cert', logInByCertificate],
  ['jwt', logInByJwtFile],
  ['jwt-command', logInByJwtCommand],
  ['signer', logInAtSigner],
  ['username', logInByPassword],
]

const TOKEN_FLAGS = ['jwt', 'jwt-command', 'signer']

/** The login method that the flags select. Throws when they select none or several. */
export function chooseMethod({ flags, input }: Call): LoginMethod {
  const named = METHODS.filter(([flag]) => flags[flag] !== undefined)
  // A certificate beside a token proves that the token is this client's (RFC 8705).
  const hasToken = named.some(([flag]) => TOKEN_FLAGS.includes(flag))
  const chosen = named.filter(([flag]) => !(hasToken && flag === 'cert'))
  const names = chosen.map(([flag]) => `--${flag}`)
  if (chosen.length > 1) throw usageError(`${names.join(' and ')} exclude each other`, 'choose one login method')
  if (flags.cert !== undefined && flags.key === undefined)
    throw usageError('--cert needs --key', 'name the private key with --key FILE')
  const [, method] = chosen[0] ?? []
  if (method) return method
  if (input.isInteractive) return logInByPassword
  const all = METHODS.map(([flag]) => `--${flag}`).join(', ')
  throw usageError('no login method is given', `use one of ${all}`)
}

async function logInByPassword(attempt: LoginAttempt): Promise<LoginResult> {
  const { call } = attempt
  const secrets = new SecretLines(call)
  const username = typeof call.flags.username === 'string' ? call.flags.username : await call.input.ask('User name: ')
  const password = await secrets.next('password-stdin', `Password of ${username}: `)
  const logIn: LogIn = (client) => client.logInWithPassword(username, password)
  return startSession(attempt, { method: 'password', logIn, secrets })
}

async function logInByCertificate(attempt: LoginAttempt): Promise<LoginResult> {
  const certificate = findCertificate(attempt)
  return startSession(attempt, { method: 'cert', logIn: (client) => client.logInWithCertificate(), certificate })
}

function findCertificate({ call: { flags } }: LoginAttempt): Pick<Trust, 'certPem' | 'keyPem'> | undefined {
  return flags.cert === undefined ? undefined : loadClientCertificate(String(flags.cert), String(flags.key))
}

async function logInByJwtFile(attempt: LoginAttempt): Promise<LoginResult> {
  const file = String(attempt.call.flags.jwt)
  const token = checkToken(await loadTextArgument(attempt.call, file))
  return logInByJwt(attempt, token, file === '-' ? { token } : { file: resolve(file) })
}

async function logInByJwtCommand(attempt: LoginAttempt): Promise<LoginResult> {
  const command = String(attempt.call.flags['jwt-command'])
  return logInByJwt(attempt, await runTokenCommand(command, '--jwt-command'), { command })
}

async function logInAtSigner(attempt: LoginAttempt): Promise<LoginResult> {
  const token = await getProviderToken(attempt, String(attempt.call.flags.signer))
  return logInByJwt(attempt, token, { token })
}

async function getProviderToken(attempt: LoginAttempt, signer: string): Promise<string> {
  const { logInAtProvider } = await import('./login-at-provider.ts')
  return logInAtProvider(attempt, signer)
}

async function logInByJwt(attempt: LoginAttempt, token: string, first: SecondJwt): Promise<LoginResult> {
  checkBoundKey(token, attempt.dpop)
  const certificate = findCertificate(attempt)
  try {
    return await startSession(attempt, {
      method: 'ext-jwt',
      logIn: (client) => client.logInWithJwt(token),
      first,
      certificate,
    })
  } catch (error) {
    if (!isSdkError(error) || error.code !== 'UNAUTHORIZED') throw error
    throw new CliError(`${attempt.url} refuses the token [request ${error.requestId}]`, {
      hint: 'it may have expired, or match no identity; an administrator can run "countersign explain" to see why',
      exitCode: EXIT.refused,
      cause: error,
    })
  }
}

type LogIn = (client: ControllerClient) => Promise<CurrentApiSession>

interface SessionStart {
  readonly method: string
  readonly logIn: LogIn
  readonly certificate?: Pick<Trust, 'certPem' | 'keyPem'> | undefined
  /** The token that logs in, which may be the second token too. */
  readonly first?: SecondJwt
  /** Those that the first factor has begun to read. */
  readonly secrets?: SecretLines
}

async function startSession(attempt: LoginAttempt, start: SessionStart): Promise<LoginResult> {
  const { call, url, caPem, dpop } = attempt
  const { method, logIn, certificate, first, secrets = new SecretLines(call) } = start
  const fetch = createTrustingFetch({ origin: url, caPem, dpop, ...certificate })
  const given = await findSecond(attempt)
  const client = new ControllerClient({ baseUrl: url, fetch, secondaryToken: given && supplySecondJwt(given) })
  const waiting = `waiting for ${url}…`
  const session = await withProgress(call.terminal, waiting, logIn(client))
  warnUnlessBound(call, { what: 'the session', boundKey: session.boundKey, dpop })
  await refusePasskey(client, session)
  await completeCode({ call, client, session, ask: () => secrets.next('code-stdin', 'One-time code: ') })
  const completing = completeSession({ baseUrl: url, fetch, session, second: given, first })
  const second = await withProgress(call.terminal, waiting, completing)
  const { id, name } = session.identity
  return { method, session: session.token, identity: { id, name }, ...(second && { secondJwt: second }) }
}

async function findSecond(attempt: LoginAttempt): Promise<SecondJwt | undefined> {
  const given = await readSecondJwt(attempt.call)
  const signer = attempt.call.flags['second-signer']
  return typeof signer === 'string' ? { token: await getProviderToken(attempt, signer) } : given
}
