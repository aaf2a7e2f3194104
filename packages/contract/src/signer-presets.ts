import type { ExtJwtSignerWrite } from './ext-jwt-signer.ts'
import {
  baseUrlForm,
  hostForm,
  type PresetQuestion,
  pathForm,
  segmentForm,
  textForm,
  urlForm,
  uuidForm,
  type ValueForm,
} from './preset-question.ts'

/** The members that a preset fills. The administrator names and enables the signer. */
export type PresetSigner = Omit<ExtJwtSignerWrite, 'name' | 'enabled'> & { readonly jwksEndpoint: string }

/** What an identity provider's signers have in common, and the questions about what differs. */
export interface SignerPreset {
  readonly name: SignerPresetName
  /** The product's name. */
  readonly label: string
  /** Whether the tokens are those of people, who log in with a browser, or those of jobs. */
  readonly subjects: 'people' | 'jobs'
  readonly questions: readonly PresetQuestion[]
  /** Mistakes that others made with this provider, and how to avoid them. */
  readonly traps: readonly string[]
}

/** The presets, in the order in which they are offered. */
export const SIGNER_PRESET_NAMES = [
  'entra',
  'okta',
  'google',
  'auth0',
  'cognito',
  'keycloak',
  'github-actions',
  'gitlab',
  'kubernetes',
] as const
export type SignerPresetName = (typeof SIGNER_PRESET_NAMES)[number]

interface Row<Name extends string = string> extends Omit<SignerPreset, 'name' | 'questions'> {
  readonly questions: readonly PresetQuestion<Name>[]
  /** The signer for valid values; an optional value that is not given is empty. */
  build(values: Readonly<Record<Name, string>>): PresetSigner
  /** What these values leave open, besides the traps. */
  warn?(values: Readonly<Record<Name, string>>): string | undefined
}

/** Infers the names of the questions, so that `build` can read no other. */
const row = <const Name extends string>(entry: Row<Name>): Row => entry as Row

const DISCOVERY = '.well-known/openid-configuration'

const entraTenant: ValueForm = (value) =>
  ['common', 'organizations', 'consumers'].includes(value.toLowerCase())
    ? { reason: `must be the id of your tenant: no token has the issuer of "${value}"` }
    : uuidForm(value)

const oktaDomain: ValueForm = (value) => {
  const read = hostForm(value)
  if ('reason' in read || !/-admin\.okta[a-z-]*\.com$/.test(read.value)) return read
  return { reason: 'must be the domain of users: leave out "-admin", which is the administrators\' console' }
}

const USER_POOL = /^([a-z]{2}(?:-[a-z]+)+-\d)_[A-Za-z0-9]+$/
const userPool: ValueForm = (value) =>
  USER_POOL.test(value) ? { value } : { reason: 'must be the id of a user pool such as eu-west-1_AbCdEfGhI' }

const googleClient: ValueForm = (value) =>
  /^[\w-]+\.apps\.googleusercontent\.com$/.test(value)
    ? { value }
    : { reason: 'must be a client id that ends with .apps.googleusercontent.com' }

const audience = (help: string, example: string, more: { readonly default?: string } = {}) =>
  ({ name: 'audience', label: 'Audience', help, example, form: textForm, ...more }) as const

/** What the provider can bind its tokens to, for `requirePossession`. */
const possession = (help: string, choices: readonly ('dpop' | 'mtls')[]) =>
  ({
    name: 'requirePossession',
    label: 'Proof of possession',
    help,
    example: 'dpop',
    default: 'none',
    choices: ['none', ...choices],
    form: textForm,
  }) as const

/** The member for an answer; none for the default. */
const requiring = (kind: string): Pick<PresetSigner, 'requirePossession'> =>
  kind === 'dpop' || kind === 'mtls' ? { requirePossession: kind } : {}

/** The URLs with which clients open a browser. Existing clients know only `externalAuthUrl`. */
const browserLogin = (issuer: string, clientId: string, scopes: readonly string[]) =>
  clientId === ''
    ? {}
    : {
        clientId,
        scopes: [...scopes],
        externalAuthUrl: issuer,
        openIdConfigurationUrl: `${issuer.replace(/\/$/, '')}/${DISCOVERY}`,
      }

