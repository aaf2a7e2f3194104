import type { ControllerClient } from '@countersign/sdk'
import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { getSourceName, loadTextArgument } from '../files/load-text-file.ts'
import { withHosted } from '../hosted/with-hosted.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'
import { askDidYouMean, suggest } from '../suggest.ts'
import { isSdkError } from '../to-cli-error.ts'

type ApiCall = Parameters<ControllerClient['request']>[0]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const MANAGEMENT = '/edge/management/v1/'
/** The first segments of the hosted API's paths. */
const HOSTED_PATHS = /^\/(?:core|identity|auth)\//

/** `countersign api`: call any path of the controller's APIs and of the hosted API. */
export const api: Command = {
  args: ['METHOD', 'PATH'],
  flags: [
    ...CALL_FLAGS,
    { name: 'data', short: 'd', value: 'BODY', description: 'The JSON body; @FILE reads a file, - reads stdin' },
    { name: 'header', short: 'H', value: 'NAME:VALUE', repeatable: true, description: 'Send this header too' },
  ],
  details: [
    `PATH is a whole path, such as /identity/v1/organizations; without a slash at its beginning it is below ${MANAGEMENT}.`,
    'The call has the session of the profile or the API account, as other commands do. The response is printed as JSON, an error response too.',
    'The exit status is 0 for a status below 400, 4 for 401 and 403, 5 for 404, 6 for 409 and 412, 2 for a refused body or query.',
    'Unlike "show", it prints secrets of responses.',
  ],
  examples: [
    { command: 'countersign api GET identities?limit=5', description: 'a list of the management API' },
    { command: 'countersign api GET /edge/client/v1/current-identity', description: 'a whole path' },
    {
      command: 'countersign api PATCH identities/ID -d @changes.json',
      description: 'send the JSON of a file',
    },
    { command: 'countersign api GET /identity/v1/organizations -o yaml', description: 'the hosted API' },
  ],
  async run(call) {
    const { method, path } = readTarget(call.args)
    const request = { method, path, headers: readHeaders(call.flags.header), ...(await readBody(call)) }
    try {
      await printResponse(call, await send(call, request))
      return EXIT.ok
    } catch (error) {
      if (isSdkError(error) && error.status > 0) {
        const { code, status, message, field, requestId, cause, hint, conflictsWith } = error
        const shown = { code, status, message, field, requestId, cause, hint, conflictsWith }
        await printResponse(call, { error: shown })
      }
      throw error
    }
  },
}

function readTarget([given = '', target = '']: readonly string[]): Pick<ApiCall, 'method' | 'path'> {
  const method = METHODS.find((name) => name === given.toUpperCase())
  if (!method) {
    const hint = askDidYouMean(suggest(given.toUpperCase(), METHODS)) ?? `write ${METHODS.join(', ')}`
    throw usageError(`"${given}" is not a method`, hint)
  }
  if (target.includes('://'))
    throw usageError('PATH is an address', `write the path only: ${URL.parse(target)?.pathname ?? '/…'}`)
  return { method, path: target.startsWith('/') ? target : MANAGEMENT + target }
}

function readHeaders(given: Call['flags'][string]): Record<string, string> {
  const pairs = [given ?? []].flat().map((text) => {
    const [name = '', ...value] = String(text).split(':')
    if (/^[\w-]+$/.test(name) && value.length > 0) return [name.toLowerCase(), value.join(':').trim()]
    throw usageError(`"${String(text)}" is not a header`, 'write --header NAME:VALUE')
  })
  return Object.fromEntries(pairs)
}

async function readBody(call: Call): Promise<Pick<ApiCall, 'body'>> {
  const { data } = call.flags
  if (typeof data !== 'string') return {}
  const file = data === '-' || data === '@-' ? '-' : data.startsWith('@') ? data.slice(1) : undefined
  const text = file === undefined ? data : await loadTextArgument(call, file)
  try {
    return { body: JSON.parse(text) }
  } catch {
    const source = file === undefined ? '--data' : getSourceName(file)
    throw usageError(`${source} is not JSON`, `write -d '{"name": "example"}', -d @FILE or -d -`)
  }
}

function send(call: Call, request: ApiCall): Promise<unknown> {
  return HOSTED_PATHS.test(request.path)
    ? withHosted(call, (client) => client.request(request))
    : withController(call, (client) => client.request(request))
}

async function printResponse(call: Call, value: unknown): Promise<void> {
  if (value === undefined) return
  const format = getFormat(call)
  if (format === 'name') return printData(call, findItems(value))
  // There is no table for a response of any form.
  await printData({ ...call, flags: { ...call.flags, output: format === 'yaml' ? 'yaml' : 'json' } }, value)
}

/** The items of a response: in `data` of the controller, in `_embedded` of the hosted API, or the response itself. */
function findItems(value: unknown): unknown {
  const { data, _embedded, content } = value as Readonly<Record<string, unknown>>
  return data ?? content ?? (_embedded ? Object.values(_embedded).flat() : value)
}
