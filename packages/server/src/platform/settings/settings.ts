import { isIP } from 'node:net'
import { isDatabase } from './database-url.ts'
import { isHostName } from './host-and-port.ts'
import { isSealingKey } from './sealing-key.ts'
import type { Setting } from './setting.ts'
import { choice, integer, integerOrAuto, optionalText, seconds, text, toggle } from './setting-kinds.ts'
import { ADDRESSES, CLAIM_NAMES, HOSTS, list, NETWORKS, ORIGINS, PORTS, REDIRECT_URIS } from './setting-lists.ts'

const DAY = 86_400
const MIB = 1_048_576
/** No token of the OpenID provider lives longer, whichever settings it was issued under. */
export const MAX_OIDC_TOKEN_SECONDS = 30 * DAY
const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost']

const path = (description: string) => optionalText({ expected: 'the path of a file', maxLength: 4096, description })

/**
 * Every setting of the controller. The names of flags and environment variables, the JSON schema of the file, the reference page and the type
 * `Settings` are derived from this table.
 */
export const SETTINGS = {
  dataDir: text({
    default: '.countersign',
    expected: 'the path of a directory',
    maxLength: 4096,
    flagValue: 'DIR',
    description: 'Directory of the embedded database, the keys and the certificates',
  }),
  host: text({
    default: '127.0.0.1',
    expected: 'an IP address or a host name',
    maxLength: 253,
    accepts: (host) => isIP(host) !== 0 || isHostName(host),
    flagValue: 'HOST',
    description: 'Address to listen on; 0.0.0.0 or :: for all',
  }),
  port: integer({
    default: 1280,
    min: 0,
    max: 65535,
    flagValue: 'PORT',
    description: 'Port to listen on; 0 picks a free one, and then every other listener picks a free one too',
  }),
  advertise: list(ADDRESSES, {
    default: [],
    flagValue: 'HOST:PORT',
    description: 'host:port under which clients reach the controller, also put into its certificate',
  }),
  database: text({
    default: 'sqlite',
    expected: 'sqlite or a URL such as postgres://user:password@host:5432/name',
    maxLength: 4096,
    secret: 'url',
    accepts: isDatabase,
    flagValue: 'sqlite|URL',
    description: 'sqlite for the embedded database, or the URL of a PostgreSQL database',
  }),
  store: {
    staleReadSeconds: seconds({
      default: 1,
      min: 0,
      max: 300,
      description:
        'How long cached sessions and signers stay valid without PostgreSQL; revocations by other nodes may take as long to apply',
    }),
  },
  workers: integerOrAuto({
    default: 1,
    min: 1,
    max: 64,
    flagValue: 'N|auto',
    description: 'Number of processes that serve the port; auto is one per two cores',
  }),
  dev: toggle({
    default: false,
    flagValue: '',
    description:
      'Development mode: a local identity provider with demo data; keys may be fetched from loopback addresses and over http',
  }),
  logLevel: choice(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    default: 'info',
    flagValue: 'LEVEL',
    description: 'Lowest severity that is logged, to stderr',
  }),
  adminPassword: optionalText({
    expected: 'text of 5 to 100 characters',
    minLength: 5,
    maxLength: 100,
    secret: 'value',
    description: 'Password of the first administrator; when unset, the first start generates and prints one',
  }),
  sealingKey: optionalText({
    expected: '64 hexadecimal digits, as from "openssl rand -hex 32"',
    minLength: 64,
    maxLength: 64,
    secret: 'value',
    accepts: isSealingKey,
    description: 'Key that encrypts secrets in the database, the same on every node; keys/sealing.key when unset',
  }),
  clientScopes: choice(['string', 'array'], {
    default: 'string',
    description: 'How the client list of signers shows scopes: one space-separated string, or an array',
  }),
  http: {
    trustedProxies: list(NETWORKS, {
      default: [],
      description: "Proxies whose X-Forwarded-For header is trusted for the client's address",
    }),
    proxyProtocol: list(NETWORKS, {
      default: [],
      description:
        "Proxies that send the client's address by the PROXY protocol, version 1 or 2; their connections without it are closed",
    }),
    maxConnections: integer({
      default: 10_000,
      min: 10,
      max: 1_000_000,
      description: 'Maximum number of open connections; a /48 network can have a quarter of them',
    }),
    maxConnectionsPerAddress: integer({
      default: 1_000,
      min: 0,
      max: 1_000_000,
      description:
        'Maximum number of open connections per client address or /64 network, except for http.trustedProxies; 0 for no limit',
    }),
    headersTimeoutSeconds: seconds({ default: 10, min: 1, max: 300, description: 'Time to send all request headers' }),
    requestTimeoutSeconds: seconds({ default: 15, min: 1, max: 3600, description: 'Time to send the whole request' }),
    keepAliveSeconds: seconds({ default: 60, min: 1, max: 3600, description: 'Time an idle connection stays open' }),
    maxBodyBytes: integer({
      default: 65_536,
      min: 1024,
      max: 64 * MIB,
      description: 'Largest request body on routes that need no authentication',
    }),
    maxManagementBodyBytes: integer({
      default: MIB,
      min: 1024,
      max: 64 * MIB,
      description: 'Largest request body on management routes',
    }),
    maxHeaderBytes: integer({
      default: 49_152,
      min: 8192,
      max: MIB,
      description: 'Largest total size of request headers, in bytes',
    }),
    maxHeaderLines: integer({
      default: 100,
      min: 20,
      max: 1000,
      description: 'Maximum number of request header lines',
    }),
  },
  tls: {
    certFile: path(
      'Server certificate with its chain, PEM, instead of one from the built-in CA; needs tls.keyFile and tls.caFile',
    ),
    keyFile: path('Private key of tls.certFile, PEM'),
    caFile: path('CA certificate that clients must trust for tls.certFile, PEM'),
  },
  keys: {
    refusedKeysFile: path(
      'List of compromised public keys that are never accepted: one digest per line, or a badkeys blocklist.dat',
    ),
  },
  certificates: {
    clientDays: integer({
      default: 365,
      min: 1,
      max: 3650,
      description: 'Validity of client certificates in days; never longer than that of the CA',
    }),
    caRolloverDays: integer({
      default: 365,
      min: 0,
      max: 3650,
      description: 'Days after which a new intermediate CA issues certificates; 0: never',
    }),
    caOverlapDays: integer({
      default: 30,
      min: 1,
      max: 365,
      description: 'Days for which a new intermediate CA is published before it issues; at most half of caRolloverDays',
    }),
  },
  session: {
    idleSeconds: seconds({
      default: 1800,
      min: 60,
      max: 30 * DAY,
      description: 'A session ends when it is unused for this time',
    }),
    maxSeconds: seconds({
      default: 43_200,
      min: 60,
      max: 365 * DAY,
      description: 'A session ends after this time in any case',
    }),
    maxPerIdentity: integer({
      default: 1000,
      min: 1,
      max: 1_000_000,
      description:
        'Maximum number of sessions per identity; a further one ends one that lacks a second factor, else the least recently used',
    }),
  },
  passkeys: {
    domain: optionalText({
      expected: 'a host name in lower case, such as example.com',
      maxLength: 253,
      accepts: (name) => isHostName(name) && name === name.toLowerCase() && isIP(name) === 0,
      flagValue: 'NAME',
      description:
        'Domain that passkeys are bound to, for several host names below it; by default each name has its own',
    }),
  },
  oidc: {
    enabled: toggle({
      default: true,
      description: 'Serve the OpenID provider below /oidc, which existing clients prefer when /version announces it',
    }),
    accessTokenSeconds: seconds({
      default: 1800,
      min: 60,
      max: DAY,
      description: 'Lifetime of access tokens; sessions end at once, whatever their tokens say',
    }),
    idTokenSeconds: seconds({ default: 1800, min: 60, max: DAY, description: 'Lifetime of id tokens' }),
    refreshTokenSeconds: seconds({
      default: DAY,
      min: 120,
      max: MAX_OIDC_TOKEN_SECONDS,
      description: 'Lifetime of refresh tokens; each refresh begins a new one',
    }),
    maxSessionSeconds: seconds({
      default: 30 * DAY,
      min: 120,
      max: 365 * DAY,
      description: 'A session of the OpenID provider ends after this time in any case',
    }),
    keyDays: integer({
      default: 30,
      min: 2,
      max: 365,
      description: 'How long a key signs tokens; the next one is published a day before it is used',
    }),
    redirectUris: list(REDIRECT_URIS, {
      default: [
        'openziti://auth/callback',
        ...LOOPBACK_HOSTS.flatMap((host) => [`http://${host}:*/auth/callback`, `https://${host}:*/auth/callback`]),
      ],
      description: 'Where logins may end; :* stands for any port. A given list replaces the default',
    }),
    postLogoutUris: list(REDIRECT_URIS, {
      default: [
        'openziti://auth/logout',
        ...LOOPBACK_HOSTS.flatMap((host) => [`http://${host}:*/auth/logout`, `https://${host}:*/auth/logout`]),
      ],
      description: 'Where logouts may end; :* stands for any port. A given list replaces the default',
    }),
  },
  limits: {
    addressBurst: integer({
      default: 2_000,
      min: 0,
      max: 1_000_000,
      description: 'Refused logins and enrollments per client address in a burst, then 429; 0 for no limit',
    }),
    addressPerSecond: integer({
      default: 50,
      min: 1,
      max: 100_000,
      description: 'Refused logins and enrollments per client address and second after the burst',
    }),
    passwordBurst: integer({
      default: 100,
      min: 0,
      max: 1_000_000,
      description: 'Refused passwords per client address in a burst, then 429; 0 for no limit',
    }),
    passwordPerMinute: integer({
      default: 60,
      min: 1,
      max: 1_000_000,
      description: 'Refused passwords per client address and minute after the burst',
    }),
    accountBurst: integer({
      default: 20,
      min: 0,
      max: 1_000_000,
      description:
        'Refused passwords per user name from networks that it has not logged in from, before a growing delay; 0 for no limit',
    }),
    loginBurst: integer({
      default: 2_000,
      min: 0,
      max: 1_000_000,
      description: 'Logins begun at /oidc/authorize per client address in a burst, then 429; 0 for no limit',
    }),
    loginPerSecond: integer({
      default: 50,
      min: 1,
      max: 100_000,
      description: 'Logins begun at /oidc/authorize per client address and second after the burst',
    }),
    queryBurst: integer({
      default: 200,
      min: 0,
      max: 1_000_000,
      description: 'Client lists with a filter, sort or limit per client address in a burst, then 429; 0 for no limit',
    }),
    queryPerSecond: integer({
      default: 20,
      min: 1,
      max: 100_000,
      description: 'Client lists with a filter, sort or limit per client address and second after the burst',
    }),
    signerBurst: integer({
      default: 10_000,
      min: 0,
      max: 10_000_000,
      description: 'Wrong signatures per signer in a burst, then unknown clients get 429; 0 for no limit',
    }),
    signerPerSecond: integer({
      default: 500,
      min: 1,
      max: 1_000_000,
      description: 'Wrong signatures per signer and second after the burst',
    }),
    changeBurst: integer({
      default: 10_000,
      min: 0,
      max: 10_000_000,
      description:
        'Changes per identity that is no administrator, and per organization, in a burst, then 429; 0 for no limit',
    }),
    changePerSecond: integer({
      default: 5,
      min: 1,
      max: 100_000,
      description: 'Such changes per second after the burst',
    }),
    scimBurst: integer({
      default: 2_000,
      min: 0,
      max: 10_000_000,
      description: 'SCIM requests per signer in a burst, then its identity provider gets 429; 0 for no limit',
    }),
    scimPerSecond: integer({
      default: 100,
      min: 1,
      max: 1_000_000,
      description: 'SCIM requests per signer and second after the burst',
    }),
  },
  hosted: {
    unusedAccountDays: integer({
      default: 90,
      min: 0,
      max: 3650,
      description: 'Days without use after which an event reports an API account of the hosted API; 0 for never',
    }),
  },
  enrollment: {
    tokenSeconds: seconds({
      default: 10_800,
      min: 60,
      max: 365 * DAY,
      description: 'Lifetime of the one-time token that is created with a new identity',
    }),
  },
  whatIf: {
    keepLogins: toggle({
      default: true,
      description: 'Whether the verified claims of recent logins are kept, sealed, to predict the effect of changes',
    }),
    keepDays: integer({ default: 30, min: 1, max: 365, description: 'Days for which the claims of a login are kept' }),
    keepPerSigner: integer({
      default: 500,
      min: 1,
      max: 10_000,
      description: 'Largest number of logins per signer whose claims are kept',
    }),
    keepClaims: list(CLAIM_NAMES, {
      default: [],
      flagValue: 'CLAIM',
      description: 'Names of claims that are kept beside those that the configuration refers to',
    }),
  },
  cors: {
    allowedOrigins: list(ORIGINS, {
      default: ['*'],
      accepts: (origins) => !origins.includes('*') || origins.length === 1,
      description: 'Web origins that may call the APIs; * for all (never with cookies), an empty list for none',
    }),
  },
  jwks: {
    allowHttp: list(HOSTS, { default: [], description: 'Hosts whose keys may be fetched over http' }),
    allowPrivateAddresses: toggle({
      default: false,
      description: 'Unsafe: allow fetching keys from all private addresses, except loopback and metadata services',
    }),
    allowLoopback: toggle({
      default: false,
      description: 'Allow fetching keys from this machine; always on in development mode',
    }),
    allowedNetworks: list(NETWORKS, {
      default: [],
      description: 'Private networks from which keys may be fetched',
    }),
    deniedNetworks: list(NETWORKS, { default: [], description: 'Networks from which keys are never fetched' }),
    allowedHosts: list(HOSTS, {
      default: [],
      description: 'When not empty, the only hosts from which keys are fetched',
    }),
    deniedHosts: list(HOSTS, { default: [], description: 'Hosts from which keys are never fetched' }),
    allowedPorts: list(PORTS, {
      default: [
        { from: 80, to: 80 },
        { from: 443, to: 443 },
        { from: 1024, to: 65535 },
      ],
      description: 'Ports from which keys may be fetched',
    }),
    fetchSeconds: seconds({ default: 5, min: 1, max: 30, description: 'Timeout of a whole fetch of keys' }),
    connectSeconds: seconds({
      default: 2,
      min: 1,
      max: 30,
      description: 'Timeout of name resolution and connecting when keys are fetched',
    }),
    maxBodyBytes: integer({
      default: 262_144,
      min: 1024,
      max: 4 * MIB,
      description: 'Largest response that is read when keys are fetched',
    }),
    maxRedirects: integer({
      default: 0,
      min: 0,
      max: 5,
      description: 'Redirects that are followed when keys are fetched; each target must be allowed too',
    }),
    maxFetches: integer({
      default: 8,
      min: 1,
      max: 64,
      description: 'Maximum number of concurrent fetches; as many again for keys that a request waits for',
    }),
    minRefreshSeconds: seconds({
      default: 60,
      min: 10,
      max: 3600,
      description: "Keys are refreshed at most this often, whatever the provider's max-age says",
    }),
    maxRefreshSeconds: seconds({
      default: 600,
      min: 10,
      max: 3600,
      description: 'Keys are refreshed at least this often, so a withdrawn key is refused within this time',
    }),
    unknownKidSeconds: seconds({
      default: 10,
      min: 1,
      max: 3600,
      description:
        'Tokens with an unknown kid cause at most four fetches per key endpoint at once, then one in this time, over all nodes',
    }),
    maxStaleSeconds: seconds({
      default: DAY,
      min: 0,
      max: 30 * DAY,
      description: 'How long the last fetched keys are used while the provider is unreachable',
    }),
    staleWarningSeconds: seconds({
      default: 300,
      min: 10,
      max: DAY,
      description: 'A warning is published when the provider is unreachable for this time',
    }),
  },
  events: {
    stdout: toggle({
      default: false,
      flagValue: '',
      description:
        'Write events to stdout, one line of JSON each, after the line that reports that the controller is ready',
    }),
    file: path('File to which events are written, one line of JSON each; readable by its owner only'),
    maxFileBytes: integer({
      default: 10 * MIB,
      min: 4096,
      max: 1024 * MIB,
      description: 'Size at which the event file is rotated',
    }),
    keepFiles: integer({
      default: 5,
      min: 0,
      max: 1000,
      description: 'Rotated event files to keep, as FILE.1, FILE.2 …; older ones are deleted',
    }),
    maxStreams: integer({
      default: 32,
      min: 0,
      max: 1000,
      description: 'Maximum number of concurrent event streams',
    }),
    keepDays: integer({
      default: 7,
      min: 1,
      max: 365,
      description: 'Days for which events are kept for sinks that cannot be reached, and for replays',
    }),
    keepRows: integer({
      default: 1_000_000,
      min: 100,
      max: 100_000_000,
      description:
        'Number of events that are kept for sinks; with more, the oldest are deleted even if a sink has not received them',
    }),
  },
  audit: {
    keepDays: integer({
      default: 365,
      min: 1,
      max: 36_500,
      description: 'Days for which entries of the audit record are kept',
    }),
    signSeconds: integer({
      default: 10,
      min: 1,
      max: 14,
      description: 'Interval at which new entries of the audit record are signed and exported to every sink',
    }),
  },
  metrics: {
    host: text({
      default: '127.0.0.1',
      expected: 'an IP address or a host name',
      maxLength: 253,
      accepts: (host) => isIP(host) !== 0 || isHostName(host),
      flagValue: 'HOST',
      description: 'Address of the metrics listener. It asks for no credentials: open it to your scraper only',
    }),
    port: integer({
      default: 1281,
      min: 0,
      max: 65535,
      flagValue: 'PORT',
      description: 'Port of the metrics listener; 0 picks a free one, which is the default when port is not 1280',
    }),
  },
  identityProvider: {
    port: integer({
      default: 0,
      min: 0,
      max: 65535,
      flagValue: 'PORT',
      description:
        'Port of the local identity provider of --dev; 0 for the port of the last start, on first start 1282 or a free one',
    }),
  },
} as const

type SettingsOf<T> = { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : SettingsOf<T[K]> }

/** The effective settings, as the controller reads them: `settings.http.trustedProxies`. */
export type Settings = SettingsOf<typeof SETTINGS>
