import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { settingsFile } from '../oidc/oidc.fixture.ts'
import { logInWithToken, setUpProvider } from './provider.fixture.ts'

const PAGE = new URL('../../../../docs/rules.md', import.meta.url)
const RECIPE =
  /^### (?<title>.+)\n\n```cel (?<kind>accept|attributes)\n(?<rule>[^`]+)\n```\n(?<rest>[^#]*?)```text\n(?<lines>[^`]*)\n```\n/gm
const WHAT_IF = '/edge/management/v1/what-if'

type Claims = Readonly<Record<string, unknown>>

function claimsIn(rest: string, outcome: 'accepted' | 'refused'): Claims | undefined {
  const [, json] = new RegExp(`^\\| ${outcome} \\| \`(.+)\` \\|$`, 'm').exec(rest) ?? []
  return json === undefined ? undefined : JSON.parse(json)
}

interface Entry {
  readonly identity: { readonly name: string }
  readonly reason: string
  readonly text: string
  readonly added: readonly string[]
}

/** The lines of `countersign what-if` about identities. */
function linesOf({ refused, attributes, unknown }: Record<'refused' | 'attributes' | 'unknown', readonly Entry[]>) {
  return [
    ...refused.map(({ identity, reason, text }) => `- ${identity.name} would be refused (${reason}): ${text}`),
    ...attributes.map(({ identity, added }) => {
      return `~ ${identity.name} would get other attributes: ${added.map((name) => `+${name}`).join(' ')}`
    }),
    ...unknown.map(({ identity, text }) => `? ${identity.name}: ${text}`),
  ]
}

test('the cookbook shows what previews of its rules say', async (t) => {
  const recipes = [...readFileSync(PAGE, 'utf8').matchAll(RECIPE)].map(({ groups = {} }, index) => ({
    ...groups,
    rest: groups.rest ?? '',
    audience: `recipe-${index}`,
  })) as { title: string; kind: string; rule: string; rest: string; lines?: string; audience: string }[]
  assert.equal(recipes.length, 20)
  const named = recipes.flatMap(({ rest }) =>
    (['accepted', 'refused'] as const).flatMap((outcome) => Object.keys(claimsIn(rest, outcome) ?? {})),
  )
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, {
    isAlone: 'controller',
    settings: {
      config: settingsFile(
        t,
        `whatIf:\n  keepClaims: ${JSON.stringify([...new Set([...named, 'environment', 'acct', 'hd', 'scope'])])}\n`,
      ),
    },
  })
  for (const name of ['ann', 'bob']) await createIdentity({ name, externalId: name })
  for (const { title, kind, rule, rest, lines = '', audience } of recipes) {
    const id = await createSigner({ name: audience, audience, claimsProperty: 'person', attributeSync: 'login' })
    for (const [person, outcome] of [
      ['ann', 'accepted'],
      ['bob', 'refused'],
    ] as const) {
      const claims = claimsIn(rest, outcome)
      if (!claims) continue
      const reply = await logInWithToken(app, token({ aud: audience, person, ...claims }))
      assert.equal(reply.status, 200, reply.text)
      // The last login comes first.
      app.clock.advance(10)
    }
    const body = kind === 'accept' ? { acceptRule: rule } : { attributeRules: [rule] }
    const changes = [{ op: 'update', kind: 'ext-jwt-signer', id, body }]
    const asked = await app.admin('POST', WHAT_IF, { changes, limit: 2 })
    assert.equal(asked.status, 200, asked.text)
    const shown = linesOf(asked.json.data).join('\n')
    assert.equal(lines, shown, title)
  }
})
