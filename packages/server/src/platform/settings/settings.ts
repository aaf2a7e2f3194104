import { isIP } from 'node:net'
import { isDatabase } from './database-url.ts'
import { isHostName } from './host-and-port.ts'
import { isSealingKey } from './sealing-key.ts'
import type { Setting } from './setting.ts'
import { choice, integer, integerOrAuto, optionalText, seconds, text, toggle } from './setting-kinds.ts'
import { ADDRESSES, HOSTS, list, NETWORKS, ORIGINS, PORTS } from './setting-lists.ts'

const DAY = 86_400
const MIB = 1_048_576

const path = (description: string) => optionalText({ expected: 'the path of a file', maxLength: 4096, description })

/**
 * Every setting of the controller. Names of flags and environment variables, the JSON schema of the file, the reference
 * page and the type `Settings` all follow from this table.
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
        'How long sessions and signers that are known go on without PostgreSQL; what other nodes revoke meanwhile takes as long',
    }),
  },
  workers: integerOrAuto({
    default: 1,
    min: 1,
    max: 64,
    flagValue: 'N|auto',
    description: 'Processes behind the port; auto is one for every two cores',
  }),
  dev: toggle({
    default: false,
    flagValue: '',
    description:
      'Development mode: an identity provider with demo data on this machine, and keys of signers on loopback, over http too',
  }),
  logLevel: choice(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    default: 'info',
    flagValue: 'LEVEL',
    description: 'Least severity that is logged, on stderr',
  }),
  adminPassword: optionalText({
    expected: 'text of 5 to 100 characters',
    minLength: 5,
    maxLength: 100,
    secret: 'value',
    description: "The administrator's password on first start; a random one is made and printed when unset",
  }),
  sealingKey: optionalText({
    expected: '64 hexadecimal digits, as of "openssl rand -hex 32"',
    minLength: 64,
    maxLength: 64,
    secret: 'value',
    accepts: isSealingKey,
    description: 'Key of the secrets in the database, the same on every node; keys/sealing.key when unset',
  }),
  clientScopes: choice(['string', 'array'], {
    default: 'string',
    description: 'How the client list of signers shows scopes: one space-separated string, or an array',
  }),
  http: {
    trustedProxies: list(NETWORKS, {
      default: [],
      description: "Proxies whose X-Forwarded-For is believed for the client's address",
    }),
    maxConnections: integer({
      default: 10_000,
      min: 10,
      max: 1_000_000,
      description: 'Open connections at most; further ones are closed at once',
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
      description: 'Request headers in total, in bytes',
    }),
    maxHeaderLines: integer({ default: 100, min: 20, max: 1000, description: 'Request header lines' }),
  },
  tls: {
    certFile: path('Own server certificate with its chain, PEM; needs tls.keyFile and tls.caFile'),
    keyFile: path('Private key of tls.certFile, PEM'),
    caFile: path('CA certificate that clients shall trust for tls.certFile, PEM'),
  },
  keys: {
    refusedKeysFile: path(
      'List of leaked public keys that are never accepted: a digest a line, or a badkeys blocklist.dat',
    ),
  },
  certificates: {
    clientDays: integer({
      default: 365,
      min: 1,
      max: 3650,
      description: "Days that a client's certificate lasts; never longer than the CA's own",
    }),
  },
  session: {
    idleSeconds: seconds({
      default: 1800,
      min: 60,
      max: 30 * DAY,
      description: 'A session ends when unused for so long',
    }),
    maxSeconds: seconds({
      default: 43_200,
      min: 60,
      max: 365 * DAY,
      description: 'A session ends after so long in any case',
    }),
    maxPerIdentity: integer({
      default: 1000,
      min: 1,
      max: 1_000_000,
      description: 'Sessions one identity may hold at a time',
    }),
  },
  limits: {
    addressBurst: integer({
      default: 2_000,
      min: 0,
      max: 1_000_000,
      description: 'Refused sign-ins and enrollments of one client address at once, then 429; 0 for no limit',
    }),
    addressPerSecond: integer({
      default: 50,
      min: 1,
      max: 100_000,
      description: 'How many more refused sign-ins and enrollments of one address each second',
    }),
    passwordBurst: integer({
      default: 100,
      min: 0,
      max: 1_000_000,
      description: 'Refused passwords of one client address at once, then 429; 0 for no limit',
    }),
    passwordPerMinute: integer({
      default: 60,
      min: 1,
      max: 1_000_000,
      description: 'How many more refused passwords of one address each minute',
    }),
    signerBurst: integer({
      default: 10_000,
      min: 0,
      max: 10_000_000,
      description: 'Wrong signatures in the name of one signer at once, then strangers get 429; 0 for no limit',
    }),
    signerPerSecond: integer({
      default: 500,
      min: 1,
      max: 1_000_000,
      description: 'How many more wrong signatures in the name of one signer each second',
    }),
  },
  enrollment: {
    tokenSeconds: seconds({
      default: 10_800,
      min: 60,
      max: 365 * DAY,
      description: 'Life of the one-time token that a new identity is made with',
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
      description: 'Unsafe: fetch keys from private and loopback addresses of every network',
    }),
    allowedNetworks: list(NETWORKS, {
      default: [],
      description: 'Private networks from which keys may be fetched nevertheless',
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
    fetchSeconds: seconds({ default: 5, min: 1, max: 30, description: 'Time that fetching keys may take in all' }),
    connectSeconds: seconds({
      default: 2,
      min: 1,
      max: 30,
      description: 'Time that resolving the name and connecting may take, when keys are fetched',
    }),
    maxBodyBytes: integer({
      default: 262_144,
      min: 1024,
      max: 4 * MIB,
      description: 'Largest answer that is read when keys are fetched',
    }),
    maxRedirects: integer({
      default: 0,
      min: 0,
      max: 5,
      description: 'Redirects that are followed when keys are fetched, each to where keys may be fetched from',
    }),
    maxFetches: integer({
      default: 8,
      min: 1,
      max: 64,
      description: 'Fetches under way at a time; as many again for keys that a request waits for',
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
      default: 30,
      min: 1,
      max: 3600,
      description: "Tokens with an unknown kid make a signer's keys be fetched at most once in so long",
    }),
    maxStaleSeconds: seconds({
      default: DAY,
      min: 0,
      max: 30 * DAY,
      description: 'With the provider down, the last good keys serve for so long',
    }),
    staleWarningSeconds: seconds({
      default: 300,
      min: 10,
      max: DAY,
      description: 'With the provider down for so long, a warning is given',
    }),
  },
  events: {
    stdout: toggle({
      default: false,
      flagValue: '',
      description:
        'Write events to stdout, one line of JSON each, after the line that says that the controller is ready',
    }),
    file: path('File to which events are written, one line of JSON each; readable by its owner only'),
    maxFileBytes: integer({
      default: 10 * MIB,
      min: 4096,
      max: 1024 * MIB,
      description: 'Size at which the file of events is put aside and a new one is begun',
    }),
    keepFiles: integer({
      default: 5,
      min: 0,
      max: 1000,
      description: 'Files of events that are kept beside the current one, as FILE.1, FILE.2 …; the oldest is deleted',
    }),
    maxStreams: integer({
      default: 32,
      min: 0,
      max: 1000,
      description: 'Streams of events that may be read at a time',
    }),
  },
  metrics: {
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
        'Port of the local identity provider of --dev; 0 for that of the last start, at first 1282 or a free one',
    }),
  },
} as const

type SettingsOf<T> = { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : SettingsOf<T[K]> }

/** The effective settings, as the controller reads them: `settings.http.trustedProxies`. */
export type Settings = SettingsOf<typeof SETTINGS>
