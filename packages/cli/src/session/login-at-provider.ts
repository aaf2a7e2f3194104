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

const TIMEOUT_MS = 5 * 60_000
const CALLBACK = '/callback'
const OPENERS: { readonly [platform: string]: string } = { darwin: 'open', linux: 'xdg-open' }

/**
 * Logs a person in at the provider of a signer (name or id), in the browser or with a device code. Returns the token for the controller.
 */
export async function logInAtProvider(attempt: LoginAttempt, nameOrId: string): Promise<string> {
  const { call, url, caPem, dpop } = attempt
  const fetch = createTrustingFetch({ origin: url, caPem, dpop })
  const client = new ControllerClient({ baseUrl: url, fetch })
  const signers = await withProgress(call.terminal, `waiting for ${url}…`, client.listClientSigners())
  const signer = chooseSigner(signers, nameOrId)
  return call.flags.device === true ? byDevice(attempt, signer, fetch) : byBrowser(attempt, signer, fetch)
}

async function byDevice(
  { call, url }: LoginAttempt,
  signer: ClientSigner,
  fetch: typeof globalThis.fetch,
): Promise<string> {
  const login = await DeviceLogin.start({ signer, fetch, controllerUrl: url })
  call.terminal.notice(`Open ${login.verificationUri} on any device and enter the code ${login.userCode}`)
  if (login.verificationUriComplete !== undefined) call.terminal.notice(`or open ${login.verificationUriComplete}`)
  call.terminal.note('waiting for the login there…')
  return (await login.finish()).token
}

/** Receives the provider's redirect on a loopback port (RFC 8252). */
async function byBrowser(
  { call, url }: LoginAttempt,
  signer: ClientSigner,
  fetch: typeof globalThis.fetch,
): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const login = await BrowserLogin.start({ signer, fetch, controllerUrl: url, redirectUri: `${origin}${CALLBACK}` })
    const callback = waitForCallback(server, origin, new URL(login.url).searchParams.get('state'))
    call.terminal.notice(`Log in at ${login.url}`)
    openBrowser(login.url, call.env)
    return (await login.finish(await callback)).token
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Ignores requests with another state: any page in the browser can send some. */
function waitForCallback(
  server: ReturnType<typeof createServer>,
  origin: string,
  state: string | null,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CliError('no login within five minutes', { hint: 'try again, or use --device' })),
      TIMEOUT_MS,
    )
    server.on('request', (request, response) => {
      const url = URL.parse(request.url ?? '/', origin)
      const isCallback =
        request.method === 'GET' && url?.pathname === CALLBACK && url.searchParams.get('state') === state
      response.writeHead(isCallback ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      response.end(isCallback ? 'Return to the terminal. You can close this page.\n' : '')
      if (!isCallback) return
      clearTimeout(timer)
      response.once('close', () => resolve(url.href))
    })
  })
}

/** Opens the browser, if there is one. The address is also printed. */
function openBrowser(url: string, env: { readonly [name: string]: string | undefined }): void {
  const opener = env.BROWSER || OPENERS[process.platform]
  if (!opener) return
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  child.once('error', () => {})
  child.unref()
}
