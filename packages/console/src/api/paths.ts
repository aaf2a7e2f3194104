export const CLIENT = '/edge/client/v1'
export const MANAGEMENT = '/edge/management/v1'
export const EVENTS = `${MANAGEMENT}/events`
