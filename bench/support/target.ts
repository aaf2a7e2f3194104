/** A server in a process of its own, and how to reach it. */
export interface Target {
  readonly port: number
  readonly ca: string
  readonly pid: number
}
