import { Environment } from '@marcbachmann/cel-js'

/** What a rule decides: whether a token or a login is accepted, or which attributes its identity gets. */
export type RuleKind = 'accept' | 'attributes'

/** Where a rule stands, which decides the variables that it has. */
export type RulePlace = 'signer' | 'policy'

const MAX_NODES = 1_000

/** The library finds mistakes in expressions; its functions are never called. */
const unused = () => null

function baseEnvironment(): Environment {
  return new Environment({ homogeneousAggregateLiterals: false, limits: { maxAstNodes: MAX_NODES, maxDepth: 64 } })
    .registerFunction('glob(string, string): bool', unused)
    .registerFunction('glob(list, string): bool', unused)
    .registerFunction('domain(string): string', unused)
    .registerFunction('inCidr(string, string): bool', unused)
    .registerFunction('lower(string): string', unused)
    .registerVariable('claims', 'map<string, dyn>')
    .registerVariable('request', {
      schema: { method: 'string', address: 'string', time: 'google.protobuf.Timestamp' },
    })
    .registerVariable('signer', { schema: { id: 'string', name: 'string' } })
}

/** The variables by place. `header` is that of the token; `identity` is the one that logs in. */
const ENVIRONMENTS: Readonly<Record<RulePlace, Environment>> = {
  signer: baseEnvironment().registerVariable('header', 'map<string, dyn>'),
  policy: baseEnvironment().registerVariable('identity', {
    schema: { id: 'string', name: 'string', attributes: 'list<string>' },
  }),
}

/** The types of the expression that a kind of rule takes. A `dyn` is checked when the rule is evaluated. */
const RESULTS: Readonly<Record<RuleKind, { readonly types: readonly string[]; readonly text: string }>> = {
  accept: { types: ['bool', 'dyn'], text: 'a bool' },
  attributes: { types: ['list<string>', 'list<dyn>', 'list<T>', 'list', 'dyn'], text: 'a list of strings' },
}

export function environmentOf(place: RulePlace): Environment {
  return ENVIRONMENTS[place]
}

/** Returns why an expression of this type cannot be a rule of this kind. */
export function resultError(kind: RuleKind, type: string): string | undefined {
  const { types, text } = RESULTS[kind]
  return types.includes(type) ? undefined : `the rule must be ${text}, but this is ${article(type)}`
}

const article = (type: string) => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)
