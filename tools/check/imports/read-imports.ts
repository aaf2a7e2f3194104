import { readFileSync } from 'node:fs'
import { parse } from 'es-module-lexer'

/** Import statements of a formatted file: with names, or for effect only. */
const STATEMENTS = /^(?:import|export)\s[\w\s{},*$]*from '([^']+)'|^import '([^']+)'/gm
/** Calls of `import()`, and types that are written like one. */
const CALLS = /\bimport\('([^']+)'\)/g

/**
 * Lists what a file imports in any way: at load, by a call of `import()`, or for a type only. Where a call puts its
 * specifier together, `*` stands for the parts that are not known.
 */
export function readImports(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  // The lexer does not read JSX, and passes over imports inside types.
  const found = path.endsWith('.tsx') ? matchAll(text, STATEMENTS) : lex(text, path)
  return [...new Set([...found, ...matchAll(text, CALLS)])]
}

function lex(text: string, path: string): string[] {
  const [found] = parse(text, path)
  return found.flatMap(({ specifier }) => (specifier ? [specifier] : []))
}

function matchAll(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, first, second]) => first ?? second ?? [])
}