const NO_BROWSER_LOGIN = 'Without a client id the signer accepts tokens, but clients cannot open a login in a browser.'
const warnWithoutClient = ({ clientId }: { readonly clientId: string }) => (clientId ? undefined : NO_BROWSER_LOGIN)

/** Where managed clusters publish their keys; others have the path of the API server. */
const CLUSTER_KEYS: readonly { readonly host: RegExp; readonly path: string }[] = [
  { host: /(^|\.)oidc\.eks\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/, path: 'keys' },
  { host: /^container\.googleapis\.com$/, path: 'jwks' },
]
const clusterKeys = (issuer: string): string => {
  const host = URL.parse(issuer)?.hostname ?? ''
  const path = CLUSTER_KEYS.find((cluster) => cluster.host.test(host))?.path ?? 'openid/v1/jwks'
  return `${issuer.replace(/\/$/, '')}/${path}`
}

/** A text in a rule. */
const literal = (text: string): string => JSON.stringify(text)

/** The rule that all of these hold; the empty ones are left out. */
const allOf = (...conditions: readonly string[]) => {
  const given = conditions.filter((condition) => condition !== '')
  return given.length === 0 ? {} : { acceptRule: given.join(' && ') }
}

const GITHUB = 'https://token.actions.githubusercontent.com'

