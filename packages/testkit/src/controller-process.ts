import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ControllerRequest, type ControllerResponse, sendRequest } from './controller-request.ts'

/** The `countersign` program: the bundle of the test runner, as `npm start` runs it, else the one that runs from the sources. */
export const COMMAND =
  process.env.TEST_COMMAND ?? fileURLToPath(new URL('../../cli/bin/countersign.js', import.meta.url))
/** Saves every start but the first from compiling the source again. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/countersign-tests', import.meta.url))
const START_LIMIT_MS = 60_000
const LOGIN = '/edge/management/v1/authenticate?method=password'

/** What `countersign up --json` prints. */
export interface ReadyLine {
  readonly ready: true
  readonly baseUrl: string
  readonly caFile: string
  readonly dataDir: string
  readonly pid: number
  readonly admin: { readonly username: string; readonly password: string | null }
  readonly hostedBaseUrl: string
  readonly consoleUrl: string
  readonly metricsUrl: string
  readonly identityProviderUrl: string | null
}

export interface LaunchOptions {
  /** Further arguments of `up`. */
  readonly args?: readonly string[]
  /** Further variables. Settings in the test run's own environment are not passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** `<folder>/data` unless given. */
  readonly dataDir?: string
  /** `--port 0` unless false; then give `--port` in `args`. */
  readonly freePorts?: boolean
  /** False prints the summary for people. */
  readonly json?: boolean
  /** Shell commands to run first in the same process, such as `umask 000`. */
  readonly before?: string
  /** Options of the Node process that runs `countersign up`. */
  readonly nodeOptions?: readonly string[]
  /** The program and its first arguments, in place of `countersign up`. */
  readonly command?: readonly string[]
}

export interface ExitStatus {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A `countersign up` process that may not be ready yet. */
export interface ControllerProcess {
  readonly child: ChildProcess
  readonly dataDir: string
  /** All output up to now. */
  stdout(): string
  stderr(): string
  /** Resolves when the process has ended and all its output is read. */
  readonly exited: Promise<ExitStatus>
  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<ExitStatus>
  /** Sends SIGKILL and waits for the exit. */
  kill9(): Promise<ExitStatus>
}

export interface ReadyController extends ControllerProcess {
  readonly ready: ReadyLine
  readonly pid: number
  /** Sends a request over TLS, trusting only the controller's CA. Rejects when there is no response. */
  request(method: string, path: string, options?: ControllerRequest): Promise<ControllerResponse>
  /** Logs in the administrator, by default with the password of the ready line. Returns the session token. */
  logIn(password?: string): Promise<string>
}

/** A temporary folder and the controllers that run in it. */
export interface ControllerStage {
  readonly folder: string
  /** Starts a controller without waiting. */
  launch(options?: LaunchOptions): ControllerProcess
  /** Starts a controller and waits for its ready line. Rejects with its stderr when there is none. */
  start(options?: LaunchOptions): Promise<ReadyController>
}

/** Creates a stage. When the test ends, in any way, its processes are killed and its folder is removed. */
export function createControllerStage(test: { after(hook: () => Promise<void>): void }): ControllerStage {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'))
  const launched: { readonly end: () => Promise<ExitStatus> }[] = []
  test.after(async () => {
    await Promise.all(launched.map(({ end }) => end()))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const launch = (options: LaunchOptions = {}): ControllerProcess => {
    const one = launchController(folder, options)
    // A wrapping program cannot forward SIGKILL; on SIGTERM it stops the controller too.
    launched.push({ end: options.command ? one.stop : one.kill9 })
    return one
  }
  return { folder, launch, start: (options) => waitUntilReady(launch(options)) }
}

function launchController(folder: string, options: LaunchOptions): ControllerProcess {
  const dataDir = options.dataDir ?? join(folder, 'data')
  const [program = '', ...first] = options.command ?? [process.execPath, ...(options.nodeOptions ?? []), COMMAND, 'up']
  const args = [
    ...first,
    ...(options.freePorts === false ? [] : ['--port', '0']),
    ...(options.json === false ? [] : ['--json']),
    '--data-dir',
    dataDir,
    ...(options.args ?? []),
  ]
  const spawned = { cwd: folder, env: buildEnvironment(options.env), stdio: ['ignore', 'pipe', 'pipe'] as const }
  const child = options.before
    ? spawn('sh', ['-c', `${options.before}; exec "$0" "$@"`, program, ...args], {
        ...spawned,
        stdio: [...spawned.stdio],
      })
    : spawn(program, args, { ...spawned, stdio: [...spawned.stdio] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  const exited = new Promise<ExitStatus>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  exited.catch(() => {})
  const end = (signal: NodeJS.Signals): Promise<ExitStatus> => {
    child.kill(signal)
    return exited
  }
  return {
    child,
    dataDir,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    exited,
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
  }
}

function buildEnvironment(further: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('COUNTERSIGN_') && !name.startsWith('npm_'),
  )
  return { ...Object.fromEntries(own), NODE_COMPILE_CACHE: COMPILE_CACHE, NODE_TEST_CONTEXT: undefined, ...further }
}

async function waitUntilReady(launched: ControllerProcess): Promise<ReadyController> {
  const ready = await readReadyLine(launched)
  const { baseUrl, caFile, pid, admin } = ready
  const ca = readFileSync(caFile)
  const request: ReadyController['request'] = (method, path, options = {}) =>
    sendRequest(new URL(path, baseUrl), ca, method, options)
  const logIn = async (password = admin.password): Promise<string> => {
    const { status, headers, text } = await request('POST', LOGIN, { body: { username: admin.username, password } })
    if (status !== 200) throw new Error(`no login: ${status} ${text}`)
    return String(headers['zt-session'])
  }
  return { ...launched, ready, pid, request, logIn }
}

async function readReadyLine(launched: ControllerProcess): Promise<ReadyLine> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadyLine>()
  const fail = (what: string) => reject(new Error(`the controller ${what}:\n${launched.stderr()}${launched.stdout()}`))
  const timer = setTimeout(fail, START_LIMIT_MS, `was not ready after ${START_LIMIT_MS / 1000} s`)
  if (!launched.child.stdout) throw new TypeError('a launched controller has a stdout')
  createInterface(launched.child.stdout).on('line', (line) => {
    if (line.startsWith('{')) resolve(JSON.parse(line))
  })
  launched.exited.then(({ code, signal }) => fail(`ended with ${code ?? signal} before it was ready`), reject)
  return promise.finally(() => clearTimeout(timer))
}
