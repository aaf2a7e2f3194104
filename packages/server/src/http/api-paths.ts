/** Base paths of the two edge APIs. */
export const MANAGEMENT = '/edge/management/v1'
export const CLIENT = '/edge/client/v1'

/** The paths of a call that both APIs serve. */
export const onBothApis = (path: string): string[] => [CLIENT + path, MANAGEMENT + path]
