import { clientNetwork, findClientSite } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import type { Settings } from '../platform/settings/index.ts'
import { AccountLimiter } from './account-limiter.ts'
import { type Attempt, type AttemptLimiter, BucketLimiter, UNLIMITED, type WorkLimiter } from './attempt-limiter.ts'
import type { AttemptSharing } from './attempt-sharing.ts'
import { HandshakeLimiter } from './handshake-limiter.ts'
import { KnownNetworks } from './known-networks.ts'
import type { LimitMetrics } from './limit-reporter.ts'
import { RefusalDelay } from './refusal-delay.ts'
import { SignerLimiter } from './signer-limiter.ts'

/** Limits for callers without a session. */
export interface AttemptLimits {
  /** What client certificates cost in handshakes, per client network. */
  readonly handshake: HandshakeLimiter | undefined
  /** Refused calls per client network, over all routes that are expensive without a session. */
  readonly address: AttemptLimiter
  /** Lists with a query per client network, refused or not. */
  readonly query: AttemptLimiter
  /** Logins begun at the authorization endpoint per client network, refused or not: each is stored. */
  readonly login: AttemptLimiter
  /** See `RefusalDelay.wait`. */
  readonly delayRefusal: (address: string) => Promise<void> | undefined
  /** Refused passwords per client network. Comparing a password is slow by design. */
  readonly password: AttemptLimiter
  /** Refused passwords per account name. */
  readonly account: AccountLimiter
  readonly known: KnownNetworks
  /** SCIM requests per signer, refused or not, and their work. */
  readonly scim: WorkLimiter
  /** Renewals per identity, on connections with its certificate, refused or not: each issues a certificate. */
  readonly renewal: AttemptLimiter
  /** Refreshes and exchanges of tokens per identity, refused or not: each signs several tokens and writes. */
  readonly refresh: AttemptLimiter
  /** The same per session, which has fewer: a thief of one must not use up those of its identity. */
  readonly sessionRefresh: AttemptLimiter
  /**
   * Changes per identity that is no administrator, and per organization and needed access of the hosted API, refused or not, and the size of what they
   * record: the audit record keeps it for a year.
   */
  readonly change: WorkLimiter
  /** Changes of an identity to its own credentials, each kind by itself, that succeed. */
  readonly ownChange: AttemptLimiter
  /** Those of a session take turns. */
  readonly ownChangeTurns: Pick<FairQueue, 'run'>
  /** Session certificates per identity, those of the OpenID provider by themselves, refused or not. */
  readonly sessionCertificate: AttemptLimiter
  /** The same at the API per session, which has fewer: a thief of one must not use up those of its identity. */
  readonly certificateOfSession: AttemptLimiter
  /** Access tokens per federated API account, refused or not: each is stored. */
  readonly accountToken: AttemptLimiter
  /** Tokens that name a signer but have an invalid signature. */
  readonly signer: SignerLimiter
}

interface AttemptLimitsParts {
  readonly settings: Pick<Settings, 'limits'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: LimitMetrics
  readonly sharing?: AttemptSharing | undefined
}

const SECONDS_PER_MINUTE = 60
/** A /48 network may fail this many times as often as one /64 network. */
const SITE_FACTOR = 10

/** A device renews its certificate once in its life, and tries again when a response is lost. What was replaced is on the list of revoked certificates until it expires. */
const RENEWALS = { burst: 30, perSecond: 10 / 3_600 }

/** An identity can have many sessions, each of which refreshes its tokens twice an hour. */
const REFRESHES = { burst: 60, perSecond: 1 }
/** With those that are repeated because a response was lost. */
const SESSION_REFRESHES = { burst: 20, perSecond: 0.1 }
/** An identity can have a thousand sessions, each with a certificate or two. All that have not expired are revoked with it, those of ended sessions too. */
const SESSION_CERTIFICATES = { burst: 1_000, perSecond: 200 / 3_600 }
/** A session keeps its ten newest certificates. */
const CERTIFICATES_OF_SESSION = { burst: 100, perSecond: 20 / 3_600 }
/** People rename their passkeys and change their passwords rarely. */
const OWN_CHANGES = { burst: 100, perSecond: 100 / 3_600 }
/** By session. Those under way are few of what the identity has, also on many workers. */
const OWN_CHANGE_TURNS = { atOnce: Number.POSITIVE_INFINITY, perKey: 4, maxWaiting: 64 }
/** Each job trades once in an hour, and many can start at once. */
const ACCOUNT_TOKENS = { burst: 300, perSecond: 0.5 }

