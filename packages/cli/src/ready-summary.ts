import type { RunningController } from '@countersign/server'
import { printableJson } from './printable.ts'
import { shellQuote } from './shell-quote.ts'

type Ready = RunningController['ready']

/** Builds the single line of `up --json`. */
export function buildReadyLine(ready: Ready): string {
  return printableJson(buildReadyObject(ready))
}

export function buildReadyObject(ready: Ready): object {
  return {
    ready: true,
    baseUrl: ready.baseUrl,
    caFile: ready.caFile,
    dataDir: ready.dataDir,
    pid: ready.pid,
    admin: { username: ready.admin.username, password: ready.admin.password },
    hostedBaseUrl: ready.hostedBaseUrl,
    consoleUrl: ready.consoleUrl,
    metricsUrl: ready.metricsUrl,
    identityProviderUrl: ready.identityProviderUrl,
  }
}

/** Builds the summary of `up`. Omits a password that the administrator has set: the output may be stored. */
export function buildReadySummary(ready: Ready, isPasswordSet = false): string[] {
  const { admin } = ready
  const password = isPasswordSet ? null : admin.password
  const provider = ready.identityProviderUrl ? ([['Identity provider', ready.identityProviderUrl]] as const) : []
  const rows = [
    ['Controller', ready.baseUrl],
    ['Console', ready.consoleUrl],
    ['Metrics', ready.metricsUrl],
    ...provider,
    ['CA certificate', ready.caFile],
    ['Data', ready.dataDir],
    ['Administrator', admin.username],
    ['Password', password ?? (admin.password === null ? 'as set on first start' : 'as set in the settings')],
  ] as const
  const width = Math.max(...rows.map(([title]) => title.length))
  return [
    'Countersign is ready.',
    '',
    ...rows.map(([title, value]) => `  ${title.padEnd(width)}   ${value}`),
    '',
    ...(password === null ? buildAnonymousExample(ready) : buildLoginExample(ready, password)),
    '',
    'Stop with Ctrl-C.',
  ]
}

/**
 * Works as printed in any POSIX shell, whose own printf keeps the password out of the list of processes. Reads the session from the response header,
 * so that no JSON parser is needed.
 */
function buildLoginExample({ baseUrl, caFile, admin }: Ready, password: string): string[] {
  const ca = `--cacert ${shellQuote(caFile)}`
  const login = `${baseUrl}/edge/management/v1/authenticate?method=password`
  const body = JSON.stringify({ username: admin.username, password })
  return [
    'The password is shown only once. Log in and list the signers:',
    '',
    `  session=$(printf %s ${shellQuote(body)} \\`,
    `    | curl -s ${ca} -o /dev/null -D - -H 'Content-Type: application/json' -d @- ${shellQuote(login)} \\`,
    `    | tr -d '\\r' | sed -n 's/^zt-session: //p')`,
    `  curl -s ${ca} -H "zt-session: $session" ${shellQuote(`${baseUrl}/edge/management/v1/ext-jwt-signers`)}`,
  ]
}

function buildAnonymousExample({ baseUrl, caFile }: Ready): string[] {
  return [
    'List the signers as a client sees them:',
    '',
    `  curl -s --cacert ${shellQuote(caFile)} ${shellQuote(`${baseUrl}/edge/client/v1/external-jwt-signers`)}`,
  ]
}
