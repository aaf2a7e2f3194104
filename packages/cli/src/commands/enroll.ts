import type { X509Certificate } from 'node:crypto'
import { dirname, join } from 'node:path'
import { ControllerClient, exportPrivateKey, importKeyPair, readEnrollmentTicket } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { checkBoundKey, DPOP_KEY_FLAG, ensureDpopKey, type LoadedDpopKey, loadDpopKey } from '../files/dpop-keys.ts'
import { loadTextArgument } from '../files/load-text-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { withSecretFiles } from '../files/secret-files.ts'
import { establishTrust } from '../net/establish-trust.ts'
import { isSignedBy } from '../net/is-signed-by.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { CA_FILE_FLAG, PROFILE_FLAG, QUIET_FLAG, VERBOSE_FLAG, YES_FLAG } from '../session/call-flags.ts'
import { chooseSigner } from '../session/choose-signer.ts'
import { parseControllerUrl } from '../session/controller-url.ts'
import { checkToken } from '../session/second-jwt.ts'
import { shellQuote } from '../shell-quote.ts'
import { withProgress } from '../with-progress.ts'

/** `countersign enroll`: redeem a token for a certificate, a password, or token login. */
export const enroll: Command = {
  args: ['FILE'],
  flags: [
    { name: 'url', value: 'URL', description: 'The controller, for a provider token [the profile]' },
    { name: 'to-token', description: 'With a provider token: enroll for login with such tokens' },
    { name: 'signer', value: 'NAME', description: 'The signer to enroll with, by name or id, when several match' },
    {
      name: 'dpop',
      description: 'With a provider token that is bound to the key of the profile (DPoP): prove possession of the key',
    },
    DPOP_KEY_FLAG,
    { name: 'password-stdin', description: 'For a one-time token that sets a password: read the password from stdin' },
    { name: 'out', value: 'NAME', description: 'Write NAME.crt, NAME.key and NAME.ca.pem [the name of FILE]' },
    CA_FILE_FLAG,
    { name: 'fingerprint', value: 'SHA256', description: 'Trust the CA with this fingerprint' },
    PROFILE_FLAG,
    YES_FLAG,
    QUIET_FLAG,
    VERBOSE_FLAG,
  ],
  details: [
    'FILE contains a one-time token from an administrator, or a provider token; - is stdin.',
    'A one-time token names the controller and is signed by its key. No question is asked when the server at that address has the key,',
    'so that the command works unattended: the CA of that server is trusted for this enrollment, and written to NAME.ca.pem.',
    'The private key is generated on this machine and never leaves it. With --dpop it is the key that the token is bound to.',
  ],
  examples: [
    {
      command: 'countersign enroll laptop-7.jwt',
      description: 'get a certificate with a one-time token: laptop-7.crt, laptop-7.key',
    },
    {
      command: 'countersign enroll erika.jwt',
      description: 'set a password with a one-time token; it is prompted for twice',
    },
    {
      command: 'countersign enroll token.txt --to-token --url https://ctrl.example.com',
      description: 'use a provider token',
    },
    {
      command: 'countersign enroll token.txt --dpop-key agent.jwk --url https://ctrl.example.com',
      description: 'get a certificate with a token that is bound to a key, for this key',
    },
  ],
  async run(call) {
    const [file = '-'] = call.args
    const token = checkToken(await loadTextArgument(call, file))
    const ticket = findTicket(token)
    if (!ticket && !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
      throw usageError('this is not a token', 'FILE must contain a one-time token or a provider token, which are JWTs')
    const dpop = await loadBoundKey(call, ticket)
    checkBoundKey(token, dpop?.key)
    const out = typeof call.flags.out === 'string' ? call.flags.out : buildName(file)
    const paths = { certificate: `${out}.crt`, key: `${out}.key`, ca: `${out}.ca.pem` }
    const givesCertificate = ticket ? ticket.method === 'ott' : call.flags['to-token'] !== true
    const format = getFormat(call)
    const client = await openClient(call, { oneTime: ticket && { token, issuer: ticket.issuer }, dpop })
    const password = ticket?.method === 'updb' ? await readPassword(call, client.baseUrl) : ''
    const files = { paths: givesCertificate ? [paths.key, paths.certificate, paths.ca] : [], replace: false }
    const result = await withSecretFiles(call, files, async (save) => {
      const redeeming = redeem(call, client, { token, ticket, password, dpop })
      const enrolled = await withProgress(call.terminal, `waiting for ${client.baseUrl}…`, redeeming)
      if ('certificate' in enrolled) save(await exportPrivateKey(enrolled.keys), enrolled.certificate, enrolled.ca)
      return enrolled
    })
    if ('certificate' in result) {
      if (format !== 'table')
        await printData(call, { identityId: result.identityId, ...paths }, () => paths.certificate)
      else {
        const quoted = {
          certificate: shellQuote(paths.certificate),
          key: shellQuote(paths.key),
          ca: shellQuote(paths.ca),
        }
        call.terminal.out(`enrolled: ${paths.certificate}, ${paths.key}`)
        call.terminal.note(
          `log in with: countersign login ${client.baseUrl} --cert ${quoted.certificate} --key ${quoted.key} --ca-file ${quoted.ca}`,
        )
      }
    } else if (format !== 'table') await printData(call, result, () => result.username ?? result.identityId)
    else
      call.terminal.out(
        result.username ? `enrolled: log in as ${result.username}` : 'enrolled: log in with tokens of this provider',
      )
    return EXIT.ok
  },
}

type Ticket = ReturnType<typeof readEnrollmentTicket>

interface EnrollmentInput {
  readonly token: string
  readonly ticket: Ticket | undefined
  /** The new password, for a one-time token that sets one. */
  readonly password: string
  /** The key that a provider token is bound to. */
  readonly dpop: LoadedDpopKey | undefined
}

async function loadBoundKey(call: Call, ticket: Ticket | undefined): Promise<LoadedDpopKey | undefined> {
  if (ticket && (call.flags.dpop === true || call.flags['dpop-key'] !== undefined))
    throw usageError('a one-time token is bound to no key', 'leave out --dpop and --dpop-key')
  const path = await ensureDpopKey(call, getProfileName(call))
  return path === undefined ? undefined : loadDpopKey(path)
}

async function redeem({ flags }: Call, client: ControllerClient, input: EnrollmentInput) {
  const { token, ticket, password, dpop } = input
  const { enrollment } = client
  if (ticket?.method === 'ott') return enrollment.withOneTimeToken(token)
  if (ticket?.method === 'updb') return { username: await enrollment.withPassword(token, password) }
  if (ticket) throw new CliError(`the enrollment method "${ticket.method}" is not supported`, {})
  const signerId =
    typeof flags.signer === 'string' ? chooseSigner(await client.listClientSigners(), flags.signer).id : undefined
  if (flags['to-token'] === true)
    return { identityId: await enrollment.toToken(token, { signerId }), username: undefined }
  return enrollment.toCertificate(token, { signerId, ...(dpop && { keys: await importKeyPair(dpop.jwk) }) })
}

async function readPassword({ flags, input }: Call, baseUrl: string): Promise<string> {
  if (flags['password-stdin'] !== true) return askPassword(input, baseUrl)
  const [password] = (await input.readAll()).split(/\r?\n/)
  if (password) return password
  throw usageError('there is no password', 'send it on the first line of stdin')
}

/** Names the controller: its address comes from the token, which anyone could have sent. */
async function askPassword(input: Call['input'], baseUrl: string): Promise<string> {
  if (!input.isInteractive)
    throw usageError('a password is needed, and there is no terminal to ask on', 'add --password-stdin')
  const password = await input.ask(`New password, which is sent to ${baseUrl}: `, { secret: true })
  if ((await input.ask('Repeat the password: ', { secret: true })) === password) return password
  throw usageError('the two passwords differ', 'try again: the one-time token is still valid')
}

/** The content of a one-time token; undefined for a provider token. */
function findTicket(token: string): Ticket | undefined {
  try {
    return readEnrollmentTicket(token)
  } catch {
    return undefined
  }
}

interface OneTime {
  readonly token: string
  readonly issuer: string
}

/** A one-time token names its controller, and proves by its signature which server that is. */
async function openClient(
  call: Call,
  { oneTime, dpop }: { readonly oneTime: OneTime | undefined; readonly dpop: LoadedDpopKey | undefined },
): Promise<ControllerClient> {
  const profile = findProfile(call.env, getProfileName(call))
  const named = typeof call.flags.url === 'string' ? call.flags.url : (oneTime?.issuer ?? profile?.url)
  if (named === undefined) throw usageError('the controller to enroll with is not known', 'name it with --url URL')
  const { href: url } = parseControllerUrl(named)
  const proof = oneTime && { isSignedBy: (certificate: X509Certificate) => isSignedBy(oneTime.token, certificate) }
  const caPem = await establishTrust(call, url, { known: profile, proof })
  return new ControllerClient({ baseUrl: url, fetch: createTrustingFetch({ origin: url, caPem, dpop: dpop?.key }) })
}

function buildName(file: string): string {
  const name = file === '-' ? 'identity' : file.replace(/\.(jwt|txt|token)$/, '')
  return join(dirname(name), name.slice(dirname(name) === '.' ? 0 : dirname(name).length + 1))
}
