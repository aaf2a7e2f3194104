import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ControllerAnswer, type ControllerRequest, sendRequest } from './controller-request.ts'

/** The `countersign` program: the bundle of the test runner, as `npm start` runs it, else the one that runs from the sources. */
export const COMMAND =
  process.env.TEST_COMMAND ?? fileURLToPath(new URL('../../cli/bin/countersign.js', import.meta.url))
/** Spares every start but the first the work of reading the source anew. */
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
  /** Further variables; those of the tests' own environment that are settings are left out. */
  readonly env?: Readonly<Record<string, string>>
  /** `<folder>/data` unless given. */
  readonly dataDir?: string
  /** False for `--port` among the arguments instead of `--port 0`. */
  readonly freePorts?: boolean
  /** False for the summary that people read. */
  readonly json?: boolean
  /** Shell commands to run before, in the same process, such as `umask 000`. */
  readonly before?: string
  /** For the Node that runs `countersign up`. */
  readonly nodeOptions?: readonly string[]
  /** The program and what comes before the flags, in place of `countersign up`. */
  readonly command?: readonly string[]
}

export interface ExitStatus {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A `countersign up` that may or may not become ready. */
export interface ControllerProcess {
  readonly child: ChildProcess
  readonly dataDir: string
  /** Everything it has written so far. */
  stdout(): string
  stderr(): string
  /** Resolves when it has ended and all its output is here. */
  readonly exited: Promise<ExitStatus>
  /** SIGTERM, and wait for the end. */
  stop(): Promise<ExitStatus>
  /** SIGKILL, and wait for the end. */
  kill9(): Promise<ExitStatus>
}

export interface ReadyController extends ControllerProcess {
  readonly ready: ReadyLine
  readonly pid: number
  /** Speaks to it over TLS and trusts only the CA that it names. Rejects when there is no answer. */
  request(method: string, path: string, options?: ControllerRequest): Promise<ControllerAnswer>
  /** Signs the administrator in; the password of the ready line unless given. Gives the session's token. */
  logIn(password?: string): Promise<string>
}

/** A temporary folder and the controllers that run in it. */
export interface ControllerStage {
  readonly folder: string
  /** Starts a controller and waits for nothing. */
  launch(options?: LaunchOptions): ControllerProcess
  /** Starts one and waits for its ready line. Rejects with its stderr when there is none. */
  start(options?: LaunchOptions): Promise<ReadyController>
}

/** Makes a stage; when the test ends, however it ends, its processes are killed and its folder goes. */
export function createControllerStage(test: { after(hook: () => Promise<void>): void }): ControllerStage {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'))
  const launched: { readonly end: () => Promise<ExitStatus> }[] = []
  test.after(async () => {
    await Promise.all(launched.map(({ end }) => end()))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const launch = (options: LaunchOptions = {}): ControllerProcess => {
    const one = launchController(folder, options)
    // A program that starts the controller cannot pass SIGKILL on; asked to stop, it takes the controller with it.
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
