import { CountersignError } from '../countersign-error.ts'
import { readEnvironment } from '../credentials/runtime.ts'
import { Transport, type TransportOptions } from '../http/transport.ts'
import { CALLER_SOURCES, type CallerSource, type FoundCaller } from './caller-sources.ts'
import type { NamedCredentials, SourceContext } from './source-context.ts'

export interface FindCallerOptions
  extends NamedCredentials,
    TransportOptions,
    Partial<Pick<SourceContext, 'env' | 'optionNames' | 'withOtherTools' | 'defaultFiles' | 'kubernetesTokenFile'>> {
  /** Default: COUNTERSIGN_AUDIENCE. */
  readonly audience?: string | undefined
  /** Default: `CALLER_SOURCES`. */
  readonly sources?: readonly CallerSource[] | undefined
  /** Called for each source in turn, with what it found, or with why it found nothing. */
  readonly onTried?: ((name: string, result: FoundCaller | string) => void) | undefined
}

const OPTION_NAMES = { credentialsFile: 'credentialsFile', tokenFile: 'tokenFile', tokenCommand: 'tokenCommand' }

/**
 * Returns the first caller of `CALLER_SOURCES`, to be passed to `HostedClient`. Throws NO_CREDENTIALS with every source that was tried, or an
 * error of the first source that has credentials, when they are unusable.
 */
export async function findCaller(search: FindCallerOptions = {}): Promise<FoundCaller> {
  const { sources = CALLER_SOURCES, onTried } = search
  const context = buildContext(search)
  const tried: string[] = []
  for (const { name, find } of sources) {
    const found = await find(context)
    onTried?.(name, found)
    if (typeof found !== 'string') return found
    tried.push(`${name} (${found})`)
  }
  throw new CountersignError({
    code: 'NO_CREDENTIALS',
    message: `no credentials of an API account were found; tried: ${tried.join('; ')}`,
    hint: 'name a credentials file, or set COUNTERSIGN_CREDENTIALS to its path',
  })
}

function buildContext(search: FindCallerOptions): SourceContext {
  const { env = readEnvironment(), optionNames = OPTION_NAMES, withOtherTools = true } = search
  const { credentialsFile, tokenFile, tokenCommand, defaultFiles, kubernetesTokenFile } = search
  return {
    options: { credentialsFile, tokenFile, tokenCommand },
    optionNames,
    env,
    withOtherTools,
    audience: search.audience ?? (env.COUNTERSIGN_AUDIENCE || undefined),
    transport: new Transport(search),
    now: Date.now,
    defaultFiles,
    kubernetesTokenFile,
  }
}
