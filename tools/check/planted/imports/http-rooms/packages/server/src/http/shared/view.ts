import '../pipeline/errors.ts'
import type {} from '../routes.ts'
