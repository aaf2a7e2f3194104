import { CountersignError } from '../countersign-error.ts'
import { guessProvider, type ProviderName } from '../token/provider-name.ts'
import { listDefaultFiles } from './credential-files.ts'
import { type CredentialMembers, parseCredentials } from './parse-credentials.ts'
import { findFileSystem, readEnvironment } from './runtime.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface LoadOptions {
  /** A file that was named explicitly; nothing else is then looked at. */
  readonly file?: string | undefined
  /** The environment; that of the process unless given. */
  readonly env?: Environment | undefined
  /** Files to look for last; those of `listDefaultFiles` unless given. */
  readonly defaultFiles?: readonly string[] | undefined
}

/** Sets of variables, ours before those that existing tools of the hosted API read: a file's path, or three members. */
const VARIABLES = [
  {
    file: 'COUNTERSIGN_CREDENTIALS',
    clientId: 'COUNTERSIGN_CLIENT_ID',
    password: 'COUNTERSIGN_PASSWORD',
    authenticationUrl: 'COUNTERSIGN_AUTHENTICATION_URL',
  },
  {
    file: 'NETFOUNDRY_API_ACCOUNT',
    clientId: 'NETFOUNDRY_CLIENT_ID',
    password: 'NETFOUNDRY_PASSWORD',
    authenticationUrl: 'NETFOUNDRY_OAUTH_URL',
  },
] as const

const TOKEN_VARIABLES = ['COUNTERSIGN_API_TOKEN', 'NETFOUNDRY_API_TOKEN'] as const

/** The credentials of an API account. However it is printed, the password is not in it. */
export class Credentials {
  readonly clientId: string
  readonly authenticationUrl: string
  /** The provider: as said, else as the address suggests. */
  readonly provider: ProviderName
  readonly scope: string | undefined
  readonly issuer: string | undefined
  /** Where they came from, in words. */
  readonly source: string
  /** The file that they came from, if it was one. */
  readonly file: string | undefined
  readonly #password: string | undefined

  constructor(members: CredentialMembers, source = 'given by the program', file?: string) {
    this.clientId = members.clientId
    this.authenticationUrl = members.authenticationUrl
    this.provider = members.provider ?? guessProvider(members.authenticationUrl)
    this.scope = members.scope
    this.issuer = members.issuer
    this.source = source
    this.file = file
    this.#password = members.password
  }

  /** The secret, for whoever asks for it by name. */
  get password(): string | undefined {
    return this.#password
  }

  /**
   * Looks for credentials and takes the first that are there: the named file; `COUNTERSIGN_CREDENTIALS` (a path), or
   * `COUNTERSIGN_CLIENT_ID` with `_PASSWORD` and `_AUTHENTICATION_URL`; `NETFOUNDRY_API_ACCOUNT` (a path), or `NETFOUNDRY_CLIENT_ID` with
   * `_PASSWORD` and `_OAUTH_URL`; the default files. Throws NO_CREDENTIALS, or BAD_CREDENTIALS for the first that cannot be used.
   */
  static async load({ file, env = readEnvironment(), defaultFiles }: LoadOptions = {}): Promise<Credentials> {
    if (file !== undefined) return Credentials.fromFile(file)
    const named = await Credentials.fromEnv(env)
    if (named) return named
    for (const path of defaultFiles ?? listDefaultFiles(env)) {
      const text = await readFile(path, false)
      if (text !== undefined) return fromFileText(text, path)
    }
    throw new CountersignError({
      code: 'NO_CREDENTIALS',
      message: 'there are no credentials of an API account',
      hint: 'name the file, or set COUNTERSIGN_CREDENTIALS to its path',
    })
  }

  /** Reads a credentials file. Throws NO_CREDENTIALS or BAD_CREDENTIALS. */
  static async fromFile(path: string): Promise<Credentials> {
    return fromFileText((await readFile(path, true)) ?? '', path)
  }

  /** Reads the text of a credentials file, wherever it was kept. */
  static fromJson(text: string, source: string): Credentials {
    return new Credentials(parseCredentials(text, source), source)
  }

  /** The credentials that the environment names, if it does. Throws BAD_CREDENTIALS when it does so by halves. */
  static async fromEnv(env: Environment = readEnvironment()): Promise<Credentials | undefined> {
    for (const names of VARIABLES) {
      const path = env[names.file]
      if (path) return fromFileText((await readFile(path, true)) ?? '', path, `${path} (${names.file})`)
      const found = fromVariables(names, env)
      if (found) return found
    }
    return undefined
  }

  /** The text of a credentials file: with the password, so it belongs in a file that only its owner can read. */
  toFileText(): string {
    const { clientId, password, authenticationUrl, scope, issuer } = this
    // What the address tells anyway is left to it.
    const provider = this.provider === guessProvider(authenticationUrl) ? undefined : this.provider
    return `${JSON.stringify({ clientId, password, authenticationUrl, provider, scope, issuer }, null, 2)}\n`
  }

  toString(): string {
    return `Credentials(${this.clientId} at ${this.authenticationUrl}, from ${this.source})`
  }

  toJSON(): object {
    const { clientId, authenticationUrl, provider, source } = this
    return { clientId, authenticationUrl, provider, source }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }
}

/** A ready access token that the environment holds, and the variable that it is in. */
export function findTokenInEnv(
  env: Environment = readEnvironment(),
): { readonly token: string; readonly source: string } | undefined {
  for (const source of TOKEN_VARIABLES) {
    const token = env[source]
    if (token) return { token, source }
  }
  return undefined
}

function fromFileText(text: string, file: string, source = file): Credentials {
  return new Credentials(parseCredentials(text, source), source, file)
}

function fromVariables(
  { clientId, password, authenticationUrl }: (typeof VARIABLES)[number],
  env: Environment,
): Credentials | undefined {
  const names = [clientId, password, authenticationUrl]
  const missing = names.filter((name) => !env[name])
  if (missing.length === names.length) return undefined
  if (missing.length > 0) {
    const message = `${names.filter((name) => env[name]).join(' and ')} is set, but not ${missing.join(' and ')}`
    throw new CountersignError({ code: 'BAD_CREDENTIALS', message, hint: 'set all three, or none' })
  }
  const members = {
    clientId: env[clientId] ?? '',
    password: env[password],
    authenticationUrl: env[authenticationUrl] ?? '',
  }
  return new Credentials(members, names.join(', '))
}

/** The text of a file. One that is not there is undefined, or NO_CREDENTIALS where it was named. */
async function readFile(path: string, isNamed: boolean): Promise<string | undefined> {
  const files = findFileSystem()
  if (!files && !isNamed) return undefined
  try {
    if (!files) throw new TypeError('no files here')
    return new TextDecoder().decode(await files.readFile(path))
  } catch (cause) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes((cause as { code?: string }).code ?? '')
    if (isAbsent && !isNamed) return undefined
    const message = files ? `${path} cannot be read` : 'credentials files cannot be read in a browser'
    throw new CountersignError({ code: isAbsent ? 'NO_CREDENTIALS' : 'BAD_CREDENTIALS', message, cause })
  }
}
