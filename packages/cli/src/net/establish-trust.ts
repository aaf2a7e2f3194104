import type { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { loadCertificateFile } from '../files/load-certificate-file.ts'
import type { Profile } from '../files/profiles.ts'
import { shortLine } from '../printable.ts'
import { textFlag } from '../text-flag.ts'
import { unreachable } from './explain-no-response.ts'
import { readCaCertificates } from './read-cacerts.ts'

const TIMEOUT_MS = 10_000
const MAX_CACERTS = 65_536

/** How a server can prove, without a CA that this machine knows, that it is the right one: its key has signed a token. */
export interface TrustProof {
  isSignedBy(certificate: X509Certificate): boolean
}

/**
 * Returns the CA (PEM) that the controller's certificate must chain to: of `--ca-file`; else of the profile; else undefined when this machine
 * trusts the certificate; else the one that the server presents, if it matches `--fingerprint`, if the server's key has signed the one-time
 * token, or if the user confirms it. Until then only the handshake and a request for the CA certificates are sent.
 */
export async function establishTrust(
  call: Call,
  address: string,
  { known, proof }: { readonly known: Profile | undefined; readonly proof?: TrustProof | undefined },
): Promise<string | undefined> {
  const { 'ca-file': file, fingerprint } = call.flags
  if (typeof file === 'string') {
    if (fingerprint === undefined) return loadCertificateFile(file).pem
    throw usageError('--ca-file and --fingerprint exclude each other', 'use one of them')
  }
  if (known?.url === address && fingerprint === undefined) return known.caPem
  return trustOnFirstUse(call, new URL(address), proof)
}

async function trustOnFirstUse(call: Call, url: URL, proof: TrustProof | undefined): Promise<string | undefined> {
  if (url.protocol !== 'https:') throw usageError(`${url.origin} is not an https address`, 'write https://HOST:PORT')
  const { isTrusted, chain } = await inspectServer(url)
  const wanted = textFlag(call.flags, 'fingerprint')
  if (isTrusted && wanted === undefined) return undefined
  const anchor = (await findRoot(url, chain)) ?? chain.at(-1)
  if (!anchor) throw new CliError(`${url.origin} presents no certificate`, { exitCode: EXIT.unreachable })
  if (wanted !== undefined) return findPinned(wanted, [...chain, anchor]).toString()
  // The handshake proves that the server has the key of the first certificate, and that it sent the rest of the chain.
  const isProven = proof !== undefined && chain[0] !== undefined && proof.isSignedBy(chain[0])
  if (isProven) call.terminal.debug(`the key of ${url.origin} has signed the token: trusting its CA`)
  else await confirmTrust(call, url, { anchor, hasProof: proof !== undefined })
  return anchor.toString()
}

/** Removes prefix and colons, and folds case. */
function normalize(fingerprint: string): string {
  return fingerprint
    .replace(/^sha256[:=]/i, '')
    .replaceAll(':', '')
    .toLowerCase()
}

/** The certificate with this fingerprint, and no other: a server can present the CA of another one beside its own. */
function findPinned(expected: string, presented: readonly X509Certificate[]): X509Certificate {
  const pinned = presented.find(({ fingerprint256 }) => normalize(fingerprint256) === normalize(expected))
  if (pinned) return pinned
  throw new CliError('the server’s certificate does not have this fingerprint', {
    hint: `its fingerprint is ${presented.at(-1)?.fingerprint256}; if this is unexpected, the connection may be intercepted`,
    exitCode: EXIT.refused,
  })
}

const NOT_SIGNED = 'the token was not signed by the key of this server'

async function confirmTrust(
  { terminal, input, flags }: Call,
  url: URL,
  { anchor, hasProof }: { readonly anchor: X509Certificate; readonly hasProof: boolean },
): Promise<void> {
  const fingerprint = `SHA-256 ${anchor.fingerprint256}`
  if (!input.isInteractive) {
    const untrusted = `the certificate of ${url.origin} chains to a CA that this machine does not trust`
    const name = `name the CA with --ca-file FILE, or with --fingerprint ${anchor.fingerprint256} if that is the controller’s own`
    const ask = 'its certificate may have been renewed, or the connection is intercepted: ask for a new token, or'
    throw new CliError(hasProof ? [untrusted, NOT_SIGNED] : untrusted, {
      hint: hasProof ? `${ask} ${name}` : name,
      exitCode: EXIT.refused,
    })
  }
  if (hasProof) terminal.notice(`Careful: ${NOT_SIGNED}. The connection may be intercepted.`)
  terminal.notice(`The certificate of ${url.origin} chains to a CA that this machine does not trust:`)
  // First, and the subject cut: its owner writes it, and could write a fingerprint into it.
  terminal.notice(`  ${fingerprint}`)
  terminal.notice(`  ${shortLine(anchor.subject)}`)
  terminal.notice('Compare the fingerprint with the output of "countersign trust" on the machine of the controller.')
  // What contradicts the token needs a look at the fingerprint.
  if (flags.yes === true && !hasProof) return
  const answer = await input.ask('Trust it from now on? [y/N] ')
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('not trusted', { exitCode: EXIT.refused })
}

/** Returns the server's certificate chain, and whether this machine trusts it. Only the handshake is sent. */
async function inspectServer(url: URL): Promise<{ isTrusted: boolean; chain: X509Certificate[] }> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // The caller checks the chain; no application data is sent on this connection.
    rejectUnauthorized: false,
    ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
  })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no response in time')))
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
    })
    return { isTrusted: socket.authorized, chain: listChain(socket) }
  } catch (cause) {
    throw unreachable(url.origin, cause)
  } finally {
    socket.destroy()
  }
}

function listChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = []
  let certificate = socket.getPeerX509Certificate()
  while (certificate && !chain.some(({ fingerprint256 }) => fingerprint256 === certificate?.fingerprint256)) {
    chain.push(certificate)
    certificate = certificate.issuerCertificate
  }
  return chain
}

/** The root of the chain, which the controller publishes separately. Ignores roots that did not issue the chain. */
async function findRoot(url: URL, chain: readonly X509Certificate[]): Promise<X509Certificate | undefined> {
  const top = chain.at(-1)
  if (!top || top.checkIssued(top)) return top
  try {
    const candidates = readCaCertificates(await loadCaCertificates(url, chain[0]))
    return candidates.find(
      (candidate) =>
        candidate.ca &&
        candidate.checkIssued(candidate) &&
        top.checkIssued(candidate) &&
        top.verify(candidate.publicKey),
    )
  } catch {
    // Not a controller, or an old one: the last certificate of the chain is used instead.
    return undefined
  }
}

/**
 * From the server with this certificate only. Otherwise unauthenticated: the result is trusted only after its fingerprint or the certificate has
 * been checked.
 */
function loadCaCertificates(url: URL, leaf: X509Certificate | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL('/.well-known/est/cacerts', url), {
      rejectUnauthorized: false,
      timeout: TIMEOUT_MS,
      agent: false,
    })
    outgoing.once('socket', (socket) => {
      socket.once('secureConnect', () => {
        const presented = (socket as TLSSocket).getPeerX509Certificate()
        if (presented?.fingerprint256 !== leaf?.fingerprint256) outgoing.destroy(new Error('another certificate'))
      })
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('no response in time')))
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      let text = ''
      incoming.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk
        if (text.length > MAX_CACERTS) incoming.destroy(new Error('too long'))
      })
      incoming.once('error', reject)
      incoming.once('end', () =>
        incoming.statusCode === 200 ? resolve(text) : reject(new Error('no CA certificates')),
      )
    })
    outgoing.end()
  })
}
