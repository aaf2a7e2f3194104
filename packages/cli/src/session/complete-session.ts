import { type ClientSigner, ControllerClient, type CurrentApiSession } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { shellQuote } from '../shell-quote.ts'
import { isSdkError } from '../to-cli-error.ts'
import { type SecondJwt, supplySecondJwt } from './second-jwt.ts'

interface NewSession {
  readonly baseUrl: string
  readonly fetch: typeof globalThis.fetch
  readonly session: CurrentApiSession
  /** The second token that the flags name. */
  readonly second: SecondJwt | undefined
  /** The token of the login, which may serve as the second one too. */
  readonly first: SecondJwt | undefined
}

/**
 * Returns the second token to send on every call of a new session, undefined when the policy requires none. The token of a login by JWT is
 * used when the policy requires one of the same signer. Ends the session and throws when no token satisfies the policy.
 */
export async function completeSession({
  baseUrl,
  fetch,
  session,
  second,
  first,
}: NewSession): Promise<SecondJwt | undefined> {
  const missingFor = async (source: SecondJwt | undefined) => {
    const secondaryToken = source && supplySecondJwt(source)
    const client = new ControllerClient({ baseUrl, fetch, session: session.token, secondaryToken })
    return (await client.currentSession()).authQueries.find(({ typeId }) => typeId === 'EXT-JWT')
  }
  if (!first && !session.authQueries.some(({ typeId }) => typeId === 'EXT-JWT')) return second
  const query = await missingFor(second)
  if (!query) return second
  if (!second && first && !(await missingFor(first))) return first
  const client = new ControllerClient({ baseUrl, fetch, session: session.token })
  const signer = (await client.listClientSigners()).find(({ id }) => id === query.id)
  // The session is unusable. If it cannot be ended, it expires.
  await client.logOut().catch((error: unknown) => {
    if (!isSdkError(error)) throw error
  })
  throw second ? refusedSecondToken(session, signer) : missingSecondToken(session, signer)
}

function missingSecondToken({ identity }: CurrentApiSession, signer: ClientSigner | undefined): CliError {
  const from = signer ? ` of the signer ${signer.name}` : ''
  const browser = signer?.clientId ? `--second-signer ${shellQuote(signer.name)}, ` : ''
  return new CliError(`the policy of ${identity.name} requires a second token${from} on every call`, {
    hint: `add ${browser}--second-jwt FILE or --second-jwt-command COMMAND`,
    exitCode: EXIT.usage,
  })
}

function refusedSecondToken({ identity }: CurrentApiSession, signer: ClientSigner | undefined): CliError {
  return new CliError(
    `the second token is refused: the policy requires one of ${identity.name}, from ${signer?.name}`,
    {
      hint: 'an administrator can run "countersign explain" to see why',
      exitCode: EXIT.refused,
    },
  )
}
