import type { TestContext } from 'node:test'
import fastify from 'fastify'
import type { DocumentId } from '../../src/http/openapi/build-document.ts'
import type { TestApp } from '../http/build-app.ts'

const JSON_TYPES = ['application/json', 'application/hal+json']

interface DescribedResponse {
  readonly content?: Readonly<Record<string, { schema: object }>>
  readonly headers?: Readonly<Record<string, object>>
}

interface Described {
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

/** Validates responses against the schemas of a document. */
export async function createChecker(t: TestContext, app: TestApp, id: DocumentId, ...errorSchemas: readonly string[]) {
  const document = JSON.parse((await app.call('GET', `/api-docs/${id}.json`)).text)
  const validator = fastify({
    ajv: { customOptions: { strict: false, coerceTypes: false, removeAdditional: false, useDefaults: false } },
  })
  t.after(() => validator.close())
  const { components } = document
  const schemas: {
    path: string
    method: string
    schema: object
    route: string
    status: number
    hasVersion: boolean
  }[] = []
  for (const [path, methods] of Object.entries<Record<string, Described>>(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const [status = ''] = Object.keys(responses).filter((one) => one.startsWith('2'))
      const schema = JSON_TYPES.map((type) => responses[status]?.content?.[type]?.schema).find((one) => one)
      if (!schema) continue
      const route = `/${method}${path.replaceAll(/[{}]/g, '_')}`
      validator.post(route, { schema: { body: { components, ...schema } } }, () => ({}))
      schemas.push({
        path,
        method,
        schema,
        route,
        status: Number(status),
        hasVersion: 'ETag' in (responses[status]?.headers ?? {}),
      })
    }
  }
  for (const name of errorSchemas) {
    const body = { components, $ref: `#/components/schemas/${name}` }
    validator.post(`/error/${name}`, { schema: { body } }, () => ({}))
  }
  await validator.ready()
  const check = async (route: string, payload: object): Promise<string | undefined> => {
    const reply = await validator.inject({ method: 'POST', url: route, payload })
    return reply.statusCode === 200 ? undefined : reply.json().message
  }
  return { schemas, check }
}
