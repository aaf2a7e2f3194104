import { existsSync, rmSync } from 'node:fs'
import { ControllerClient, exportPrivateKey } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { loadCertificateFile } from '../files/load-certificate-file.ts'
import { loadTextArgument, loadTextFile } from '../files/load-text-file.ts'
import { writePrivateFile } from '../files/private-file.ts'
import { findProfile, getProfileName } from '../files/profiles.ts'
import { withSecretFiles } from '../files/secret-files.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { CA_FILE_FLAG, PROFILE_FLAG, QUIET_FLAG, VERBOSE_FLAG } from '../session/call-flags.ts'
import { parseControllerUrl } from '../session/controller-url.ts'
import { loadClientCertificate } from '../session/load-client-certificate.ts'
import { checkToken } from '../session/second-jwt.ts'
import { isSdkError } from '../to-cli-error.ts'
import { withProgress } from '../with-progress.ts'

const UNAUTHORIZED = 401
const ENDING = /\.crt$/

/** `countersign renew`: renew a certificate that `enroll` has written. */
export const renew: Command = {
  args: ['FILE'],
  flags: [
    { name: 'url', value: 'URL', description: 'The controller [the profile]' },
    { name: 'token', value: 'FILE', description: 'Also send the provider token in this file; - is stdin' },
    CA_FILE_FLAG,
    PROFILE_FLAG,
    QUIET_FLAG,
    VERBOSE_FLAG,
  ],
  details: [
    'FILE is the NAME.crt that enroll has written; NAME.key and NAME.ca.pem are beside it. A new key is generated on this machine.',
    'The files are replaced when the controller has confirmed the new certificate, and the old one is refused from then on. When the command is',
    'interrupted, run it again: it finishes what it began. A policy can require a fresh token of the provider that enrolled the identity: --token.',
  ],
  examples: [
    { command: 'countersign renew laptop-7.crt', description: 'replace laptop-7.crt and laptop-7.key' },
    { command: 'get-token | countersign renew me.crt --token -', description: 'with a fresh provider token' },
  ],
  async run(call) {
    const [file = ''] = call.args
    if (!ENDING.test(file))
      throw usageError(`"${file}" is not a .crt file`, 'name the NAME.crt that enroll has written')
    const paths = pathsOf(file.replace(ENDING, ''))
    const began = pathsOf(`${file.replace(ENDING, '')}.renewed`)
    const url = getUrl(call)
    const caPem = loadCertificateFile(
      call.flags['ca-file'] === undefined ? paths.ca : String(call.flags['ca-file']),
    ).pem
    const { token: tokenFile } = call.flags
    const token = typeof tokenFile === 'string' ? checkToken(await loadTextArgument(call, tokenFile)) : undefined
    const renewing = async (): Promise<void> => {
      if (!(await isConfirmed(began, url, caPem))) {
        const { client, authenticatorId } = await logIn(paths, url, caPem)
        await request(call, client, { authenticatorId, token, files: began })
        await client.logOut()
      }
      adopt(began, paths)
    }
    await withProgress(call.terminal, `waiting for ${url}…`, renewing())
    const { certificate } = loadCertificateFile(paths.certificate)
    const validTo = certificate.validToDate.toISOString()
    if (getFormat(call) !== 'table') await printData(call, { ...paths, validTo }, () => paths.certificate)
    else call.terminal.out(`renewed: ${paths.certificate}, ${paths.key}; valid until ${validTo.slice(0, 10)}`)
    return EXIT.ok
  },
}

interface CertificateFiles {
  readonly certificate: string
  readonly key: string
  readonly ca: string
}

const pathsOf = (name: string): CertificateFiles => ({
  certificate: `${name}.crt`,
  key: `${name}.key`,
  ca: `${name}.ca.pem`,
})

function getUrl(call: Call): string {
  const named = call.flags.url ?? findProfile(call.env, getProfileName(call))?.url
  if (typeof named !== 'string') throw usageError('the controller is not known', 'name it with --url URL')
  return parseControllerUrl(named).href
}

async function logIn({ certificate, key }: CertificateFiles, url: string, caPem: string) {
  const fetch = createTrustingFetch({ origin: url, caPem, ...loadClientCertificate(certificate, key) })
  const client = new ControllerClient({ baseUrl: url, fetch })
  const { authenticatorId } = await client.logInWithCertificate()
  return { client, authenticatorId }
}

/** Whether an earlier call was interrupted after its new certificate had replaced the old one. */
async function isConfirmed(began: CertificateFiles, url: string, caPem: string): Promise<boolean> {
  if (!existsSync(began.certificate)) return false
  try {
    const { client } = await logIn(began, url, caPem)
    await client.logOut()
    return true
  } catch (error) {
    if (isSdkError(error) && error.status === UNAUTHORIZED) return false
    throw error
  }
}

/** Stores the new certificate before it replaces the old one: whatever fails, one of the two works. */
async function request(
  call: Call,
  { ownCertificates }: ControllerClient,
  { authenticatorId, token, files }: { authenticatorId: string; token: string | undefined; files: CertificateFiles },
): Promise<void> {
  const paths = [files.key, files.ca, files.certificate]
  const certificate = await withSecretFiles(call, { paths, replace: true }, async (save) => {
    const renewed = await ownCertificates.renew(authenticatorId, { token }).catch((error: unknown) => {
      if (token !== undefined || !isSdkError(error) || error.status !== UNAUTHORIZED) throw error
      const hint = 'add --token FILE with a fresh token of the provider that enrolled the identity'
      throw new CliError('the policy requires a provider token for renewals', { hint, exitCode: EXIT.refused })
    })
    save(await exportPrivateKey(renewed.keys), renewed.ca, renewed.certificate)
    return renewed.certificate
  })
  await ownCertificates.confirm(authenticatorId, certificate)
}

function adopt(from: CertificateFiles, to: CertificateFiles): void {
  for (const name of ['key', 'ca', 'certificate'] as const) writePrivateFile(to[name], loadTextFile(from[name]))
  for (const name of ['certificate', 'key', 'ca'] as const) rmSync(from[name])
}
