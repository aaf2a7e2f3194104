import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  applySignerPreset,
  findSignerPreset,
  type PresetSigner,
  SIGNER_PRESET_NAMES,
  SIGNER_PRESETS,
  type SignerPresetName,
} from './signer-presets.ts'

const TENANT = '23f45e36-2ae6-4434-b116-25c66c27168d'
const CLIENT = '1d3584fe-b4eb-403f-b5a9-d1ed8b693b8f'

type Values = Readonly<Record<string, string>>

function signerOf(name: SignerPresetName, values: Values): PresetSigner {
  const result = applySignerPreset(name, values)
  assert.ok(result.ok, JSON.stringify(result))
  return result.signer
}

function errorsOf(name: SignerPresetName, values: Values): Readonly<Record<string, string>> {
  const result = applySignerPreset(name, values)
  return result.ok ? {} : result.errors
}

function warningsOf(name: SignerPresetName, values: Values): string {
  const result = applySignerPreset(name, values)
  return result.ok ? result.warnings.join('\n') : ''
}

const examplesOf = (name: SignerPresetName): Values =>
  Object.fromEntries(findSignerPreset(name)?.questions.map((question) => [question.name, question.example]) ?? [])

/** For each question: values of the wrong form, and what the reason says. */
const REFUSED: Readonly<Record<SignerPresetName, Readonly<Record<string, readonly (readonly [string, RegExp])[]>>>> = {
  entra: {
    tenantId: [
      ['common', /no token has the issuer of "common"/],
      ['contoso.onmicrosoft.com', /UUID/],
    ],
    clientId: [['api://overlay', /UUID/]],
    host: [['login.evil.example', /one of login\.microsoftonline\.com/]],
  },
  okta: {
    domain: [
      ['acme-admin.okta.com', /leave out "-admin"/],
      ['acme.okta.com/oauth2/default', /without a path/],
    ],
    authorizationServer: [['oauth2/default', /letters, digits/]],
    audience: [['a\nb', /control characters/]],
    clientId: [['a\u0000b', /control characters/]],
    requirePossession: [['mtls', /must be one of none, dpop/]],
  },
  google: {
    clientId: [['1234567890', /apps\.googleusercontent\.com/]],
    domain: [['acme', /host name/]],
  },
  auth0: {
    domain: [['https://acme.eu.auth0.com/authorize', /without a path/]],
    audience: [['x'.repeat(1025), /at most 1024/]],
    clientId: [['a\tb', /control characters/]],
    requirePossession: [['any', /must be one of none, dpop, mtls/]],
  },
  cognito: {
    userPoolId: [
      ['AbCdEfGhI', /eu-west-1_AbCdEfGhI/],
      ['eu-west-1_AbC/../x', /user pool/],
    ],
    clientId: [['a/b', /letters, digits/]],
  },
  keycloak: {
    url: [
      ['sso.acme.example', /must be a URL/],
      ['http://sso.acme.example', /https/],
      ['https://user@sso.acme.example', /no user name/],
      ['https://sso.acme.example?x=1', /query/],
      ['https://sso.acme.example/a,b', /must be a URL/],
      [`https://sso.acme.example/${'x'.repeat(1024)}`, /at most 1024/],
    ],
    realm: [['acme/x', /letters, digits/]],
    clientId: [['a\u007fb', /control characters/]],
    audience: [['a\rb', /control characters/]],
    requirePossession: [['any', /must be one of none, dpop, mtls/]],
  },
  'github-actions': {
    repository: [['acme app', /./]],
    audience: [['a\nb', /control characters/]],
    owner: [['acme/app', /letters, digits/]],
    enterprise: [['a b', /letters, digits/]],
  },
  gitlab: {
    refs: [['main', /must be one of protected, all/]],
    audience: [['a\nb', /control characters/]],
    group: [
      ['acme/', /without a slash/],
      ['acme/*', /path/],
    ],
    url: [['gitlab.acme.example', /must be a URL/]],
  },
  kubernetes: {
    serviceAccount: [['a/b', /./]],
    issuer: [['kubernetes/serviceaccount', /must be a URL/]],
    audience: [['a\nb', /control characters/]],
    namespace: [['*', /letters, digits/]],
    jwksEndpoint: [['http://k8s.acme.example/openid/v1/jwks', /https/]],
  },
}

