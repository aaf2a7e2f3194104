import type { JsonObject } from '../json/json-value.ts'
import { acceptsAudience, signerAudiences } from '../signer/signer-audiences.ts'
import { audiencesOf } from '../token/jws.ts'
import { type Hint, type HintKind, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'
import { splitIssuer } from './issuer-parts.ts'

interface AudienceRule {
  readonly kind: HintKind
  readonly fits: (audiences: readonly string[], claims: JsonObject, expected: readonly string[]) => boolean
  readonly advice: (expected: string) => string
}

const GRAPH: readonly string[] = ['00000003-0000-0000-c000-000000000000', 'https://graph.microsoft.com']
/** Keycloak puts the clients into `aud` whose roles the person has; these two come with every realm. */
const KEYCLOAK_OWN: readonly string[] = ['account', 'realm-management', 'broker']
const GITHUB_ACTIONS = 'token.actions.githubusercontent.com'

/** What providers do unless told otherwise; the first rule that fits speaks. */
const RULES: readonly AudienceRule[] = [
  {
    kind: 'audience-cognito',
    fits: (_, { aud, token_use }) => aud === undefined && token_use === 'access',
    advice: () =>
      'access tokens of Cognito have no aud, so send the ID token, with the app client id as audience and targetToken ID, or let a pre token generation trigger add aud',
  },
  {
    kind: 'audience-missing',
    fits: (audiences) => audiences.length === 0,
    advice: (expected) => `let the provider put ${expected} into aud, as text or in a list of texts`,
  },
  {
    kind: 'audience-keycloak-account',
    fits: (audiences) => audiences.every((audience) => KEYCLOAK_OWN.includes(audience)),
    advice: (expected) =>
      `in Keycloak add an audience mapper with ${expected} to the client, or to a client scope that it has`,
  },
  {
    kind: 'audience-graph',
    fits: (audiences) => audiences.some((audience) => GRAPH.includes(withoutSlash(audience))),
    advice: (expected) =>
      `this token is for Microsoft Graph, so ask Entra for a scope of your own API, such as ${expected} with /.default after it`,
  },
  {
    kind: 'audience-github',
    fits: (audiences, { iss }) => isFrom(iss, GITHUB_ACTIONS) && audiences.some(isGithubDefault),
    advice: (expected) => `ask GitHub Actions for the token with the audience ${expected}`,
  },
  {
    kind: 'audience-kubernetes',
    fits: (audiences) => audiences.some((audience) => splitIssuer(audience).host.startsWith('kubernetes.default.svc')),
    advice: (expected) =>
      `this is the token for the Kubernetes API itself, so mount a projected service account token with the audience ${expected}`,
  },
  {
    kind: 'audience-spelling',
    fits: (audiences, _, expected) => {
      const wanted = expected.map(folded)
      return audiences.some((audience) => wanted.includes(folded(audience)))
    },
    advice: () => 'they differ only in spelling, so set the audience of the signer to exactly what the token has',
  },
  {
    kind: 'audience-mismatch',
    fits: () => true,
    advice: (expected) => `ask the provider for a token for ${expected}, or change the audience of the signer`,
  },
]

/** Tells what the token is for and what the signer expects; nothing when they fit. */
export function audienceHints({ jws, signer }: HintSubject): Hint[] {
  const claims = jws.untrustedClaims
  const audiences = audiencesOf(claims)
  if (acceptsAudience(signer, audiences)) return []
  const accepted = signerAudiences(signer)
  const rule = RULES.find(({ fits }) => fits(audiences, claims, accepted))
  if (!rule) return []
  const received = claims.aud === undefined ? 'the token has no aud' : `the token's aud is ${quoted(claims.aud)}`
  const expected = accepted.map(quoted).join(' or ')
  const text = `${received}, the signer ${quoted(signer.name)} expects ${expected}: ${rule.advice(expected)}`
  return [hint(rule.kind, text)]
}

function isFrom(iss: JsonObject[string] | undefined, host: string): boolean {
  return typeof iss === 'string' && splitIssuer(iss).host === host
}

function isGithubDefault(audience: string): boolean {
  return audience.startsWith('https://github.com/')
}

/** Entra's version 1 writes `api://<client id>` where version 2 writes the client id. */
function folded(audience: string): string {
  const lower = withoutSlash(audience.trim().toLowerCase())
  return lower.startsWith('api://') ? lower.slice('api://'.length) : lower
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text
}