const ROWS: Readonly<Record<SignerPresetName, Row>> = {
  entra: row({
    label: 'Microsoft Entra ID',
    subjects: 'people',
    questions: [
      {
        name: 'tenantId',
        label: 'Tenant id',
        help: 'Overview of the app registration: Directory (tenant) ID',
        example: '23f45e36-2ae6-4434-b116-25c66c27168d',
        form: entraTenant,
      },
      {
        name: 'clientId',
        label: 'Client id',
        help: 'Overview of the app registration: Application (client) ID',
        example: '1d3584fe-b4eb-403f-b5a9-d1ed8b693b8f',
        form: uuidForm,
      },
      {
        name: 'host',
        label: 'Login host',
        help: 'Differs in national clouds',
        example: 'login.microsoftonline.com',
        default: 'login.microsoftonline.com',
        choices: ['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn'],
        form: hostForm,
      },
    ],
    traps: [
      'Tokens of a multi-tenant app come from the issuers of all tenants: the signer accepts only yours, and the rule compares the tenant (tid) once more.',
      'The external id of an identity is the object id of the user (oid). E-mail addresses are not verified by Entra, and sub differs between apps.',
      'Access tokens of the app fit too, but only in version 2: set requestedAccessTokenVersion to 2 in its manifest. In version 1 the issuer is sts.windows.net.',
      'Tokens have groups only after "Add groups claim" under Token configuration. Choose "Groups assigned to the application": above 200 groups Entra omits the claim.',
    ],
    build: ({ tenantId, clientId, host }) => ({
      issuer: `https://${host}/${tenantId}/v2.0`,
      audience: clientId,
      jwksEndpoint: `https://${host}/${tenantId}/discovery/v2.0/keys`,
      claimsProperty: 'oid',
      useExternalId: true,
      targetToken: 'ID',
      enrollNameClaimsSelector: 'preferred_username',
      enrollAttributeClaimsSelector: 'groups',
      scimIdentityAttribute: 'externalId',
      ...allOf(`claims.tid == ${literal(tenantId)}`),
      ...browserLogin(`https://${host}/${tenantId}/v2.0`, clientId, ['openid', 'profile', 'email']),
    }),
  }),
  okta: row({
    label: 'Okta',
    subjects: 'people',
    questions: [
      {
        name: 'domain',
        label: 'Okta domain',
        help: 'The domain on which users log in, or your custom domain',
        example: 'acme.okta.com',
        form: oktaDomain,
      },
      {
        name: 'authorizationServer',
        label: 'Authorization server',
        help: 'Security, API, Authorization Servers: the last part of the issuer URI',
        example: 'default',
        default: 'default',
        form: segmentForm,
      },
      audience('Security, API, Authorization Servers: the audience of that server', 'api://default', {
        default: 'api://default',
      }),
      {
        name: 'clientId',
        label: 'Client id',
        help: 'Of an application of type Single-Page or Native, for logins in a browser',
        example: '0oa1b2c3d4e5F6g7h8i9',
        default: '',
        form: textForm,
      },
      possession('dpop if the application requires it: General settings, Require DPoP', ['dpop']),
    ],
    traps: [
      'The server must be a custom authorization server: only Okta itself can verify access tokens of the org server (https://acme.okta.com).',
      'The external id of an identity is the id of the user (uid), such as 00u1a2b3c4. In access tokens sub is the user name, which can change.',
      'Tokens have groups only after you add a groups claim for access tokens to the authorization server.',
      'Tokens can be bound to a key, which makes stolen ones useless: require DPoP in the general settings of the application, and set requirePossession to dpop.',
    ],
    build: ({ domain, authorizationServer, audience, clientId, requirePossession }) => {
      const issuer = `https://${domain}/oauth2/${authorizationServer}`
      return {
        issuer,
        audience,
        jwksEndpoint: `${issuer}/v1/keys`,
        claimsProperty: 'uid',
        useExternalId: true,
        targetToken: 'ACCESS',
        enrollNameClaimsSelector: '/sub',
        enrollAttributeClaimsSelector: 'groups',
        scimIdentityAttribute: 'externalId',
        ...requiring(requirePossession),
        ...browserLogin(issuer, clientId, ['openid', 'profile', 'email']),
      }
    },
    warn: warnWithoutClient,
  }),
  google: row({
    label: 'Google',
    subjects: 'people',
    questions: [
      {
        name: 'clientId',
        label: 'Client id',
        help: 'Google Cloud console, APIs & Services, Credentials',
        example: '1234567890-abc123.apps.googleusercontent.com',
        form: googleClient,
      },
      {
        name: 'domain',
        label: 'Workspace domain',
        help: 'Only accounts of this Google Workspace domain are accepted (hd)',
        example: 'acme.example',
        default: '',
        form: hostForm,
      },
    ],
    traps: [
      "Only ID tokens are JSON Web Tokens: Google's access tokens are opaque.",
      "Google's token endpoint asks for a client secret even with PKCE, so the preset sets no URL for logins in a browser. Clients present ID tokens that they got themselves.",
      'The external id of an identity is the sub of the Google account, a number. E-mail addresses can move to another account.',
      'The domain of an e-mail address says nothing: anyone can make a Google account with an address of yours. Only hd names the Workspace, and only with email_verified is the address proven. The rule checks both.',
    ],
    build: ({ clientId, domain }) => ({
      issuer: 'https://accounts.google.com',
      audience: clientId,
      jwksEndpoint: 'https://www.googleapis.com/oauth2/v3/certs',
      claimsProperty: '/sub',
      useExternalId: true,
      targetToken: 'ID',
      clientId,
      scopes: ['openid', 'profile', 'email'],
      enrollNameClaimsSelector: 'email',
      ...(domain && { requiredClaims: { hd: domain } }),
      ...allOf(
        domain && `has(claims.hd) && claims.hd == ${literal(domain)}`,
        'has(claims.email_verified) && claims.email_verified == true',
      ),
    }),
    warn: ({ domain }) =>
      domain
        ? undefined
        : 'Every Google account can get a token for this client: give a domain before you allow enrollment.',
  }),
  auth0: row({
    label: 'Auth0',
    subjects: 'people',
    questions: [
      {
        name: 'domain',
        label: 'Domain',
        help: 'Settings of the application, or your custom domain',
        example: 'acme.eu.auth0.com',
        form: hostForm,
      },
      audience('Applications, APIs: the identifier of the API', 'https://overlay.acme.example'),
      {
        name: 'clientId',
        label: 'Client id',
        help: 'Of an application of type Single Page or Native, for logins in a browser',
        example: 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6',
        default: '',
        form: textForm,
      },
      possession('What the API binds its tokens to: Settings of the API, Sender constraining', ['dpop', 'mtls']),
    ],
    traps: [
      'The issuer ends with a slash.',
      'Clients must request the audience, or the access token is opaque. The console and the countersign command do so.',
      'Tokens of an application name it as <client id>@clients in sub: such an identity has this external id.',
      'Tokens can be bound to a key, which makes stolen ones useless: set sender constraining of the API to DPoP or mTLS, and requirePossession to dpop or mtls.',
      'Roles and e-mail addresses are in access tokens only if an Action adds them, usually under a name such as https://acme.example/roles.',
    ],
    build: ({ domain, audience, clientId, requirePossession }) => ({
      issuer: `https://${domain}/`,
      audience,
      jwksEndpoint: `https://${domain}/.well-known/jwks.json`,
      claimsProperty: '/sub',
      useExternalId: true,
      targetToken: 'ACCESS',
      ...requiring(requirePossession),
      ...browserLogin(`https://${domain}/`, clientId, ['openid', 'profile', 'email']),
    }),
    warn: warnWithoutClient,
  }),
  cognito: row({
    label: 'Amazon Cognito',
    subjects: 'people',
    questions: [
      {
        name: 'userPoolId',
        label: 'User pool id',
        help: 'Overview of the user pool; it begins with the region',
        example: 'eu-west-1_AbCdEfGhI',
        form: userPool,
      },
      {
        name: 'clientId',
        label: 'App client id',
        help: 'App clients of the user pool; a public client without a secret',
        example: '4exampleclientid0000000000',
        form: segmentForm,
      },
    ],
    traps: [
      'The signer accepts ID tokens. Access tokens of Cognito have no aud.',
      "The external id of an identity is the user's sub in the user pool.",
      'Logins in a browser need a domain of the user pool, for the hosted or managed login pages.',
    ],
    build: ({ userPoolId, clientId }) => {
      const region = USER_POOL.exec(userPoolId)?.[1] ?? ''
      const host = `cognito-idp.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
      const issuer = `https://${host}/${userPoolId}`
      return {
        issuer,
        audience: clientId,
        jwksEndpoint: `${issuer}/.well-known/jwks.json`,
        claimsProperty: '/sub',
        useExternalId: true,
        targetToken: 'ID',
        enrollNameClaimsSelector: 'cognito:username',
        enrollAttributeClaimsSelector: 'cognito:groups',
        requiredClaims: { token_use: 'id' },
        ...browserLogin(issuer, clientId, ['openid', 'profile', 'email']),
      }
    },
  }),
  keycloak: row({
    label: 'Keycloak',
    subjects: 'people',
    questions: [
      {
        name: 'url',
        label: 'Keycloak URL',
        help: 'Without /realms; versions before 17 have /auth at the end',
        example: 'https://sso.acme.example',
        form: baseUrlForm,
      },
      {
        name: 'realm',
        label: 'Realm',
        help: 'The name in URLs, in the same letter case',
        example: 'acme',
        form: segmentForm,
      },
      {
        name: 'clientId',
        label: 'Client id',
        help: 'A public client (without client authentication) with the standard flow',
        example: 'overlay',
        form: textForm,
      },
      audience('What the audience mapper adds to access tokens; the client id if empty', 'overlay', { default: '' }),
      possession('What the client binds its tokens to: advanced settings of the client', ['dpop', 'mtls']),
    ],
    traps: [
      'Access tokens have the audience only after you add an audience mapper: Client scopes, dedicated scope of the client, Add mapper, Audience.',
      'The external id of an identity is the id of the user in Keycloak (sub).',
      'Tokens can be bound to a key, which makes stolen ones useless: require DPoP bound tokens (Keycloak 26.4 or later) or mutual TLS certificate bound tokens in the advanced settings of the client, and set requirePossession to dpop or mtls.',
      'The attributes of enrolled identities are the realm roles. For groups, add a group mapper and set the selector to its claim.',
    ],
    build: ({ url, realm, clientId, audience, requirePossession }) => {
      const issuer = `${url}/realms/${realm}`
      return {
        issuer,
        audience: audience || clientId,
        jwksEndpoint: `${issuer}/protocol/openid-connect/certs`,
        claimsProperty: '/sub',
        useExternalId: true,
        targetToken: 'ACCESS',
        enrollNameClaimsSelector: 'preferred_username',
        enrollAttributeClaimsSelector: '/realm_access/roles',
        ...requiring(requirePossession),
        ...browserLogin(issuer, clientId, ['openid', 'profile', 'email']),
      }
    },
  }),
  'github-actions': row({
    label: 'GitHub Actions',
    subjects: 'jobs',
    questions: [
      audience('What jobs request: core.getIDToken(audience)', 'countersign'),
      {
        name: 'owner',
        label: 'Owner',
        help: 'Only repositories of this organization or user are accepted (repository_owner)',
        example: 'acme',
        default: '',
        form: segmentForm,
      },
      {
        name: 'repository',
        label: 'Repository',
        help: 'Only jobs of this repository are accepted (repository)',
        example: 'acme/app',
        default: '',
        form: pathForm,
      },
      {
        name: 'enterprise',
        label: 'Enterprise slug',
        help: 'Only if the enterprise has an issuer of its own (include_enterprise_slug)',
        example: 'acme-inc',
        default: '',
        form: segmentForm,
      },
    ],
    traps: [
      'The job needs the permission id-token: write.',
      'The external id of an identity is the sub of the job, such as repo:acme/app:ref:refs/heads/main. With an environment it is repo:acme/app:environment:production.',
      'Jobs of pull requests have a sub that ends with :pull_request, whatever the branch. The rule refuses them.',
      'A job can request a token for each login: with oneUse a token that leaks into a log is of no use after the login.',
      'A repository can change what its sub contains, and leave out its own name: compare repository, not only sub. The rule does so if you give one.',
    ],
    build: ({ audience, owner, repository, enterprise }) => {
      const issuer = enterprise ? `${GITHUB}/${enterprise}` : GITHUB
      return {
        issuer,
        audience,
        jwksEndpoint: `${issuer}/.well-known/jwks`,
        claimsProperty: '/sub',
        useExternalId: true,
        enrollNameClaimsSelector: 'repository',
        ...(owner && { requiredClaims: { repository_owner: owner } }),
        ...allOf(
          repository && `claims.repository == ${literal(repository)}`,
          '!(claims.event_name in ["pull_request", "pull_request_target"])',
        ),
      }
    },
    warn: ({ owner, repository, enterprise }) =>
      owner || repository || enterprise
        ? undefined
        : 'GitHub issues tokens with any audience to jobs of everyone: give the owner before you allow enrollment.',
  }),
  gitlab: row({
    label: 'GitLab CI/CD',
    subjects: 'jobs',
    questions: [
      audience('What jobs request: aud under id_tokens', 'countersign'),
      {
        name: 'group',
        label: 'Group',
        help: 'Only projects of this group and its subgroups are accepted (project_path)',
        example: 'acme',
        default: '',
        form: pathForm,
      },
      {
        name: 'refs',
        label: 'Branches and tags',
        help: 'Only jobs of protected branches and tags are accepted, or those of all',
        example: 'protected',
        default: 'protected',
        choices: ['protected', 'all'],
        form: textForm,
      },
      {
        name: 'url',
        label: 'GitLab URL',
        help: 'Differs for installations of your own',
        example: 'https://gitlab.acme.example',
        default: 'https://gitlab.com',
        form: baseUrlForm,
      },
    ],
    traps: [
      'Jobs get a token only with id_tokens in .gitlab-ci.yml. CI_JOB_TOKEN is something else.',
      'The external id of an identity is the sub of the job, such as project_path:acme/app:ref_type:branch:ref:main.',
      'Pipelines of any branch can name the audience: the rule accepts those of protected branches and tags only (ref_protected), unless you choose all.',
      'A project that moves to another group keeps its project_id: its jobs then have another project_path, and another project can take the old one.',
    ],
    build: ({ audience, group, refs, url }) => ({
      issuer: url,
      audience,
      jwksEndpoint: `${url}/oauth/discovery/keys`,
      claimsProperty: '/sub',
      useExternalId: true,
      enrollNameClaimsSelector: 'project_path',
      ...(group && { requiredClaims: { project_path: { glob: `${group}/*` } } }),
      ...allOf(refs === 'protected' ? 'claims.ref_protected == "true"' : ''),
    }),
    warn: ({ group, url }) =>
      group || url !== 'https://gitlab.com'
        ? undefined
        : 'GitLab.com issues tokens with any audience to jobs of everyone: give the group before you allow enrollment.',
  }),
  kubernetes: row({
    label: 'Kubernetes',
    subjects: 'jobs',
    questions: [
      {
        name: 'issuer',
        label: 'Issuer',
        help: 'kubectl get --raw /.well-known/openid-configuration: issuer, with its slash if it has one',
        example: 'https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF',
        form: urlForm,
      },
      audience('What pods request: audience of the projected serviceAccountToken', 'countersign'),
      {
        name: 'namespace',
        label: 'Namespace',
        help: 'Only service accounts of this namespace are accepted',
        example: 'production',
        default: '',
        form: segmentForm,
      },
      {
        name: 'serviceAccount',
        label: 'Service account',
        help: 'Only this service account of the namespace is accepted',
        example: 'deployer',
        default: '',
        form: segmentForm,
      },
      {
        name: 'jwksEndpoint',
        label: 'JWKS endpoint',
        help: 'Derived from the issuer if empty; give it if the controller reaches the keys elsewhere',
        example: 'https://k8s.acme.example:6443/openid/v1/jwks',
        default: '',
        form: urlForm,
      },
    ],
    traps: [
      'Pods must mount a projected token with the audience. The default token is for the Kubernetes API itself.',
      'The external id of an identity is system:serviceaccount:<namespace>:<name> (sub).',
      'Everyone who can create pods in a namespace can get tokens of each of its service accounts: give critical workloads a namespace of their own.',
      'The API server shows its keys to everyone only with the role binding system:service-account-issuer-discovery for system:unauthenticated. Its certificate is usually of the CA of the cluster: set it as CA for the JWKS endpoint.',
    ],
    build: ({ issuer, audience, namespace, serviceAccount, jwksEndpoint }) => ({
      issuer,
      audience,
      jwksEndpoint: jwksEndpoint || clusterKeys(issuer),
      claimsProperty: '/sub',
      useExternalId: true,
      ...(namespace && { requiredClaims: { '/kubernetes.io/namespace': namespace } }),
      ...allOf(
        namespace && serviceAccount
          ? `claims.sub == ${literal(`system:serviceaccount:${namespace}:${serviceAccount}`)}`
          : namespace && `claims.sub.startsWith(${literal(`system:serviceaccount:${namespace}:`)})`,
      ),
    }),
    warn: ({ namespace, serviceAccount }) => {
      if (serviceAccount && !namespace)
        return 'A service account without its namespace is not compared: give the namespace too.'
      return namespace
        ? undefined
        : 'Every service account of the cluster is accepted: give a namespace before you allow enrollment.'
    },
  }),
}

