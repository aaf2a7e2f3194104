import type { ASTNode } from '@marcbachmann/cel-js'
import { FUNCTIONS, METHODS, type RuleFunction } from './rule-functions.ts'
import { BINARY_OPERATORS, checkedInt, negated, OperatorFault } from './rule-operators.ts'
import { OVERSPENT, RuleFault, type RuleRange, type RuleResult, type RuleRun } from './rule-run.ts'
import {
  isRuleList,
  isRuleMap,
  memberOf,
  RuleDouble,
  type RuleElement,
  type RuleMap,
  type RuleValue,
  toRuleValue,
  typeOf,
} from './rule-value.ts'

/** A part of a rule that is ready to be evaluated. */
export type RuleStep = (run: RuleRun) => RuleResult

/** A part of a rule that is refused when the rule is saved. */
export class RuleMistake extends Error {
  readonly at: RuleRange

  constructor(message: string, at: RuleRange) {
    super(message)
    this.at = at
  }
}

/** More would multiply the lengths of more than three lists of a token. */
const MAX_NESTED_COMPREHENSIONS = 3
/** Deeper expressions are generated ones. The operands of one chain of `&&` or `||` count as one level. */
const MAX_DEPTH = 64

type Node<Op extends ASTNode['op'] = ASTNode['op']> = Extract<ASTNode, { readonly op: Op }>

/** The variables of the comprehensions around a part, outermost first. */
type Locals = readonly string[]

/**
 * Prepares a checked expression for evaluation. The library's own evaluator bounds neither time nor memory.
 * @throws {RuleMistake} for what rules leave out of the language
 */
export function planRule(root: ASTNode): RuleStep {
  return plan(root, [], 0)
}

function plan(node: ASTNode, locals: Locals, depth: number): RuleStep {
  if (depth > MAX_DEPTH) throw new RuleMistake('the expression is nested too deeply', node)
  const step = planNode(node, locals, depth + 1)
  // What uses a literal has its cost.
  if (node.op === 'value') return step
  return (run) => {
    if (!run.spend(1)) return OVERSPENT
    const result = step(run)
    run.trace?.set(node, result)
    return result
  }
}

function planNode(node: ASTNode, locals: Locals, depth: number): RuleStep {
  const sub = (part: ASTNode, inner: Locals = locals) => plan(part, inner, depth)
  switch (node.op) {
    case 'value':
      return planLiteral(node)
    case 'id':
      return planVariable(node, locals)
    case '.':
      return planMember(node, sub(node.args[0]), node.args[1])
    case '[]':
      return planIndex(node, sub(node.args[0]), sub(node.args[1]))
    case 'list':
      return planList(node.args.map((element) => sub(element)))
    case 'map':
      return planMap(node, sub)
    case '?:':
      return planChoice(node, sub)
    case '&&':
      return planLogic(node, false, sub)
    case '||':
      return planLogic(node, true, sub)
    case '!_':
      return planNot(node, sub(node.args))
    case '-_':
      return planNegation(node, sub)
    case 'call':
      return node.args[0] === 'has' ? planHas(node, sub) : planCall(node, FUNCTIONS, node.args[0], node.args[1], sub)
    case 'rcall': {
      const [name, receiver, args] = node.args
      const macro = MACROS[name]
      if (macro) return planComprehension(node, macro, locals, sub)
      return planCall(node, METHODS, name, [receiver, ...args], sub)
    }
    default:
      return planBinary(node, sub)
  }
}

type Planner = (part: ASTNode, inner?: Locals) => RuleStep

function planLiteral(node: Node<'value'>): RuleStep {
  const { args: literal } = node
  const value = typeof literal === 'number' ? new RuleDouble(literal) : literal
  if (typeof value === 'bigint' && checkedInt(value) !== value) throw new RuleMistake('the int is too large', node)
  if (typeof value === 'object' && value !== null && !(value instanceof RuleDouble))
    throw new RuleMistake('bytes and unsigned ints are not available in rules', node)
  return () => value
}

/** The library knows further names, such as those of types. */
const VARIABLES: ReadonlySet<string> = new Set(['claims', 'header', 'request', 'signer', 'identity'])

