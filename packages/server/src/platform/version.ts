import { statSync } from 'node:fs'
import packageJson from '../../package.json' with { type: 'json' }

export const PRODUCT_VERSION: string = packageJson.version

/** The version that existing clients check for compatibility, as a semantic version. */
export const COMPATIBLE_VERSION = 'v2.0.0'

/** When the running code was built or checked out, in UTC. Existing clients show it beside the version. */
export const BUILD_DATE: string = statSync(import.meta.filename)
  .mtime.toISOString()
  .slice(0, 19)
  .replace('T', ' ')
