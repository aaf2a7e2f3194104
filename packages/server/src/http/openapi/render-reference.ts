import { DOCUMENT_IDS, type DocumentId, type OpenApiDocument } from './build-document.ts'
import type { OpenApiOperation } from './build-operation.ts'
import { type Html, html } from './html.ts'
import { type DescribePresence, inCode, type Resolve, renderPresence, renderSchema, typeOf } from './render-schema.ts'
import type { JsonSchema } from './to-json-schema.ts'

const inRequest: DescribePresence = (isRequired) => (isRequired ? 'required' : undefined)
const inResponse: DescribePresence = (isRequired) => (isRequired ? undefined : 'may be absent')

interface DescribedCall {
  readonly method: string
  readonly path: string
  readonly operation: OpenApiOperation
}

/** The reference of one API as an HTML page. All text is from the document. */
export function renderReference(id: DocumentId, document: OpenApiDocument): string {
  const resolve: Resolve = (pointer) => {
    const [, , kind = '', name = ''] = pointer.split('/')
    return (document.components[kind]?.[name] ?? {}) as JsonSchema
  }
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedCall => ({ method, path, operation })),
  )
  const byTag = Map.groupBy(calls, ({ operation }) => operation.tags[0] ?? '')
  const others = DOCUMENT_IDS.map((other) =>
    other === id ? html`<strong>${other}</strong>` : html`<a href="/api-docs/${other}">${other}</a>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title>
<link rel="stylesheet" href="/api-docs/page.css">
<script src="/api-docs/page.js" defer></script>
</head>
<body>
<header>
<h1>${document.info.title}</h1>
<p>Version ${document.info.version}. Base path <code>${document.servers[0]?.url}</code>.
${inCode(document.info.description)}</p>
<nav aria-label="APIs">${others.map((link) => html`${link} `)}
<a href="/api-docs/${id}.json" download>OpenAPI as JSON</a> <a href="/api-docs/${id}.yaml">as YAML</a></nav>
<label class="search" hidden>Search <input type="search" id="search" autocomplete="off" placeholder="identities, PATCH, token …"></label>
<p id="found" role="status"></p>
</header>
<main>
${[...byTag].map(([tag, described]) => renderGroup(tag, described, resolve))}
</main>
</body>
</html>
`.text
}

function renderGroup(tag: string, calls: readonly DescribedCall[], resolve: Resolve): Html {
  return html`<section aria-labelledby="tag-${tag}">
<h2 id="tag-${tag}">${tag}</h2>
${calls.map((call) => renderCall(call, resolve))}
</section>
`
}

function renderCall({ method, path, operation }: DescribedCall, resolve: Resolve): Html {
  return html`<details id="${operation.operationId}">
<summary><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code> <span class="summary">${operation.summary}</span></summary>
<div class="call">
${paragraphs(operation.description)}
${renderParameters(operation, resolve)}
${renderBody(operation, resolve)}
<h3>Responses</h3>
<dl>${Object.entries(operation.responses).map(([status, response]) => renderResponse(status, response as JsonSchema, resolve))}</dl>
</div>
</details>
`
}

function paragraphs(text: string | undefined): Html[] {
  return text === undefined ? [] : text.split('\n\n').map((paragraph) => html`<p>${inCode(paragraph)}</p>`)
}

function renderParameters({ parameters = [] }: OpenApiOperation, resolve: Resolve): Html | undefined {
  if (parameters.length === 0) return undefined
  return html`<h3>Parameters</h3>
<ul class="members">${parameters.map(({ $ref }) => {
    const { name, in: place, schema, description, required } = resolve($ref)
    return html`<li><code>${String(name)}</code> <span class="type">${String(place)}, ${typeOf(schema as JsonSchema, resolve)}</span>${renderPresence(inRequest(Boolean(required)))}
<p>${inCode(String(description))}</p></li>`
  })}</ul>`
}

function renderBody({ requestBody }: OpenApiOperation, resolve: Resolve): Html | undefined {
  if (!requestBody) return undefined
  const { required } = requestBody as { required: boolean }
  return html`<h3>Body${required ? '' : ' (optional)'}</h3>
${renderSchema(schemaOf(requestBody as JsonSchema), resolve, inRequest)}`
}

function renderResponse(status: string, response: JsonSchema, resolve: Resolve): Html {
  const target = typeof response.$ref === 'string' ? resolve(response.$ref) : response
  const isSuccess = status.startsWith('2')
  return html`<dt>${status === 'default' ? 'other' : status}</dt><dd>${inCode(String(target.description))}${
    isSuccess ? renderSchema(dataOf(schemaOf(target), resolve), resolve, inResponse) : undefined
  }</dd>`
}

function schemaOf({ content }: JsonSchema): JsonSchema {
  const [media] = Object.values((content ?? {}) as Record<string, { schema: JsonSchema }>)
  return media?.schema ?? {}
}

/** The schema of `data` in an envelope. */
function dataOf(schema: JsonSchema, resolve: Resolve): JsonSchema {
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema
  return (target.properties as Record<string, JsonSchema> | undefined)?.data ?? target
}
