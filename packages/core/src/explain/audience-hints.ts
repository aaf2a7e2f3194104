import type { JsonObject } from '../json/json-value.ts'
import { acceptsAudience, signerAudiences } from '../signer/signer-audiences.ts'
import { audiencesOf } from '../token/jws.ts'
import { MAX_CANDIDATES } from '../token/refuse-too-many-signers.ts'
import { type Hint, type HintKind, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'
import { splitIssuer } from './issuer-parts.ts'

interface AudienceRule {
  readonly kind: HintKind
  readonly applies: (audiences: readonly string[], claims: JsonObject, expected: readonly string[]) => boolean
  readonly advice: (expected: string) => string
}

const GRAPH: readonly string[] = ['00000003-0000-0000-c000-000000000000', 'https://graph.microsoft.com']
/** Keycloak adds to `aud` every client in which the user has a role. Every realm has these. */
const KEYCLOAK_OWN: readonly string[] = ['account', 'realm-management', 'broker']
const GITHUB_ACTIONS = 'token.actions.githubusercontent.com'

/** Default audiences of providers. The first rule that applies gives the hint. */
const RULES: readonly AudienceRule[] = [
  {
    kind: 'audience-cognito',
    applies: (_, { aud, token_use }) => aud === undefined && token_use === 'access',
    advice: () =>
      'access tokens of Cognito have no aud, so send the ID token, with the app client id as audience and targetToken ID, or add aud in a pre token generation trigger',
  },
  {
    kind: 'audience-missing',
    applies: (audiences) => audiences.length === 0,
    advice: (expected) => `configure the provider to put ${expected} into aud, as a string or in an array of strings`,
  },
  {
    kind: 'audience-keycloak-account',
    applies: (audiences) => audiences.every((audience) => KEYCLOAK_OWN.includes(audience)),
    advice: (expected) =>
      `in Keycloak add an audience mapper with ${expected} to the client, or to one of its client scopes`,
  },
  {
    kind: 'audience-graph',
    applies: (audiences) => audiences.some((audience) => GRAPH.includes(withoutTrailingSlash(audience))),
    advice: (expected) =>
      `this token is for Microsoft Graph, so request a scope of your own API from Entra, such as ${expected} followed by /.default`,
  },
  {
    kind: 'audience-github',
    applies: (audiences, { iss }) => isFrom(iss, GITHUB_ACTIONS) && audiences.some(isGithubDefault),
    advice: (expected) => `request the token from GitHub Actions with the audience ${expected}`,
  },
  {
    kind: 'audience-kubernetes',
    applies: (audiences) =>
      audiences.some((audience) => splitIssuer(audience).host.startsWith('kubernetes.default.svc')),
    advice: (expected) =>
      `this is the token for the Kubernetes API itself, so mount a projected service account token with the audience ${expected}`,
  },
  {
    kind: 'audience-spelling',
    applies: (audiences, _, expected) => {
      const accepted = expected.map(normalized)
      return audiences.some((audience) => accepted.includes(normalized(audience)))
    },
    advice: () => 'they differ only in spelling, so set the audience of the signer to exactly the one of the token',
  },
  {
    kind: 'audience-mismatch',
    applies: () => true,
    advice: (expected) => `request a token for ${expected} from the provider, or change the audience of the signer`,
  },
]

const TOO_MANY_SIGNERS = hint(
  'too-many-signers',
  `the token's aud names more than ${MAX_CANDIDATES} enabled signers, so none checks it: put fewer audiences into the token, or make several of them additionalAudiences of one signer`,
)

/** Returns a hint when the signer does not accept the token's audiences, or when they name too many signers. */
export function audienceHints({ jws, signer, verdict }: HintSubject): Hint[] {
  if (verdict.reason === 'too-many-signers') return [TOO_MANY_SIGNERS]
  const claims = jws.untrustedClaims
  const audiences = audiencesOf(claims)
  if (acceptsAudience(signer, audiences)) return []
  const accepted = signerAudiences(signer)
  const rule = RULES.find(({ applies }) => applies(audiences, claims, accepted))
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

/** Entra's version 1 tokens have `api://<client id>` where version 2 tokens have the client id. */
function normalized(audience: string): string {
  const lower = withoutTrailingSlash(audience.trim().toLowerCase())
  return lower.startsWith('api://') ? lower.slice('api://'.length) : lower
}

function withoutTrailingSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text
}
