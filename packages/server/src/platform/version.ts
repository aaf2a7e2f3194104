import packageJson from '../../package.json' with { type: 'json' }

export const PRODUCT_VERSION: string = packageJson.version

/** The version that existing clients check for compatibility, as a semantic version. */
export const COMPATIBLE_VERSION = 'v2.0.0'
