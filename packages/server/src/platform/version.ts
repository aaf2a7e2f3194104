import packageJson from '../../package.json' with { type: 'json' }

/** The version of this product. */
export const PRODUCT_VERSION: string = packageJson.version

/** The controller line whose API existing clients find here; they compare it as a semantic version. */
export const COMPATIBLE_VERSION = 'v2.0.0'