test('each question takes its example, and refuses a value of another form', () => {
  assert.deepEqual(
    SIGNER_PRESETS.map(({ name }) => name),
    [...SIGNER_PRESET_NAMES],
  )
  for (const { name, questions } of SIGNER_PRESETS) {
    const examples = examplesOf(name)
    assert.deepEqual(errorsOf(name, examples), {}, name)
    for (const question of questions) {
      const refused = REFUSED[name][question.name] ?? []
      assert.ok(refused.length > 0, `${name} ${question.name} has a value that is refused`)
      for (const [value, reason] of refused) {
        const errors = errorsOf(name, { ...examples, [question.name]: value })
        assert.deepEqual(Object.keys(errors), [question.name], `${name} ${question.name} ${value}`)
        assert.match(errors[question.name] ?? '', reason)
      }
      const without = errorsOf(name, { ...examples, [question.name]: ' ' })
      assert.deepEqual(without, question.default === undefined ? { [question.name]: 'is required' } : {}, name)
    }
  }
})

test('a preset refuses values for which it has no question', () => {
  const values = { tenantId: TENANT, clientId: CLIENT }
  assert.deepEqual(errorsOf('entra', values), {})
  assert.deepEqual(errorsOf('entra', { ...values, realm: 'acme' }), { realm: 'is not a question of this preset' })
  assert.equal(findSignerPreset('entra')?.label, 'Microsoft Entra ID')
  assert.equal(findSignerPreset('adfs'), undefined)
})

test('the preset of Entra has the issuer and keys of version 2 of the tenant', () => {
  const signer = signerOf('entra', { tenantId: TENANT.toUpperCase(), clientId: ` ${CLIENT} ` })
  assert.equal(signer.issuer, `https://login.microsoftonline.com/${TENANT}/v2.0`)
  assert.equal(signer.jwksEndpoint, `https://login.microsoftonline.com/${TENANT}/discovery/v2.0/keys`)
  assert.equal(signer.openIdConfigurationUrl, `${signer.issuer}/.well-known/openid-configuration`)
  assert.equal(signer.externalAuthUrl, signer.issuer)
  assert.deepEqual([signer.audience, signer.clientId, signer.targetToken], [CLIENT, CLIENT, 'ID'])
  assert.deepEqual([signer.claimsProperty, signer.useExternalId], ['oid', true])
  const national = signerOf('entra', { tenantId: TENANT, clientId: CLIENT, host: 'login.microsoftonline.us' })
  assert.equal(national.issuer, `https://login.microsoftonline.us/${TENANT}/v2.0`)
})

test('the preset of Okta has a custom authorization server', () => {
  const signer = signerOf('okta', { domain: 'https://Acme.okta.com/' })
  assert.equal(signer.issuer, 'https://acme.okta.com/oauth2/default')
  assert.equal(signer.jwksEndpoint, 'https://acme.okta.com/oauth2/default/v1/keys')
  assert.deepEqual([signer.audience, signer.targetToken, signer.claimsProperty], ['api://default', 'ACCESS', 'uid'])
  assert.equal(signer.clientId, undefined)
  assert.match(warningsOf('okta', { domain: 'acme.okta.com' }), /^Without a client id/)
  const other = { domain: 'id.acme.example', authorizationServer: 'aus1', audience: 'overlay', clientId: 'c' }
  const custom = signerOf('okta', other)
  assert.equal(custom.issuer, 'https://id.acme.example/oauth2/aus1')
  assert.equal(custom.openIdConfigurationUrl, 'https://id.acme.example/oauth2/aus1/.well-known/openid-configuration')
  assert.deepEqual([custom.audience, custom.clientId], ['overlay', 'c'])
  assert.doesNotMatch(warningsOf('okta', other), /Without a client id/)
})

