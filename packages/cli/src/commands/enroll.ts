import { dirname, join } from 'node:path'
import { ControllerClient, exportPrivateKey, readEnrollmentTicket } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { loadTextArgument } from '../files/load-text-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { withSecretFiles } from '../files/secret-files.ts'
import { settleTrust } from '../net/first-use-trust.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { getFormat, OUTPUT_FLAG, printData } from '../output/print-result.ts'
import { CA_FILE_FLAG, PROFILE_FLAG, QUIET_FLAG, VERBOSE_FLAG, YES_FLAG } from '../session/call-flags.ts'
import { chooseSigner } from '../session/choose-signer.ts'
import { parseControllerUrl } from '../session/controller-url.ts'
import { checkToken } from '../session/second-jwt.ts'
import { withProgress } from '../with-progress.ts'

/** `countersign enroll`: trade a token for a certificate, or for the right to sign in by token. */
export const enroll: Command = {
  args: ['FILE'],
  flags: [
    { name: 'url', value: 'URL', description: 'The controller; for a token of a provider [the profile]' },
    { name: 'to-token', description: 'With a token of a provider: enroll to signing in by such tokens' },
    { name: 'signer', value: 'NAME', description: 'The signer to enroll with, by name or id, where several would do' },
    { name: 'password-stdin', description: 'For a one-time token for a password: read it from stdin' },
    { name: 'out', value: 'NAME', description: 'Write NAME.crt, NAME.key and NAME.ca.pem [the name of FILE]' },
    CA_FILE_FLAG,
    { name: 'fingerprint', value: 'SHA256', description: 'Trust the CA with this fingerprint' },
    PROFILE_FLAG,
    OUTPUT_FLAG,
    YES_FLAG,
    QUIET_FLAG,
    VERBOSE_FLAG,
  ],
  details: [
    'FILE holds the one-time token that an administrator made, or a token of a provider; - is stdin.',
    'The key is made on this machine and never leaves it.',
  ],
  examples: [
    {
      command: 'countersign enroll laptop-7.jwt',
      says: 'a certificate for a one-time token: laptop-7.crt, laptop-7.key',
    },
    {
      command: 'countersign enroll erika.jwt',
      says: 'a password for a one-time token that is for one; it is asked for twice',
    },
    {
      command: 'countersign enroll token.txt --to-token --url https://ctrl.example.com',
      says: 'a token of a provider',
    },
  ],
  async run(call) {
    const [file = '-'] = call.args
    const token = checkToken(await loadTextArgument(call, file))
    const ticket = findTicket(token)
    const out = typeof call.flags.out === 'string' ? call.flags.out : buildName(file)
    const paths = { certificate: `${out}.crt`, key: `${out}.key`, ca: `${out}.ca.pem` }
    const givesCertificate = ticket ? ticket.method === 'ott' : call.flags['to-token'] !== true
    const format = getFormat(call)
    const client = await openClient(call, ticket?.issuer)
    const password = ticket?.method === 'updb' ? await readPassword(call) : ''
    const places = { paths: givesCertificate ? [paths.key, paths.certificate, paths.ca] : [], replace: false }
    const result = await withSecretFiles(call, places, async (keep) => {
      const trading = trade(call, client, { token, ticket, password })
      const given = await withProgress(call.terminal, `waiting for ${client.baseUrl}…`, trading)
      if ('certificate' in given) keep(await exportPrivateKey(given.keys), given.certificate, given.ca)
      return given
    })
    if ('certificate' in result) {
      if (format !== 'table') await printData(call, { identityId: result.identityId, ...paths })
      else {
        call.terminal.out(`enrolled: ${paths.certificate}, ${paths.key}`)
        call.terminal.note(
          `sign in with: countersign login ${client.baseUrl} --cert ${paths.certificate} --key ${paths.key} --ca-file ${paths.ca}`,
        )
      }
    } else if (format !== 'table') await printData(call, result)
    else
      call.terminal.out(
        result.username ? `enrolled: sign in as ${result.username}` : 'enrolled: sign in with such tokens',
      )
    return EXIT.ok
  },
}

type Ticket = ReturnType<typeof readEnrollmentTicket>

interface Shown {
  readonly token: string
  readonly ticket: Ticket | undefined
  /** For a token that is for a password. */
  readonly password: string
}

async function trade({ flags }: Call, client: ControllerClient, { token, ticket, password }: Shown) {
  const { enrollment } = client
  if (ticket?.method === 'ott') return enrollment.withOneTimeToken(token)
  if (ticket?.method === 'updb') return { username: await enrollment.withPassword(token, password) }
  if (ticket) throw new CliError(`this is a token for "${ticket.method}", which is not known here`, {})
  const signerId =
    typeof flags.signer === 'string' ? chooseSigner(await client.listClientSigners(), flags.signer).id : undefined
  if (flags['to-token'] === true)
    return { identityId: await enrollment.toToken(token, { signerId }), username: undefined }
  return enrollment.toCertificate(token, { signerId })
}

async function readPassword({ flags, input }: Call): Promise<string> {
  if (flags['password-stdin'] !== true) return askPassword(input)
  const [password] = (await input.readAll()).split(/\r?\n/)
  if (password) return password
  throw usageError('there is no password', 'send it on the first line of stdin')
}

async function askPassword(input: Call['input']): Promise<string> {
  if (!input.isInteractive) throw usageError('a password is needed, and there is nobody to ask', 'add --password-stdin')
  const password = await input.ask('New password: ', { secret: true })
  if ((await input.ask('The same once more: ', { secret: true })) === password) return password
  throw usageError('the two passwords differ', 'try again: the one-time token is still good')
}

/** What a one-time token says; undefined for a token of a provider. */
function findTicket(token: string): Ticket | undefined {
  try {
    return readEnrollmentTicket(token)
  } catch {
    return undefined
  }
}

async function openClient(call: Call, issuer: string | undefined): Promise<ControllerClient> {
  const profile = findProfile(call.env, getProfileName(call))
  const named = typeof call.flags.url === 'string' ? call.flags.url : (issuer ?? profile?.url)
  if (named === undefined) throw usageError('nothing says which controller to enroll with', 'name it with --url URL')
  const { href: url } = parseControllerUrl(named)
  const caPem = await settleTrust(call, url, profile)
  return new ControllerClient({ baseUrl: url, fetch: createTrustingFetch({ origin: url, caPem }) })
}

function buildName(file: string): string {
  const name = file === '-' ? 'identity' : file.replace(/\.(jwt|txt|token)$/, '')
  return join(dirname(name), name.slice(dirname(name) === '.' ? 0 : dirname(name).length + 1))
}
