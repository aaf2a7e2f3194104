import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CliError } from '../src/cli-error.ts'
import { completeSession } from '../src/session/complete-session.ts'

/** The hint when the policy requires a token of this signer, and there is none. */
async function hintFor(name: string): Promise<string | undefined> {
  const authQueries = [{ typeId: 'EXT-JWT', id: 's1' }]
  const respond = (path: string) =>
    path.endsWith('/external-jwt-signers') ? [{ id: 's1', name, clientId: 'c' }] : { authQueries }
  const fetch = async (input: string | URL | Request) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    return Response.json({ data: respond(pathname), meta: {} })
  }
  const session = { token: 't', identity: { name: 'erin' }, authQueries } as never
  const completing = completeSession({
    baseUrl: 'https://ctrl.example',
    fetch,
    session,
    second: undefined,
    first: undefined,
  })
  return completing.then(
    () => assert.fail('a token is missing'),
    (error: CliError) => error.hint,
  )
}

test('the command in a hint has the name of the signer as one word', async () => {
  assert.match((await hintFor('okta')) ?? '', /^add --second-signer okta, /)
  assert.match((await hintFor('a $(touch b)')) ?? '', /^add --second-signer 'a \$\(touch b\)', /)
})
