/** Base paths of the two edge APIs. */
export const MANAGEMENT = '/edge/management/v1'
export const CLIENT = '/edge/client/v1'

/** The same call on both APIs. */
export const onBothApis = (path: string): string[] => [CLIENT + path, MANAGEMENT + path]
