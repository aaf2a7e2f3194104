import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Loaded when it is first of use: most controllers read no file of settings and are not asked for a description of the API. */
export function loadYaml(): typeof import('yaml') {
  return require('yaml')
}
