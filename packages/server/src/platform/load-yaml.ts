import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Loads the library at first use: most controllers read no settings file and serve no OpenAPI document. */
export function loadYaml(): typeof import('yaml') {
  return require('yaml')
}