function planVariable(node: Node<'id'>, locals: Locals): RuleStep {
  const { args: name } = node
  const slot = locals.lastIndexOf(name)
  if (slot >= 0) return ({ locals: values }) => values[slot] ?? null
  if (!VARIABLES.has(name)) throw new RuleMistake(`${name} is not available in rules`, node)
  return ({ variables }) => variables[name] ?? new RuleFault(`there is no ${name} here`, node)
}

function planMember(node: ASTNode, object: RuleStep, name: string): RuleStep {
  return (run) => {
    const map = object(run)
    if (map instanceof RuleFault) return map
    if (!isRuleMap(map)) return new RuleFault(`a ${typeOf(map)} has no member ${name}`, node)
    const member = memberOf(map, name)
    return member === undefined ? new RuleFault(`there is no ${name}`, node) : member
  }
}

function planIndex(node: ASTNode, object: RuleStep, index: RuleStep): RuleStep {
  return (run) => {
    const container = object(run)
    if (container instanceof RuleFault) return container
    const key = index(run)
    if (key instanceof RuleFault) return key
    const element = elementAt(container, key)
    return element === undefined ? new RuleFault('there is no such element', node) : toRuleValue(element)
  }
}

function elementAt(container: RuleValue, key: RuleValue): RuleElement | undefined {
  if (isRuleMap(container)) return typeof key === 'string' ? memberOf(container, key) : undefined
  if (!isRuleList(container)) return undefined
  const index = typeof key === 'bigint' ? Number(key) : key instanceof RuleDouble ? key.value : -1
  return index < 0 ? undefined : container[index]
}

function planList(elements: readonly RuleStep[]): RuleStep {
  return (run) => {
    if (!run.spend(elements.length)) return OVERSPENT
    const list: RuleValue[] = []
    for (const element of elements) {
      const value = element(run)
      if (value instanceof RuleFault) return value
      list.push(value)
    }
    return list
  }
}

function planMap(node: Node<'map'>, sub: Planner): RuleStep {
  const entries = node.args.map(([key, value]) => {
    if (key.op !== 'value' || typeof key.args !== 'string')
      throw new RuleMistake('the keys of a map are texts in rules', key)
    return { key: key.args, value: sub(value) }
  })
  const names = new Set(entries.map(({ key }) => key))
  if (names.size < entries.length) throw new RuleMistake('each key of a map may be given once', node)
  return (run) => {
    if (!run.spend(entries.length)) return OVERSPENT
    const map: Record<string, RuleElement> = Object.create(null)
    for (const { key, value } of entries) {
      const result = value(run)
      if (result instanceof RuleFault) return result
      map[key] = result
    }
    return map
  }
}

function planChoice({ args: [condition, yes, no] }: Node<'?:'>, sub: Planner): RuleStep {
  const [test, whenTrue, whenFalse] = [sub(condition), sub(yes), sub(no)]
  return (run) => {
    const result = test(run)
    if (result instanceof RuleFault) return result
    if (typeof result !== 'boolean') return notBool(result, condition)
    return result ? whenTrue(run) : whenFalse(run)
  }
}

const notBool = (value: RuleValue, at: RuleRange) => new RuleFault(`a bool is needed here, not a ${typeOf(value)}`, at)

/** The operands of a chain of one operator, in order. */
export function operandsOf(node: Node<'&&' | '||'>): readonly ASTNode[] {
  const operands: ASTNode[] = []
  let left: ASTNode = node
  while (left.op === node.op) {
    operands.unshift(left.args[1])
    left = left.args[0]
  }
  return [left, ...operands]
}

/** `decisive` in one operand is the result, also when others have faults. */
function planLogic(node: Node<'&&' | '||'>, decisive: boolean, sub: Planner): RuleStep {
  const operands = operandsOf(node).map((part) => ({ part, evaluate: sub(part) }))
  return (run) => {
    let fault: RuleFault | undefined
    for (const { part, evaluate } of operands) {
      const result = evaluate(run)
      if (result === decisive) return decisive
      if (result === !decisive) continue
      fault ??= result instanceof RuleFault ? result : notBool(result, part)
    }
    return fault ?? !decisive
  }
}

