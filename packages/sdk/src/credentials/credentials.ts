import { CountersignError } from '../countersign-error.ts'
import { guessProvider, type ProviderName } from '../token/provider-name.ts'
import { listDefaultFiles } from './credential-files.ts'
import { type CredentialMembers, parseCredentials } from './parse-credentials.ts'
import { findFileSystem, readEnvironment } from './runtime.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface LoadOptions {
  /** An explicit file: the only place that is searched. */
  readonly file?: string | undefined
  /** Default: the environment of the process. */
  readonly env?: Environment | undefined
  /** Files to try last. Default: `listDefaultFiles()`. */
  readonly defaultFiles?: readonly string[] | undefined
}

/** Variables of one tool: a token, the path of a credentials file, or its three members. */
export interface EnvironmentFamily {
  readonly isOwn: boolean
  readonly token: string
  readonly file: string
  readonly clientId: string
  readonly password: string
  readonly authenticationUrl: string
}

/** Ours come first; the others are those of existing tools of the hosted API. */
export const ENVIRONMENT_FAMILIES: readonly EnvironmentFamily[] = [
  {
    isOwn: true,
    token: 'COUNTERSIGN_API_TOKEN',
    file: 'COUNTERSIGN_CREDENTIALS',
    clientId: 'COUNTERSIGN_CLIENT_ID',
    password: 'COUNTERSIGN_PASSWORD',
    authenticationUrl: 'COUNTERSIGN_AUTHENTICATION_URL',
  },
  {
    isOwn: false,
    token: 'NETFOUNDRY_API_TOKEN',
    file: 'NETFOUNDRY_API_ACCOUNT',
    clientId: 'NETFOUNDRY_CLIENT_ID',
    password: 'NETFOUNDRY_PASSWORD',
    authenticationUrl: 'NETFOUNDRY_OAUTH_URL',
  },
]

/** The credentials of an API account. Printing or serializing them omits the password. */
export class Credentials {
  readonly clientId: string
  readonly authenticationUrl: string
  /** As configured, otherwise guessed from `authenticationUrl`. */
  readonly provider: ProviderName
  /** The provider as configured; undefined: it is recognised by its discovery document, else by the address. */
  readonly givenProvider: ProviderName | undefined
  readonly scope: string | undefined
  readonly issuer: string | undefined
  /** A description of where they were found. */
  readonly source: string
  /** The file they were read from, if any. */
  readonly file: string | undefined
  readonly #password: string | undefined

  constructor(members: CredentialMembers, source = 'given by the program', file?: string) {
    this.clientId = members.clientId
    this.authenticationUrl = members.authenticationUrl
    this.givenProvider = members.provider
    this.provider = members.provider ?? guessProvider(members.authenticationUrl)
    this.scope = members.scope
    this.issuer = members.issuer
    this.source = source
    this.file = file
    this.#password = members.password
  }

  get password(): string | undefined {
    return this.#password
  }

  /**
   * Returns the first credentials found in: the named file; `COUNTERSIGN_CREDENTIALS` (a path), or
   * `COUNTERSIGN_CLIENT_ID` with `_PASSWORD` and `_AUTHENTICATION_URL`; `NETFOUNDRY_API_ACCOUNT` (a path), or `NETFOUNDRY_CLIENT_ID` with
   * `_PASSWORD` and `_OAUTH_URL`; the default files. Throws NO_CREDENTIALS, or BAD_CREDENTIALS when the first found are unusable.
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
      message: 'no credentials of an API account were found',
      hint: 'name the file, or set COUNTERSIGN_CREDENTIALS to its path',
    })
  }

  /** Reads a credentials file. Throws NO_CREDENTIALS or BAD_CREDENTIALS. */
  static async fromFile(path: string): Promise<Credentials> {
    return fromFileText((await readFile(path, true)) ?? '', path)
  }

  /** Parses the text of a credentials file. `source` names its origin in errors. */
  static fromJson(text: string, source: string): Credentials {
    return new Credentials(parseCredentials(text, source), source)
  }

  /** Undefined when the environment names no credentials. Throws BAD_CREDENTIALS when only some of the variables are set. */
  static async fromEnv(env: Environment = readEnvironment()): Promise<Credentials | undefined> {
    for (const family of ENVIRONMENT_FAMILIES) {
      const found = await Credentials.fromFamily(family, env)
      if (found) return found
    }
    return undefined
  }

  /** Like `fromEnv`, for the variables of one tool. */
  static async fromFamily(family: EnvironmentFamily, env: Environment): Promise<Credentials | undefined> {
    const path = env[family.file]
    if (path) return fromFileText((await readFile(path, true)) ?? '', path, `${path} (${family.file})`)
    return fromVariables(family, env)
  }

  /** The text of a credentials file. It contains the password: write it to a file that only its owner can read. */
  toFileText(): string {
    const { clientId, password, authenticationUrl, scope, issuer } = this
    // Redundant when it can be guessed from the address.
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

/** An access token from the environment, and the name of its variable. */
export function findTokenInEnv(
  env: Environment = readEnvironment(),
): { readonly token: string; readonly source: string } | undefined {
  for (const { token: source } of ENVIRONMENT_FAMILIES) {
    const token = env[source]
    if (token) return { token, source }
  }
  return undefined
}

function fromFileText(text: string, file: string, source = file): Credentials {
  return new Credentials(parseCredentials(text, source), source, file)
}

function fromVariables(
  { clientId, password, authenticationUrl }: EnvironmentFamily,
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

/** A missing file is undefined, or NO_CREDENTIALS when it was named explicitly. */
async function readFile(path: string, isNamed: boolean): Promise<string | undefined> {
  const files = findFileSystem()
  if (!files && !isNamed) return undefined
  try {
    if (!files) throw new TypeError('this runtime has no file system')
    return new TextDecoder().decode(await files.readFile(path))
  } catch (cause) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes((cause as { code?: string }).code ?? '')
    if (isAbsent && !isNamed) return undefined
    const message = files ? `${path} cannot be read` : 'credentials files cannot be read in a browser'
    throw new CountersignError({ code: isAbsent ? 'NO_CREDENTIALS' : 'BAD_CREDENTIALS', message, cause })
  }
}
