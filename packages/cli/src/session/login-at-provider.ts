import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BrowserLogin, type ClientSigner, ControllerClient, DeviceLogin } from '@countersign/sdk'
import { CliError } from '../cli-error.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { withProgress } from '../with-progress.ts'
import { chooseSigner } from './choose-signer.ts'
import type { LoginAttempt } from './login-attempt.ts'

const PATIENCE_MS = 5 * 60_000
const CALLBACK = '/callback'
const OPENERS: { readonly [platform: string]: string } = { darwin: 'open', linux: 'xdg-open' }

/**
 * Signs a person in at the provider of the signer with this name or id, in the browser or by device code. Gives the token for
 * the controller.
 */
export async function logInAtProvider(attempt: LoginAttempt, wanted: string): Promise<string> {
  const { call, url, caPem } = attempt
  const fetch = createTrustingFetch({ origin: url, caPem })
  const client = new ControllerClient({ baseUrl: url, fetch })
  const signers = await withProgress(call.terminal, `waiting for ${url}…`, client.listClientSigners())
  const signer = chooseSigner(signers, wanted)
  return call.flags.device === true ? byDevice(attempt, signer, fetch) : byBrowser(attempt, signer, fetch)
}

async function byDevice({ call }: LoginAttempt, signer: ClientSigner, fetch: typeof globalThis.fetch): Promise<string> {
  const login = await DeviceLogin.start({ signer, fetch })
  call.terminal.tell(`Open ${login.verificationUri} on any device and enter the code ${login.userCode}`)
  if (login.verificationUriComplete !== undefined) call.terminal.tell(`or open ${login.verificationUriComplete}`)
  call.terminal.note('waiting until somebody has signed in there…')
  return (await login.finish()).token
}

/** Waits on a port of this machine for the browser to come back from the provider (RFC 8252). */
async function byBrowser(
  { call }: LoginAttempt,
  signer: ClientSigner,
  fetch: typeof globalThis.fetch,
): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const login = await BrowserLogin.start({ signer, fetch, redirectUri: `${origin}${CALLBACK}` })
    const answered = waitForCallback(server, origin)
    call.terminal.tell(`Sign in at ${login.url}`)
    openBrowser(login.url, call.env)
    return (await login.finish(await answered)).token
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function waitForCallback(server: ReturnType<typeof createServer>, origin: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CliError('nobody signed in within five minutes', { hint: 'try again, or with --device' })),
      PATIENCE_MS,
    )
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', origin)
      const isAnswer = request.method === 'GET' && url.pathname === CALLBACK
      response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      response.end(isAnswer ? 'Back to the terminal: this page can be closed.\n' : '')
      if (!isAnswer) return
      clearTimeout(timer)
      response.once('close', () => resolve(url.href))
    })
  })
}

/** Opens the address where there is a browser; whoever has none opens the printed one elsewhere. */
function openBrowser(url: string, env: { readonly [name: string]: string | undefined }): void {
  const opener = env.BROWSER || OPENERS[process.platform]
  if (!opener) return
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  child.once('error', () => {})
  child.unref()
}
