import type { ASTNode } from '@marcbachmann/cel-js'

/** What a rule reads. */
export interface RuleReferences {
  /** Paths into the claims, each as the names from the root, without repetition. */
  readonly claims: readonly (readonly string[])[]
  /** Whether the rule reads claims whose names it computes, so that every claim can matter. */
  readonly readsAllClaims: boolean
  /** Whether the result depends on the request, and so differs between two requests with the same token. */
  readonly readsRequest: boolean
  readonly readsHeader: boolean
  readonly readsSignerName: boolean
  /** Whether the result depends on the name or the attributes of the identity. */
  readonly readsIdentity: boolean
}

/** A place in the variables that a part of a rule reads: `claims.repository`. */
export interface RuleAccess {
  readonly node: ASTNode
  readonly variable: string
  readonly path: readonly string[]
}

/** Finds every place that an expression reads, outermost first. An access whose index is computed ends before that index. */
export function accessesOf(root: ASTNode): readonly RuleAccess[] {
  const found: RuleAccess[] = []
  visit(root, [])
  return found

  function visit(node: ASTNode, locals: readonly string[]): void {
    const access = accessOf(node)
    if (access && !locals.includes(access.variable)) {
      found.push(access)
      return
    }
    // `"name" in claims` reads only that claim.
    if (node.op === 'in') {
      const [name, map] = node.args
      const inner = accessOf(map)
      if (inner && !locals.includes(inner.variable) && name.op === 'value' && typeof name.args === 'string') {
        found.push({ node: map, variable: inner.variable, path: [...inner.path, name.args] })
        return
      }
    }
    if (node.op === 'rcall' && isComprehension(node.args)) {
      const [, receiver, [variable, ...parts]] = node.args
      visit(receiver, locals)
      for (const part of parts) visit(part, variable?.op === 'id' ? [...locals, variable.args] : locals)
      return
    }
    for (const child of childrenOf(node)) visit(child, locals)
  }
}

export function referencesOf(root: ASTNode): RuleReferences {
  const accesses = accessesOf(root)
  const claims = accesses.filter(({ variable }) => variable === 'claims').map(({ path }) => path)
  const byText = new Map(claims.map((path) => [JSON.stringify(path), path]))
  return {
    claims: [...byText.values()].filter((path) => path.length > 0),
    readsAllClaims: claims.some((path) => path.length === 0),
    readsRequest: accesses.some(({ variable }) => variable === 'request'),
    readsHeader: accesses.some(({ variable }) => variable === 'header'),
    readsSignerName: accesses.some(({ variable, path }) => variable === 'signer' && path[0] !== 'id'),
    readsIdentity: accesses.some(({ variable, path }) => variable === 'identity' && path[0] !== 'id'),
  }
}

const COMPREHENSIONS = new Set(['all', 'exists', 'exists_one', 'filter', 'map'])
type Rcall = Extract<ASTNode, { readonly op: 'rcall' }>['args']
const isComprehension = ([name]: Rcall) => COMPREHENSIONS.has(name)

/** The access that a whole node is, with constant names only. */
function accessOf(node: ASTNode): RuleAccess | undefined {
  const path: string[] = []
  let at = node
  while (at.op !== 'id') {
    if (at.op === '.') path.unshift(at.args[1])
    else if (at.op === '[]' && at.args[1].op === 'value' && typeof at.args[1].args === 'string')
      path.unshift(at.args[1].args)
    else return undefined
    at = at.args[0]
  }
  return { node, variable: at.args, path }
}

/** The parts of a node. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return []
    case '.':
    case '.?':
      return [node.args[0]]
    case 'call':
      return node.args[1]
    case 'rcall':
      return [node.args[1], ...node.args[2]]
    case 'list':
      return node.args
    case 'map':
      return node.args.flat()
    case '!_':
    case '-_':
      return [node.args]
    default:
      return node.args
  }
}