/** The presets without what builds their signers: for forms and help. */
export const SIGNER_PRESETS: readonly SignerPreset[] = SIGNER_PRESET_NAMES.map((name) => {
  const { label, subjects, questions, traps } = ROWS[name]
  return { name, label, subjects, questions, traps }
})

export type PresetResult =
  | {
      readonly ok: true
      readonly signer: PresetSigner
      /** The traps of the provider, and what the values leave open. */
      readonly warnings: readonly string[]
    }
  | {
      readonly ok: false
      /** By the name of the question: why its value is refused. */
      readonly errors: Readonly<Record<string, string>>
    }

/** The signer that a preset makes of the values. A value that is absent or blank counts as not given. */
export function applySignerPreset(name: SignerPresetName, values: Readonly<Record<string, string>>): PresetResult {
  const { questions, traps, build, warn } = ROWS[name]
  const complete: Record<string, string> = {}
  const errors: Record<string, string> = {}
  for (const question of questions) {
    const read = readValue(question, values[question.name])
    if ('value' in read) complete[question.name] = read.value
    else errors[question.name] = read.reason
  }
  for (const given of Object.keys(values)) {
    if (!questions.some((question) => question.name === given)) errors[given] = 'is not a question of this preset'
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const warning = warn?.(complete)
  return { ok: true, signer: build(complete), warnings: warning ? [warning, ...traps] : traps }
}

/** The preset of that name, if there is one. */
export function findSignerPreset(name: string): SignerPreset | undefined {
  return SIGNER_PRESETS.find((preset) => preset.name === name)
}

function readValue({ form, choices, ...question }: PresetQuestion, given = ''): ReturnType<ValueForm> {
  const value = given.trim()
  if (value === '') {
    return question.default === undefined ? { reason: 'is required' } : { value: question.default }
  }
  const read = form(value)
  if ('reason' in read || !choices || choices.includes(read.value)) return read
  return { reason: `must be one of ${choices.join(', ')}` }
}