/** A burst of 0 means no limit; without a limit on addresses, refusals are not delayed and handshakes not limited either. */
export function createAttemptLimits({ settings, ...parts }: AttemptLimitsParts): AttemptLimits {
  const { limits } = settings
  const limiter = (limit: string, burst: number, perSecond: number, debt = 0): WorkLimiter =>
    burst === 0 ? UNLIMITED : new BucketLimiter({ burst, perSecond, debt }, { ...parts, limit })
  const known = new KnownNetworks(parts.sharing)
  const networkLimiter = (limit: string, burst: number, perSecond: number): AttemptLimiter =>
    new NetworkLimiter({
      network: limiter(limit, burst, perSecond),
      site: limiter(`${limit}Site`, burst * SITE_FACTOR, perSecond * SITE_FACTOR),
      known,
    })
  const signer = limiter('signer', limits.signerBurst, limits.signerPerSecond)
  const delay = limits.addressBurst === 0 ? undefined : new RefusalDelay(parts)
  return {
    handshake: limits.addressBurst === 0 ? undefined : new HandshakeLimiter({ ...parts, known }),
    address: networkLimiter('address', limits.addressBurst, limits.addressPerSecond),
    query: networkLimiter('query', limits.queryBurst, limits.queryPerSecond),
    login: networkLimiter('login', limits.loginBurst, limits.loginPerSecond),
    delayRefusal: (address) => delay?.wait(address),
    password: networkLimiter('password', limits.passwordBurst, limits.passwordPerMinute / SECONDS_PER_MINUTE),
    account: new AccountLimiter({ ...parts, burst: limits.accountBurst, known }),
    known,
    // A request is begun before its work is known: what it costs beyond the burst delays the next ones.
    scim: limiter('scim', limits.scimBurst, limits.scimPerSecond, limits.scimBurst),
    renewal: limiter('renewal', RENEWALS.burst, RENEWALS.perSecond),
    refresh: limiter('refresh', REFRESHES.burst, REFRESHES.perSecond),
    sessionRefresh: limiter('sessionRefresh', SESSION_REFRESHES.burst, SESSION_REFRESHES.perSecond),
    // As for SCIM: the size of an entry is known when it is recorded.
    change: limiter('change', limits.changeBurst, limits.changePerSecond, limits.changeBurst),
    ownChange: limiter('ownChange', OWN_CHANGES.burst, OWN_CHANGES.perSecond),
    ownChangeTurns: new FairQueue(OWN_CHANGE_TURNS),
    sessionCertificate: limiter('sessionCertificate', SESSION_CERTIFICATES.burst, SESSION_CERTIFICATES.perSecond),
    certificateOfSession: limiter(
      'certificateOfSession',
      CERTIFICATES_OF_SESSION.burst,
      CERTIFICATES_OF_SESSION.perSecond,
    ),
    accountToken: limiter('accountToken', ACCOUNT_TOKENS.burst, ACCOUNT_TOKENS.perSecond),
    signer: new SignerLimiter(signer, parts.sharing),
  }
}

interface NetworkLimiterParts {
  readonly network: AttemptLimiter
  readonly site: AttemptLimiter
  readonly known: KnownNetworks
}

/** Counts by the network of a client address and by its /48, whose known networks count together beside all others. */
class NetworkLimiter implements AttemptLimiter {
  readonly #parts: NetworkLimiterParts

  constructor(parts: NetworkLimiterParts) {
    this.#parts = parts
  }

  begin(address: string): Attempt {
    const { network, site, known } = this.#parts
    const attempt = network.begin(clientNetwork(address))
    const siteName = findClientSite(address)
    if (siteName === undefined) return attempt
    try {
      const ofSite = site.begin(known.isKnown(address) ? `${siteName} known` : siteName)
      return {
        giveBack: () => {
          attempt.giveBack()
          ofSite.giveBack()
        },
      }
    } catch (refusal) {
      attempt.giveBack()
      throw refusal
    }
  }
}