test('the preset of Google accepts ID tokens, of one domain where it is given', () => {
  const clientId = '1-a.apps.googleusercontent.com'
  const signer = signerOf('google', { clientId, domain: 'acme.example' })
  assert.equal(signer.issuer, 'https://accounts.google.com')
  assert.equal(signer.jwksEndpoint, 'https://www.googleapis.com/oauth2/v3/certs')
  assert.deepEqual([signer.audience, signer.targetToken], [clientId, 'ID'])
  assert.deepEqual(signer.requiredClaims, { hd: 'acme.example' })
  assert.equal(signer.openIdConfigurationUrl, undefined, 'its token endpoint asks for a secret')
  assert.equal(signerOf('google', { clientId }).requiredClaims, undefined)
  assert.match(warningsOf('google', { clientId }), /^Every Google account/)
  assert.doesNotMatch(warningsOf('google', { clientId, domain: 'acme.example' }), /Every Google account/)
})

test('the preset of Auth0 has an issuer with a slash at its end', () => {
  const signer = signerOf('auth0', { domain: 'acme.eu.auth0.com', audience: 'https://overlay', clientId: 'c' })
  assert.equal(signer.issuer, 'https://acme.eu.auth0.com/')
  assert.equal(signer.jwksEndpoint, 'https://acme.eu.auth0.com/.well-known/jwks.json')
  assert.equal(signer.openIdConfigurationUrl, 'https://acme.eu.auth0.com/.well-known/openid-configuration')
  assert.deepEqual([signer.audience, signer.targetToken], ['https://overlay', 'ACCESS'])
})

test('the preset of Cognito derives the region from the user pool', () => {
  const signer = signerOf('cognito', { userPoolId: 'us-gov-west-1_Ab1', clientId: '4ex' })
  assert.equal(signer.issuer, 'https://cognito-idp.us-gov-west-1.amazonaws.com/us-gov-west-1_Ab1')
  assert.equal(signer.jwksEndpoint, `${signer.issuer}/.well-known/jwks.json`)
  assert.deepEqual([signer.audience, signer.targetToken], ['4ex', 'ID'])
  assert.deepEqual(signer.requiredClaims, { token_use: 'id' })
  assert.equal(signer.enrollAttributeClaimsSelector, 'cognito:groups')
  const china = signerOf('cognito', { userPoolId: 'cn-north-1_Ab1', clientId: '4ex' })
  assert.equal(china.issuer, 'https://cognito-idp.cn-north-1.amazonaws.com.cn/cn-north-1_Ab1')
})

test('the preset of Keycloak has the issuer of the realm, and the client id as audience unless another is given', () => {
  const values = { url: 'http://127.0.0.1:8080/', realm: 'acme', clientId: 'overlay' }
  const signer = signerOf('keycloak', values)
  assert.equal(signer.issuer, 'http://127.0.0.1:8080/realms/acme')
  assert.equal(signer.jwksEndpoint, 'http://127.0.0.1:8080/realms/acme/protocol/openid-connect/certs')
  assert.deepEqual([signer.audience, signer.clientId, signer.targetToken], ['overlay', 'overlay', 'ACCESS'])
  assert.equal(signer.enrollAttributeClaimsSelector, '/realm_access/roles')
  assert.equal(signerOf('keycloak', { ...values, audience: 'api' }).audience, 'api')
  const old = signerOf('keycloak', { ...values, url: 'https://sso.acme.example/auth' })
  assert.equal(old.issuer, 'https://sso.acme.example/auth/realms/acme')
})

test('the preset of GitHub Actions accepts the repositories of the owner', () => {
  const signer = signerOf('github-actions', { audience: 'countersign', owner: 'acme' })
  assert.equal(signer.issuer, 'https://token.actions.githubusercontent.com')
  assert.equal(signer.jwksEndpoint, 'https://token.actions.githubusercontent.com/.well-known/jwks')
  assert.deepEqual(signer.requiredClaims, { repository_owner: 'acme' })
  assert.deepEqual([signer.claimsProperty, signer.useExternalId, signer.clientId], ['/sub', true, undefined])
  const enterprise = signerOf('github-actions', { audience: 'countersign', enterprise: 'acme-inc' })
  assert.equal(enterprise.issuer, 'https://token.actions.githubusercontent.com/acme-inc')
  assert.equal(enterprise.jwksEndpoint, `${enterprise.issuer}/.well-known/jwks`)
  assert.match(warningsOf('github-actions', { audience: 'countersign' }), /jobs of everyone: give the owner/)
  assert.doesNotMatch(warningsOf('github-actions', { audience: 'countersign', owner: 'acme' }), /everyone/)
})

