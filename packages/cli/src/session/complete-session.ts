import { type ClientSigner, ControllerClient, type CurrentApiSession } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { isSdkError } from '../to-explained.ts'
import { type SecondJwt, supplySecondJwt } from './second-jwt.ts'

interface Lacking {
  readonly baseUrl: string
  readonly fetch: typeof globalThis.fetch
  readonly session: CurrentApiSession
  /** What was said to be the second token. */
  readonly second: SecondJwt | undefined
  /** The token that signed in, which may serve as the second one too. */
  readonly first: SecondJwt | undefined
}

/**
 * Finds which second token goes with every call of a new session, undefined where none is wanted. The token of a login by JWT
 * does when the policy asks for one of the same signer. Ends the session and throws where nothing does.
 */
export async function completeSession({
  baseUrl,
  fetch,
  session,
  second,
  first,
}: Lacking): Promise<SecondJwt | undefined> {
  const lacks = async (source: SecondJwt | undefined) => {
    const secondaryToken = source && supplySecondJwt(source)
    const client = new ControllerClient({ baseUrl, fetch, session: session.token, secondaryToken })
    return (await client.currentSession()).authQueries.find(({ typeId }) => typeId === 'EXT-JWT')
  }
  if (!first && !session.authQueries.some(({ typeId }) => typeId === 'EXT-JWT')) return second
  const query = await lacks(second)
  if (!query) return second
  if (!second && first && !(await lacks(first))) return first
  const client = new ControllerClient({ baseUrl, fetch, session: session.token })
  const signer = (await client.listClientSigners()).find(({ id }) => id === query.id)
  // Nobody could use it; one that cannot be ended ends by itself.
  await client.logOut().catch((error: unknown) => {
    if (!isSdkError(error)) throw error
  })
  throw second ? notTaken(session, signer) : needed(session, signer)
}

function needed({ identity }: CurrentApiSession, signer: ClientSigner | undefined): CliError {
  const from = signer ? ` of the signer ${signer.name}` : ''
  const browser = signer?.clientId ? `--second-signer ${signer.name}, ` : ''
  return new CliError(`the policy of ${identity.name} wants a second token${from} on every call`, {
    hint: `add ${browser}--second-jwt FILE or --second-jwt-command COMMAND`,
    exitCode: EXIT.usage,
  })
}

function notTaken({ identity }: CurrentApiSession, signer: ClientSigner | undefined): CliError {
  return new CliError(`the second token is refused: the policy wants one of ${identity.name}, from ${signer?.name}`, {
    hint: '"countersign explain" tells an administrator what is wrong with a token',
    exitCode: EXIT.refused,
  })
}
