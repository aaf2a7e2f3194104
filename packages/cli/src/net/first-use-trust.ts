import type { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { loadCertificateFile } from '../files/load-certificate-file.ts'
import type { Profile } from '../files/profiles.ts'
import { readCaCertificates } from './read-cacerts.ts'
import { unreachable } from './unreachable.ts'

const TIMEOUT_MS = 10_000
const MAX_CACERTS = 65_536

/**
 * Finds out what the controller's certificate must lead to: the file of `--ca-file`; what the profile knows of it already;
 * nothing of our own where this machine trusts it; else what the server shows, if its fingerprint is the one of
 * `--fingerprint` or a person says yes. Gives the certificate as PEM. Nothing but the handshake and a call for the CA happens
 * before that.
 */
export async function settleTrust(
  call: Call,
  address: string,
  known: Profile | undefined,
): Promise<string | undefined> {
  const { 'ca-file': file, fingerprint } = call.flags
  if (typeof file === 'string') {
    if (fingerprint === undefined) return loadCertificateFile(file).pem
    throw usageError('--ca-file and --fingerprint exclude each other', 'say in one way which CA to trust')
  }
  if (known?.url === address && fingerprint === undefined) return known.caPem
  return settleAnew(call, new URL(address))
}

async function settleAnew(call: Call, url: URL): Promise<string | undefined> {
  const { flags } = call
  if (url.protocol !== 'https:') throw usageError(`${url.origin} is not an https address`, 'write https://HOST:PORT')
  const { isTrusted, chain } = await lookAt(url)
  const wanted = typeof flags.fingerprint === 'string' ? flags.fingerprint : undefined
  if (isTrusted && wanted === undefined) return undefined
  const anchor = (await findRoot(url, chain)) ?? chain.at(-1)
  if (!anchor) throw new CliError(`${url.origin} shows no certificate`, { exitCode: EXIT.unreachable })
  if (wanted !== undefined) checkFingerprint(wanted, [...chain, anchor])
  else await askPerson(call, url, anchor)
  return anchor.toString()
}

/** Makes a fingerprint comparable: no colons, one letter case. */
function normalize(fingerprint: string): string {
  return fingerprint
    .replace(/^sha256[:=]/i, '')
    .replaceAll(':', '')
    .toLowerCase()
}

function checkFingerprint(wanted: string, shown: readonly X509Certificate[]): void {
  if (shown.some(({ fingerprint256 }) => normalize(fingerprint256) === normalize(wanted))) return
  throw new CliError('the server shows another certificate than the one with this fingerprint', {
    hint: `it shows ${shown.at(-1)?.fingerprint256}; if you did not expect that, somebody may be in between`,
    exitCode: EXIT.refused,
  })
}

async function askPerson({ terminal, input, flags }: Call, url: URL, anchor: X509Certificate): Promise<void> {
  const fingerprint = `SHA-256 ${anchor.fingerprint256}`
  if (!input.isInteractive) {
    throw new CliError(`the certificate of ${url.origin} leads to a CA that this machine does not know`, {
      hint: `name the CA with --ca-file FILE, or with --fingerprint ${anchor.fingerprint256} if that is really its own`,
      exitCode: EXIT.refused,
    })
  }
  terminal.tell(`The certificate of ${url.origin} leads to a CA that this machine does not know:`)
  terminal.tell(`  ${anchor.subject.split('\n').join(', ')}`)
  terminal.tell(`  ${fingerprint}`)
  terminal.tell('"countersign trust" on the machine of the controller prints the fingerprint to compare with.')
  if (flags.yes === true) return
  const answer = await input.ask('Trust it from now on? [y/N] ')
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('not trusted', { exitCode: EXIT.refused })
}

/** The chain that the server shows, and whether this machine trusts it. Nothing is sent. */
async function lookAt(url: URL): Promise<{ isTrusted: boolean; chain: X509Certificate[] }> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // Looked at below; not a byte of ours goes through this connection.
    rejectUnauthorized: false,
    ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
  })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no answer in time')))
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

/** The root that the shown chain leads to, where the controller tells it. A root of something else does not count. */
async function findRoot(url: URL, chain: readonly X509Certificate[]): Promise<X509Certificate | undefined> {
  const top = chain.at(-1)
  if (!top || top.checkIssued(top)) return top
  try {
    const candidates = readCaCertificates(await loadCaCertificates(url))
    return candidates.find(
      (candidate) =>
        candidate.ca &&
        candidate.checkIssued(candidate) &&
        top.checkIssued(candidate) &&
        top.verify(candidate.publicKey),
    )
  } catch {
    // Not a controller, or an old one: the last certificate of the chain serves as well.
    return undefined
  }
}

/** What comes back is shown to a person as a fingerprint before it counts. */
function loadCaCertificates(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL('/.well-known/est/cacerts', url), {
      rejectUnauthorized: false,
      timeout: TIMEOUT_MS,
      agent: false,
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')))
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      let text = ''
      incoming.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk
        if (text.length > MAX_CACERTS) incoming.destroy(new Error('too long'))
      })
      incoming.once('error', reject)
      incoming.once('end', () => (incoming.statusCode === 200 ? resolve(text) : reject(new Error('no CA told'))))
    })
    outgoing.end()
  })
}
