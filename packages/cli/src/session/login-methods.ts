import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { CurrentApiSession } from '@countersign/sdk'
import { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { loadTextArgument, loadTextFile } from '../files/load-text-file.ts'
import type { Profile } from '../files/profiles.ts'
import { createTrustingFetch, type Trust } from '../net/trusting-fetch.ts'
import { withProgress } from '../with-progress.ts'

export interface LoginAttempt {
  readonly call: Call
  readonly url: string
  readonly caPem: string | undefined
}

type SignedIn = Omit<Profile, 'url' | 'caPem'>
type LoginMethod = (attempt: LoginAttempt) => Promise<SignedIn>

/** The ways to sign in by the flag that chooses them, in the order in which they are looked for. */
const METHODS: readonly (readonly [flag: string, method: LoginMethod])[] = [
  ['credentials', async (attempt) => (await import('./login-by-credentials.ts')).logInByCredentials(attempt)],
  ['cert', logInByCertificate],
  ['jwt', async (attempt) => logInByJwt(attempt, await loadTextArgument(attempt.call, String(attempt.call.flags.jwt)))],
  [
    'jwt-command',
    async (attempt) => logInByJwt(attempt, await runTokenCommand(String(attempt.call.flags['jwt-command']))),
  ],
  [
    'signer',
    async (attempt) => logInByJwt(attempt, await (await import('./login-at-provider.ts')).logInAtProvider(attempt)),
  ],
  ['username', logInByPassword],
]

/** Which way to sign in the flags choose. Throws when they choose none or several. */
export function chooseMethod({ flags, input }: Call): LoginMethod {
  const chosen = METHODS.filter(([flag]) => flags[flag] !== undefined)
  const names = chosen.map(([flag]) => `--${flag}`)
  if (chosen.length > 1) throw usageError(`${names.join(' and ')} exclude each other`, 'choose one way to sign in')
  if (flags.cert !== undefined && flags.key === undefined)
    throw usageError('--cert needs --key', 'name the private key with --key FILE')
  const [, method] = chosen[0] ?? []
  if (method) return method
  if (input.isInteractive) return logInByPassword
  const all = METHODS.map(([flag]) => `--${flag}`).join(', ')
  throw usageError('nothing says how to sign in', `use one of ${all}`)
}

async function logInByPassword(attempt: LoginAttempt): Promise<SignedIn> {
  const { call } = attempt
  const lines = createLineReader(call)
  const username = typeof call.flags.username === 'string' ? call.flags.username : await call.input.ask('User name: ')
  const password = await lines.secret('password-stdin', `Password of ${username}: `)
  return signIn(attempt, {}, 'password', lines, (client) => client.logInWithPassword(username, password))
}

async function logInByCertificate(attempt: LoginAttempt): Promise<SignedIn> {
  const { flags } = attempt.call
  const shown = { certPem: loadTextFile(String(flags.cert)), keyPem: loadTextFile(String(flags.key)) }
  return signIn(attempt, shown, 'cert', createLineReader(attempt.call), (client) => client.logInWithCertificate())
}

async function logInByJwt(attempt: LoginAttempt, text: string): Promise<SignedIn> {
  const token = text.trim()
  if (token === '')
    throw usageError('there is no token', 'give a file or a command that holds the token and nothing else')
  return signIn(attempt, {}, 'ext-jwt', createLineReader(attempt.call), (client) => client.logInWithJwt(token))
}

async function signIn(
  { call, url, caPem }: LoginAttempt,
  shown: Pick<Trust, 'certPem' | 'keyPem'>,
  method: string,
  lines: ReturnType<typeof createLineReader>,
  logIn: (client: ControllerClient) => Promise<CurrentApiSession>,
): Promise<SignedIn> {
  const client = new ControllerClient({ baseUrl: url, fetch: createTrustingFetch({ origin: url, caPem, ...shown }) })
  const session = await withProgress(call.terminal, `waiting for ${url}…`, logIn(client))
  if (session.authQueries.some(({ typeId }) => typeId === 'MFA')) {
    const code = await lines.secret('code-stdin', 'One-time code: ')
    await client.completeWithCode(code.trim())
  }
  const { id, name } = session.identity
  return { method, session: session.token, identity: { id, name } }
}

/** Reads secrets line by line from stdin where a flag says so, else from the person. */
function createLineReader({ flags, input }: Call) {
  let rest: string[] | undefined
  return {
    async secret(flag: string, question: string): Promise<string> {
      if (flags[flag] === true) {
        rest ??= (await input.readAll()).split('\n')
        const line = rest.shift()?.replace(/\r$/, '')
        if (line) return line
        throw usageError(`--${flag}: there is nothing on stdin`, 'send it on a line of its own')
      }
      if (input.isInteractive) return input.ask(question, { secret: true })
      throw new CliError(`${question.replace(/:.*$/, '').toLowerCase()} is needed, and there is nobody to ask`, {
        hint: `send it on stdin with --${flag}`,
        exitCode: EXIT.usage,
      })
    },
  }
}

async function runTokenCommand(command: string): Promise<string> {
  try {
    return (await promisify(execFile)('/bin/sh', ['-c', command], { maxBuffer: 1_048_576 })).stdout
  } catch {
    // Its output may hold a token: neither that nor the error, which repeats it, is shown.
    throw new CliError('the command of --jwt-command failed', { hint: 'run it by itself to see why' })
  }
}