test('the preset of GitLab accepts the projects of the group', () => {
  const signer = signerOf('gitlab', { audience: 'countersign', group: 'acme' })
  assert.deepEqual(
    [signer.issuer, signer.jwksEndpoint],
    ['https://gitlab.com', 'https://gitlab.com/oauth/discovery/keys'],
  )
  assert.deepEqual(signer.requiredClaims, { project_path: { glob: 'acme/*' } })
  assert.match(warningsOf('gitlab', { audience: 'countersign' }), /give the group/)
  const own = { audience: 'countersign', url: 'https://git.acme.example/' }
  assert.equal(signerOf('gitlab', own).issuer, 'https://git.acme.example')
  assert.doesNotMatch(warningsOf('gitlab', own), /give the group/)
})

test('the preset of Kubernetes knows where managed clusters publish their keys', () => {
  const keysOf = (issuer: string) => signerOf('kubernetes', { issuer, audience: 'a' }).jwksEndpoint
  const eks = 'https://oidc.eks.eu-west-1.amazonaws.com/id/0A'
  const gke = 'https://container.googleapis.com/v1/projects/p/locations/l/clusters/c'
  assert.equal(keysOf(eks), `${eks}/keys`)
  assert.equal(keysOf(gke), `${gke}/jwks`)
  assert.equal(
    keysOf('https://westeurope.oic.prod-aks.azure.com/t/c/'),
    'https://westeurope.oic.prod-aks.azure.com/t/c/openid/v1/jwks',
  )
  assert.equal(keysOf('https://kubernetes.default.svc'), 'https://kubernetes.default.svc/openid/v1/jwks')
  const elsewhere = signerOf('kubernetes', {
    issuer: 'https://westeurope.oic.prod-aks.azure.com/t/c/',
    audience: 'a',
    namespace: 'production',
    jwksEndpoint: 'https://k8s.acme.example/keys',
  })
  assert.equal(elsewhere.issuer, 'https://westeurope.oic.prod-aks.azure.com/t/c/', 'the slash is part of the issuer')
  assert.equal(elsewhere.jwksEndpoint, 'https://k8s.acme.example/keys')
  assert.deepEqual(elsewhere.requiredClaims, { '/kubernetes.io/namespace': 'production' })
})

test('the presets write rules against the known traps', () => {
  const ruleOf = (...args: Parameters<typeof signerOf>) => signerOf(...args).acceptRule
  assert.equal(ruleOf('entra', { tenantId: TENANT, clientId: CLIENT }), `claims.tid == "${TENANT}"`)
  const clientId = '1-a.apps.googleusercontent.com'
  const verified = 'has(claims.email_verified) && claims.email_verified == true'
  assert.equal(ruleOf('google', { clientId }), verified)
  assert.equal(
    ruleOf('google', { clientId, domain: 'acme.example' }),
    `has(claims.hd) && claims.hd == "acme.example" && ${verified}`,
  )
  const noPullRequests = '!(claims.event_name in ["pull_request", "pull_request_target"])'
  assert.equal(ruleOf('github-actions', { audience: 'a', owner: 'acme' }), noPullRequests)
  assert.equal(
    ruleOf('github-actions', { audience: 'a', repository: 'acme/app' }),
    `claims.repository == "acme/app" && ${noPullRequests}`,
  )
  assert.equal(ruleOf('gitlab', { audience: 'a' }), 'claims.ref_protected == "true"')
  assert.equal(ruleOf('gitlab', { audience: 'a', refs: 'all' }), undefined)
  const cluster = { issuer: 'https://k8s.example', audience: 'a' }
  assert.equal(ruleOf('kubernetes', cluster), undefined)
  assert.equal(
    ruleOf('kubernetes', { ...cluster, namespace: 'prod' }),
    'claims.sub.startsWith("system:serviceaccount:prod:")',
  )
  assert.equal(
    ruleOf('kubernetes', { ...cluster, namespace: 'prod', serviceAccount: 'deploy' }),
    'claims.sub == "system:serviceaccount:prod:deploy"',
  )
  assert.match(warningsOf('kubernetes', { ...cluster, serviceAccount: 'deploy' }), /without its namespace/)
})
