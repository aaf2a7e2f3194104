import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mintKey, mintKeySet, mintToken } from './token-mint.ts'

/** The issuer of a CI platform on loopback: its discovery document has keys and no token endpoint, like that of GitHub Actions. */
export interface WorkloadIssuer {
  readonly issuer: string
  /** The token of a job in `acme/app` on `main`, in the shape of GitHub, with these claims changed. */
  jobToken(claims: Readonly<Record<string, unknown>>): string
  /** Lets jobs with this token request theirs at the returned URL, as in GitHub Actions. `claims` are called for each, with the audience. */
  serveJobs(requestToken: string, claims: () => Readonly<Record<string, unknown>>): string
  close(): Promise<void>
}

const JOB = {
  sub: 'repo:acme/app:ref:refs/heads/main',
  repository: 'acme/app',
  repository_owner: 'acme',
  ref: 'refs/heads/main',
  ref_type: 'branch',
  workflow: 'deploy',
  event_name: 'push',
  actor: 'octocat',
}
const LIFE_SECONDS = 300
const TOKEN_PATH = '/token'

export async function startWorkloadIssuer(): Promise<WorkloadIssuer> {
  const key = mintKey('P-256')
  let findJobToken: (url: URL, authorization: string | undefined) => string | undefined = () => undefined
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const value = findJobToken(url, request.headers.authorization)
    const documents: Readonly<Record<string, unknown>> = {
      '/.well-known/openid-configuration': { issuer: issuer(), jwks_uri: `${issuer()}/.well-known/jwks` },
      '/.well-known/jwks': mintKeySet(key),
    }
    const document = value === undefined ? documents[url.pathname] : { count: 1, value }
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const jobToken: WorkloadIssuer['jobToken'] = (claims) => {
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now, nbf: now, exp: now + LIFE_SECONDS }
    return mintToken({ key, alg: 'ES256', claims: { iss: issuer(), ...times, ...JOB, ...claims } })
  }
  return {
    issuer: issuer(),
    jobToken,
    serveJobs: (requestToken, claims) => {
      findJobToken = (url, authorization) =>
        url.pathname === TOKEN_PATH && authorization === `Bearer ${requestToken}`
          ? jobToken({ aud: url.searchParams.get('audience'), ...claims() })
          : undefined
      return `${issuer()}${TOKEN_PATH}?api-version=2.0`
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
