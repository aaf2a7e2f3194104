import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const START_LIMIT_MS = 180_000
const ADMIN = { username: 'admin', password: 'the-bootstrap-password' }

/** A Keycloak process with an empty database in memory. */
export interface Keycloak {
  readonly url: string
  /** Calls the admin REST API as the bootstrap administrator. Throws for other statuses than 2xx. */
  admin(method: string, path: string, body?: unknown): Promise<{ readonly location: string; readonly json: unknown }>
  stop(): Promise<void>
}

/** Starts the distribution in `folder` (it needs Java), and waits until it responds. */
export async function startKeycloak(folder: string): Promise<Keycloak> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const args = ['start-dev', '--db=dev-mem', `--http-port=${port}`, '--http-host=127.0.0.1']
  const env = { KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username, KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password }
  const child = spawn(join(folder, 'bin', 'kc.sh'), args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
    // The script starts Java as a child: the whole group is stopped.
    detached: true,
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await exited
  }
  const admin: Keycloak['admin'] = async (method, path, body) => {
    const form = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN })
    const login = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body: form })
    const { access_token: token } = (await login.json()) as { access_token: string }
    const response = await fetch(`${url}/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`)
    return { location: response.headers.get('location') ?? '', json: text === '' ? undefined : JSON.parse(text) }
  }
  try {
    await waitUntilReady(url, child)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, admin, stop }
}

async function waitUntilReady(url: string, child: { readonly exitCode: number | null }): Promise<void> {
  const until = performance.now() + START_LIMIT_MS
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error('Keycloak has ended')
    const response = await fetch(`${url}/realms/master`).catch(() => undefined)
    if (response?.ok) return
    await wait(500)
  }
  throw new Error('Keycloak did not respond in time')
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
