import type { ApiCall } from '@countersign/sdk'
import { controller } from './client.ts'

/** A call that the SDK has no method for, by its path. Throws CountersignError. */
export async function call<Answer>(method: ApiCall['method'], path: string, body?: unknown): Promise<Answer> {
  return (await controller.request({ method, path, body })) as Answer
}
