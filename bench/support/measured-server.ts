/** A server process under measurement, on 127.0.0.1. */
export interface MeasuredServer {
  readonly port: number
  readonly ca: string
  readonly pid: number
}