function planNot(node: Node<'!_'>, operand: RuleStep): RuleStep {
  return (run) => {
    const result = operand(run)
    if (result instanceof RuleFault) return result
    return typeof result === 'boolean' ? !result : notBool(result, node.args)
  }
}

function planNegation(node: Node<'-_'>, sub: Planner): RuleStep {
  const { args: operand } = node
  // The smallest int is the negation of a number that is too large.
  if (operand.op === 'value' && typeof operand.args === 'bigint') {
    const value = checkedInt(-operand.args)
    if (value instanceof OperatorFault) throw new RuleMistake('the int is too small', node)
    return () => value
  }
  const evaluate = sub(operand)
  return (run) => {
    const result = evaluate(run)
    return result instanceof RuleFault ? result : located(negated(result), node)
  }
}

const located = (result: RuleValue | OperatorFault, at: RuleRange): RuleResult =>
  result instanceof OperatorFault ? new RuleFault(result.message, at) : result

function planBinary(node: ASTNode, sub: Planner): RuleStep {
  const operator = BINARY_OPERATORS[node.op]
  if (!operator) throw new RuleMistake(`${node.op} is not available in rules`, node)
  const [left, right] = node.args as [ASTNode, ASTNode]
  const [first, second] = [sub(left), sub(right)]
  return (run) => {
    const a = first(run)
    if (a instanceof RuleFault) return a
    const b = second(run)
    return b instanceof RuleFault ? b : located(operator(a, b, run), node)
  }
}

/** `has(a.b)`: whether `a`, which must exist, has a member `b`. */
function planHas(node: Node<'call'>, sub: Planner): RuleStep {
  const [field] = node.args[1]
  if (field?.op !== '.') throw new RuleMistake('has needs a member such as claims.email', node)
  const object = sub(field.args[0])
  const name = field.args[1]
  return (run) => {
    const map = object(run)
    if (map instanceof RuleFault) return map
    if (!isRuleMap(map)) return new RuleFault(`a ${typeOf(map)} has no members`, field)
    const member = memberOf(map, name)
    run.trace?.set(field, member === undefined ? new RuleFault(`there is no ${name}`, field) : member)
    return member !== undefined
  }
}

function planCall(
  node: ASTNode,
  table: Readonly<Record<string, RuleFunction>>,
  name: string,
  args: readonly ASTNode[],
  sub: Planner,
): RuleStep {
  const called = Object.hasOwn(table, name) ? table[name] : undefined
  if (!called || args.length < called.minArguments || args.length > called.maxArguments)
    throw new RuleMistake(unavailable(name), node)
  for (const [index, argument] of args.entries()) checkLiteral(called, index, argument)
  const steps = args.map((argument) => sub(argument))
  return (run) => {
    const values: RuleValue[] = []
    for (const step of steps) {
      const value = step(run)
      if (value instanceof RuleFault) return value
      values.push(value)
    }
    return located(called.call(values, run), node)
  }
}

const unavailable = (name: string) =>
  name === 'matches'
    ? 'matches is not available in rules: use glob(value, pattern)'
    : `the function ${name} is not available in rules`

function checkLiteral({ literals, onlyLiterals }: RuleFunction, index: number, argument: ASTNode): void {
  const isText = argument.op === 'value' && typeof argument.args === 'string'
  if (!isText && onlyLiterals?.includes(index)) throw new RuleMistake('this argument must be a text', argument)
  const reason = isText ? literals?.[index]?.(String(argument.args)) : undefined
  if (reason !== undefined) throw new RuleMistake(reason, argument)
}

interface Macro {
  readonly minArguments: number
  readonly maxArguments: number
  build(parts: ComprehensionParts): RuleStep
}

interface ComprehensionParts {
  /** Sets the variable to each element in turn, until `visit` returns a result. */
  readonly each: (run: RuleRun, visit: () => RuleResult | undefined) => RuleResult | undefined
  readonly first: RuleStep
  readonly second: RuleStep | undefined
  readonly slot: number
  readonly at: readonly ASTNode[]
}

