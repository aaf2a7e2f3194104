import { CountersignError } from '../countersign-error.ts'
import { FILE_NAME, listDefaultFiles } from '../credentials/credential-files.ts'
import { Credentials, ENVIRONMENT_FAMILIES, type EnvironmentFamily } from '../credentials/credentials.ts'
import { findFileSystem } from '../credentials/runtime.ts'
import { type AccessTokenSupplier, cachedSupply } from './cached-supply.ts'
import { requestGitHubToken } from './github-actions.ts'
import { inspectSecretFile } from './secret-file.ts'
import type { SourceContext } from './source-context.ts'
import { runTokenCommand } from './token-command.ts'
import { parseTokenText } from './token-text.ts'

/** A caller of the API, and where its credentials were found. Pass it to `HostedClient`. */
export type FoundCaller = {
  readonly source: string
  /** What is unsafe about the source. */
  readonly warnings: readonly string[]
} & (
  | { readonly credentials: Credentials }
  | { readonly token: string | AccessTokenSupplier }
  | { readonly session: string }
)

/** One place where credentials are searched. */
export interface CallerSource {
  readonly name: string
  /** Returns the caller, or why there is none here. Throws when there are credentials, but unusable ones. */
  find(context: SourceContext): Promise<FoundCaller | string>
}

/** The sources in the order of search: the first one that has credentials is used. */
export const CALLER_SOURCES: readonly CallerSource[] = [
  { name: 'option', find: fromOptions },
  { name: 'environment', find: fromEnvironment },
  { name: 'token file', find: fromTokenFile },
  { name: 'GitHub Actions', find: fromGitHub },
  { name: 'Kubernetes', find: fromKubernetes },
  { name: 'command', find: fromCommand },
  { name: 'default files', find: fromDefaultFiles },
]

/** Where a pod mounts a projected service account token for this API. The default token of a pod is for its own cluster, and is never sent. */
const KUBERNETES_TOKEN_FILE = '/var/run/secrets/countersign/token'

async function fromOptions({ options, optionNames }: SourceContext): Promise<FoundCaller | string> {
  const names = (['credentialsFile', 'tokenFile', 'tokenCommand'] as const).filter((one) => options[one] !== undefined)
  if (names.length > 1) {
    const given = names.map((one) => optionNames[one]).join(' and ')
    throw new CountersignError({ code: 'BAD_CREDENTIALS', message: `${given} exclude each other`, hint: 'give one' })
  }
  const { credentialsFile, tokenFile, tokenCommand } = options
  if (credentialsFile !== undefined) return fromCredentialsFile(credentialsFile, optionNames.credentialsFile)
  if (tokenFile !== undefined) return readingTokenFile(tokenFile, optionNames.tokenFile)
  if (tokenCommand !== undefined) return runningCommand(tokenCommand, optionNames.tokenCommand)
  return `none of ${Object.values(optionNames).join(', ')} is given`
}

async function fromEnvironment({ env, withOtherTools }: SourceContext): Promise<FoundCaller | string> {
  const families = ENVIRONMENT_FAMILIES.filter(({ isOwn }) => isOwn || withOtherTools)
  for (const family of families) {
    const token = env[family.token]
    if (token)
      return { token: parseTokenText(token, family.token), source: `environment ${family.token}`, warnings: [] }
    const credentials = await Credentials.fromFamily(family, env)
    if (credentials) {
      return {
        credentials,
        source: `environment: ${credentials.source}`,
        warnings: await warningsFor(credentials.file),
      }
    }
  }
  return `none of ${families.flatMap(variablesOf).join(', ')} is set`
}

function variablesOf({ token, file, clientId }: EnvironmentFamily): string[] {
  return [token, file, clientId]
}

async function fromTokenFile({ env }: SourceContext): Promise<FoundCaller | string> {
  const { COUNTERSIGN_TOKEN_FILE: path } = env
  return path ? readingTokenFile(path, 'COUNTERSIGN_TOKEN_FILE') : 'COUNTERSIGN_TOKEN_FILE is not set'
}

async function fromGitHub({ env, audience, transport, now }: SourceContext): Promise<FoundCaller | string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = env
  if (!url || !token) return 'ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN are not set'
  if (!audience) return 'COUNTERSIGN_AUDIENCE, the audience of the organization, is not set'
  const supply = cachedSupply(() => requestGitHubToken(transport, { url, token, audience }), now)
  return { token: supply, source: `GitHub Actions, for the audience ${audience}`, warnings: [] }
}

async function fromKubernetes(context: SourceContext): Promise<FoundCaller | string> {
  const path = context.kubernetesTokenFile ?? KUBERNETES_TOKEN_FILE
  if (!context.env.KUBERNETES_SERVICE_HOST) return 'KUBERNETES_SERVICE_HOST is not set'
  if (!(await isFile(path))) return `there is no ${path}`
  const { token, source } = await readingTokenFile(path, 'Kubernetes')
  // The kubelet chooses the mode, and renews the file.
  return { token, source, warnings: [] }
}

async function fromCommand({ env }: SourceContext): Promise<FoundCaller | string> {
  const { COUNTERSIGN_TOKEN_COMMAND: command } = env
  return command ? runningCommand(command, 'COUNTERSIGN_TOKEN_COMMAND') : 'COUNTERSIGN_TOKEN_COMMAND is not set'
}

async function fromDefaultFiles({ env, defaultFiles }: SourceContext): Promise<FoundCaller | string> {
  const files = defaultFiles ?? listDefaultFiles(env)
  for (const path of files) if (await isFile(path)) return fromCredentialsFile(path, 'default file')
  return `there is no ${files.join(', ') || FILE_NAME}`
}

/** A credentials file that was named. Throws NO_CREDENTIALS or BAD_CREDENTIALS. */
export async function fromCredentialsFile(path: string, where: string): Promise<FoundCaller> {
  return {
    credentials: await Credentials.fromFile(path),
    source: `${where}: ${path}`,
    warnings: await warningsFor(path),
  }
}

/** Reads the file for each call, since another program renews it. Refuses one that another user can have written. */
async function readingTokenFile(path: string, where: string) {
  const read = async (): Promise<string> => {
    const { danger } = await inspectSecretFile(path)
    if (danger !== undefined) {
      const hint = 'it decides which account the program acts as: only you, or root, should be able to write it'
      throw new CountersignError({ code: 'BAD_CREDENTIALS', message: danger, hint })
    }
    return parseTokenText(await readTokenFile(path), path)
  }
  await read()
  return { token: read, source: `${where}: ${path}`, warnings: (await inspectSecretFile(path)).warnings }
}

async function readTokenFile(path: string): Promise<string> {
  const files = findFileSystem()
  try {
    if (!files) throw new TypeError('this runtime has no file system')
    return new TextDecoder().decode(await files.readFile(path))
  } catch (cause) {
    throw new CountersignError({ code: 'NO_CREDENTIALS', message: `${path} cannot be read`, cause })
  }
}

function runningCommand(command: string, where: string): FoundCaller {
  const supply = cachedSupply(() => runTokenCommand(command, where))
  return { token: supply, source: `the command of ${where}`, warnings: [] }
}

/** Others can have written it: existing tools accept such files, so this is a warning only. */
async function warningsFor(path: string | undefined): Promise<readonly string[]> {
  if (path === undefined) return []
  const { danger, warnings } = await inspectSecretFile(path)
  return danger === undefined ? warnings : [danger, ...warnings]
}

async function isFile(path: string): Promise<boolean> {
  const stats = await findFileSystem()
    ?.stat(path)
    .catch(() => undefined)
  return stats?.isFile() ?? false
}
