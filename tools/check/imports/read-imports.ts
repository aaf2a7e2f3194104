import { readFileSync } from 'node:fs'
import { parse } from 'es-module-lexer'

/** Import and export statements of a formatted file, and imports without names. */
const STATEMENTS = /^(?:import|export)\s[\w\s{},*$]*from '([^']+)'|^import '([^']+)'/gm
/** Calls of `import()`, and `import()` types. */
const CALLS = /\bimport\('([^']+)'\)/g

/**
 * Lists the specifiers that a file imports, including type imports and calls of `import()`. In a computed specifier, `*`
 * stands for the unknown parts.
 */
export function readImports(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  // The lexer does not support JSX, and ignores `import()` types.
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