/** `all` and `exists`: `decisive` for one element is the result, also when others have faults. */
const quantifier =
  (decisive: boolean): Macro['build'] =>
  ({ each, first, at: [part] }) =>
  (run) => {
    let fault: RuleFault | undefined
    const decided = each(run, () => {
      const result = first(run)
      if (result === decisive) return result
      if (result !== !decisive) fault ??= result instanceof RuleFault ? result : notBool(result, part as ASTNode)
      return run.isOverspent ? OVERSPENT : undefined
    })
    return decided ?? fault ?? !decisive
  }

const existsOne: Macro['build'] =
  ({ each, first, at: [part] }) =>
  (run) => {
    let count = 0
    const fault = each(run, () => {
      const result = first(run)
      if (typeof result !== 'boolean') return result instanceof RuleFault ? result : notBool(result, part as ASTNode)
      if (result) count += 1
      return undefined
    })
    return fault ?? count === 1
  }

/** Collects `transform` of the elements for which `condition` is true. */
const collect = (
  { each, at: [part] }: ComprehensionParts,
  condition: RuleStep | undefined,
  transform: RuleStep,
): RuleStep => {
  return (run) => {
    const list: RuleValue[] = []
    const fault = each(run, () => {
      const wanted = condition ? condition(run) : true
      if (typeof wanted !== 'boolean') return wanted instanceof RuleFault ? wanted : notBool(wanted, part as ASTNode)
      if (!wanted) return undefined
      const value = transform(run)
      if (value instanceof RuleFault) return value
      list.push(value)
      return undefined
    })
    return fault ?? list
  }
}

const MACROS: Readonly<Record<string, Macro>> = {
  all: { minArguments: 2, maxArguments: 2, build: quantifier(false) },
  exists: { minArguments: 2, maxArguments: 2, build: quantifier(true) },
  exists_one: { minArguments: 2, maxArguments: 2, build: existsOne },
  filter: {
    minArguments: 2,
    maxArguments: 2,
    build: (parts) => collect(parts, parts.first, ({ locals }) => locals[parts.slot] ?? null),
  },
  map: {
    minArguments: 2,
    maxArguments: 3,
    build: (parts) =>
      parts.second ? collect(parts, parts.first, parts.second) : collect(parts, undefined, parts.first),
  },
}

function planComprehension(node: Node<'rcall'>, macro: Macro, locals: Locals, sub: Planner): RuleStep {
  const [name, receiver, [variable, first, second, ...others]] = node.args
  const count = node.args[2].length
  if (count < macro.minArguments || count > macro.maxArguments || others.length > 0 || !first)
    throw new RuleMistake(`${name} has other arguments`, node)
  if (variable?.op !== 'id') throw new RuleMistake(`${name} needs the name of a variable first`, variable ?? node)
  const slot = locals.length
  if (slot >= MAX_NESTED_COMPREHENSIONS)
    throw new RuleMistake(
      `at most ${MAX_NESTED_COMPREHENSIONS} of all, exists, exists_one, map and filter may be nested`,
      node,
    )
  const inner = [...locals, variable.args]
  const range = sub(receiver)
  const each: ComprehensionParts['each'] = (run, visit) => {
    const value = range(run)
    if (value instanceof RuleFault) return value
    const elements = isRuleList(value) ? value : isRuleMap(value) ? namesOf(value, run) : undefined
    if (!elements) return new RuleFault(`${name} needs a list or a map, not a ${typeOf(value)}`, receiver)
    for (const element of elements) {
      // The part for each element may be a literal, which costs nothing.
      if (!run.spend(1)) return OVERSPENT
      run.locals[slot] = toRuleValue(element)
      const result = visit()
      if (result !== undefined) return result
    }
    return undefined
  }
  const at = [first, ...(second ? [second] : [])]
  return macro.build({ each, first: sub(first, inner), second: second && sub(second, inner), slot, at })
}

function namesOf(map: RuleMap, run: RuleRun): readonly string[] {
  const names = Object.keys(map)
  return run.spend(names.length) ? names : []
}
