import type { ApiCall } from '@countersign/sdk'
import { controller } from './client.ts'

/** Calls a path that the SDK has no method for. Throws CountersignError. */
export async function call<Result>(method: ApiCall['method'], path: string, body?: unknown): Promise<Result> {
  return (await controller.request({ method, path, body })) as Result
}
