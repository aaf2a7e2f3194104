import type { PushedKeySet } from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { loadTextFile } from '../files/load-text-file.ts'

/** The limits with which a controller fetches keys. */
const MAX_MS = 5_000
const MAX_BYTES = 262_144

/** Members that only a private or symmetric key has. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Fetches the key set of `--from`, without entries that are secret or for encryption. Throws CliError. */
export async function loadKeySet({ flags, terminal }: Pick<Call, 'flags' | 'terminal'>): Promise<PushedKeySet> {
  const url = parseUrl(flags.from)
  const ca = typeof flags['from-ca'] === 'string' ? loadTextFile(flags['from-ca']) : undefined
  const header = flags['from-authorization']
  const authorization = typeof header === 'string' ? loadTextFile(header).replace(/\r?\n$/, '') : undefined
  const keys = readKeys(await fetchText(url, { ca, authorization }), url)
  const usable = keys.filter((key) => !isSecret(key))
  if (usable.length < keys.length) {
    terminal.notice(`warning: ${url.origin} publishes a secret key, which is not pushed: revoke it at the provider`)
  }
  return { keys: usable.filter(({ use }) => use !== 'enc') }
}

type Jwk = Readonly<Record<string, unknown>>

function parseUrl(from: unknown): URL {
  if (typeof from !== 'string') throw usageError('--from is missing', 'give the URL of the key set: --from URL')
  const url = URL.canParse(from) ? new URL(from) : undefined
  const isLoopback = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url
  throw usageError('--from is not an https URL', 'keys that come over http can be replaced on their way')
}

interface FetchOptions {
  readonly ca: string | undefined
  readonly authorization: string | undefined
}

async function fetchText(url: URL, { ca, authorization }: FetchOptions): Promise<string> {
  const fail = (reason: string, cause?: unknown) =>
    new CliError(`no keys from ${url.origin}: ${reason}`, {
      hint: 'nothing was pushed; the controller keeps the earlier keys until they are stale',
      exitCode: EXIT.failure,
      cause,
    })
  try {
    const response = await createNodeFetch({ ca })(url, {
      headers: { accept: 'application/json, application/jwk-set+json', ...(authorization && { authorization }) },
      signal: AbortSignal.timeout(MAX_MS),
    })
    if (response.status !== 200) throw fail(`the response has the status ${response.status}`)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw fail(`the response has more than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } catch (error) {
    if (error instanceof CliError) throw error
    const { name, message } = error as Error
    throw fail(name === 'TimeoutError' ? `no response within ${MAX_MS / 1000} s` : message, error)
  }
}

function readKeys(text: string, url: URL): Jwk[] {
  try {
    const { keys } = JSON.parse(text) as { keys: unknown }
    if (Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)) return keys
  } catch {
    // Reported below.
  }
  throw new CliError(`${url.origin} sent no key set`, {
    hint: 'the URL must be that of a JWKS: {"keys": […]}',
    exitCode: EXIT.failure,
  })
}

function isSecret(key: Jwk): boolean {
  return key.kty === 'oct' || SECRET_MEMBERS.some((name) => key[name] !== undefined)
}
